"""Write ``docs/feature-gates.md``: ``python tests/unit/whatif/feature_gates_page.py``."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

from kueuelab.model import RELEASE
from kueuelab.whatif.gates import why

ROOT = Path(__file__).parents[3]

HEAD = f"""# Feature gates

Every feature gate of Kueue {RELEASE.version}: its default, what it needs, and what the lab makes
of it. `kueuelab gates` prints the same, and `kueuelab gates --diff FILE` plays a scenario once for
each gate with its other value and says which decisions change. *Recorded* counts the recorded
cases in `tests/conformance` in which a gate has not its default.

| gate | default | stage | needs | modelled | recorded |
|---|---|---|---|---|---|
"""


def page() -> str:
    recorded: Counter[str] = Counter()
    for file in sorted((ROOT / "tests" / "conformance").glob("*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                gates = json.loads(line).get("configuration", {}).get("featureGates") or {}
                recorded.update(
                    name
                    for name, value in gates.items()
                    if name in RELEASE.gates and value != RELEASE.gates[name].default
                )
    rows = []
    for gate in RELEASE.gates.values():
        needs = ", ".join(f"`{name}`" for name in gate.needs) or "–"
        cells = (
            f"`{gate.name}`",
            "on" if gate.default else "off",
            gate.stage,
            needs,
            why(gate) or "both values",
            str(recorded[gate.name] or "–"),
        )
        rows.append(f"| {' | '.join(cells)} |\n")
    return HEAD + "".join(rows)


if __name__ == "__main__":
    (ROOT / "docs" / "feature-gates.md").write_text(page(), "utf-8")
