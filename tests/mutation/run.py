"""Which small damages to a room do the tests not notice?

Usage: ``python tests/mutation/run.py ROOM [--jobs N] [--cases N] [--only PATTERN] [--again]
[--quick] [--seconds N] [--tests PATH]``; ``make mutants`` runs it for every room. mypy looks at
all mutants at once. The others are tried, each in a process of its own: first the room's own tests
that reach a changed line, then recorded cases that do, then tests of other rooms. A mutant that
survives is printed, unless ``equivalent.yaml`` says why it can't be noticed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random

import yaml

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
import mutants as mutation  # noqa: E402

#: The files of each room, and the tests that are about it: its own first.
ROOMS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "scheduler": (
        ("kueuelab/scheduler/**/*.py",),
        ("tests/unit/scheduler", "tests/unit/simulation", "tests/unit/trace"),
    ),
    "quota": (("kueuelab/quota/*.py",), ("tests/unit/quota", "tests/unit/scheduler")),
    "queues": (("kueuelab/queues/*.py",), ("tests/unit/queues", "tests/unit/simulation")),
    "multikueue": (
        ("kueuelab/multikueue/reconciler.py",),
        ("tests/multikueue/test_recorded.py", "tests/unit/multikueue"),
    ),
    "whatif": (
        ("kueuelab/whatif/**/*.py",),
        (
            "tests/unit/whatif",
            "tests/unit/cli/test_validate.py",
            "tests/unit/cli/test_diff.py",
            "tests/unit/cli/test_run.py",
            "tests/unit/live/test_why.py",
            "tests/unit/multikueue/test_hazards.py",
            "tests/unit/simulation/test_end_of_instant.py",
            "tests/unit/widgets/test_multikueue_what_if.py",
            "tests/unit/widgets/test_what_if.py",
            "tests/unit/workshop/test_exercise.py",
        ),
    ),
}

#: The verdict on a mutant that mypy accepts and that was not tried yet.
ACCEPTED = "accepted"


def known() -> dict[mutation.Identity, str]:
    """Return why certain mutants can't be noticed, by path, function and change."""
    entries = yaml.safe_load((HERE / "equivalent.yaml").read_text("utf-8")) or []
    return {
        (entry["path"], entry["function"], tuple(change)): entry["why"]
        for entry in entries
        for change in entry.get("changes") or [entry["change"]]
    }


def without_mutant(
    reasons: Iterable[mutation.Identity], found: Iterable[mutation.Mutant], patterns: Iterable[str]
) -> set[mutation.Identity]:
    """Return the entries about files of some patterns that match none of their mutants."""
    paths = {str(path.relative_to(ROOT)) for pattern in patterns for path in ROOT.glob(pattern)}
    entries = {each for each in reasons if each[0] in paths or not (ROOT / each[0]).exists()}
    return entries - {mutant.identity for mutant in found}


def main() -> int:
    """Try the mutants of one room; return 1 if more than a tenth survive."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("room", choices=ROOMS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--cases", type=int, default=15, help="cases of each generated family")
    parser.add_argument("--only", default="", help="mutants that this pattern finds")
    parser.add_argument("--quick", action="store_true", help="without the tests of other rooms")
    parser.add_argument("--tests", nargs="+", metavar="PATH", help="only these, and no cases")
    parser.add_argument("--seconds", type=float, default=1e9, help="of tests for each mutant")
    parser.add_argument("--again", action="store_true", help="not those noticed or excused before")
    options = parser.parse_args()
    os.chdir(ROOT)
    patterns, folders = ROOMS[options.room]
    target = ROOT / "build" / "mutants" / options.room
    target.parent.mkdir(parents=True, exist_ok=True)
    report = target.parent / f"{options.room}.json"
    written = mutation.write(target, patterns)
    reasons = known()
    if stale := sorted(without_mutant(reasons, written, patterns)):
        print("Entries of equivalent.yaml that match no mutant:")
        for path, function, change in stale:
            print(path, function, *change, sep="\n  ")
        return 1
    found = [each for each in written if re.search(options.only, each.name)]
    kept = json.loads(report.read_text("utf-8")) if report.exists() else {}
    last: dict[str, str] = dict(kept) if options.again else {}
    # mypy need not look again at those that it has accepted.
    if unseen := [each for each in found if each.key not in last]:
        refused = mutation.refused_by_types(target, unseen)
        last |= {each.key: "types" if each.name in refused else ACCEPTED for each in unseen}
    verdicts = {
        each.name: said
        for each in found
        if (said := last[each.key]) != ACCEPTED and (said != "survived" or each.identity in reasons)
    }
    print(f"{len(found)} mutants, {len(verdicts)} refused by mypy or known", flush=True)
    mutation.load(target)
    # Only now: what it imports of the package has the mutants.
    from trial import Trial

    def keep(mutant: mutation.Mutant, said: str) -> None:
        # At once: a run of hours may be cut short.
        kept[mutant.key] = said
        report.write_text(json.dumps(kept, indent=1, ensure_ascii=False), "utf-8")

    kept |= {each.key: last[each.key] for each in found}
    report.write_text(json.dumps(kept, indent=1, ensure_ascii=False), "utf-8")
    todo = [mutant for mutant in found if mutant.name not in verdicts]
    # Those that survived before, then all others in no order of files: what a run that is cut
    # short has tried is a sample of the room.
    Random(0).shuffle(todo)
    todo.sort(key=lambda mutant: last[mutant.key] != "survived")
    if options.tests:
        trial = Trial(None, options.tests, todo, jobs=options.jobs, seconds=options.seconds)
    else:
        chosen = folders[: 1 if options.quick else None]
        trial = Trial(options.cases, chosen, todo, jobs=options.jobs, seconds=options.seconds)
    verdicts |= trial.try_all(keep)

    survivors, excused = [], 0
    for mutant in found:
        if verdicts[mutant.name] == "survived":
            if mutant.identity in reasons:
                excused += 1
            else:
                survivors.append(mutant)
    if survivors:
        print("\nNot known to be equivalent:")
    for mutant in survivors:
        print(mutant)
    counts = Counter(verdicts.values())
    said = ", ".join(f"{counts[each]} {each}" for each in sorted(counts))
    share = len(survivors) / max(1, len(found))
    print(f"{options.room}: {len(found)} mutants: {said}.")
    print(f"{excused} survivors are equivalent, {len(survivors)} are not known: {share:.1%}.")
    return int(share > 0.1)


if __name__ == "__main__":
    sys.exit(main())
