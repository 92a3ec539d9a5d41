"""Copies the libraries of the app's front end out of npm: ``python tests/vendor_front_end.py``.

Needs npm. Each library is one ES module, without its source map; where a module names another
library, it gets the file beside it. Licences are kept. `make typescript` reads the declarations.
"""

from __future__ import annotations

import json
import re
import subprocess
import tarfile
import tempfile
from pathlib import Path

VENDOR = Path(__file__).parents[1] / "kueuelab" / "app" / "front" / "vendor"
#: Package, version, and what is taken of it: the file in the package, the name here.
PACKAGES = (
    ("preact", "10.28.0", {"dist/preact.module.js": "preact.js"}),
    ("preact", "10.28.0", {"hooks/dist/hooks.module.js": "preact-hooks.js"}),
    ("@preact/signals-core", "1.12.1", {"dist/signals-core.module.js": "signals-core.js"}),
    ("@preact/signals", "2.5.0", {"dist/signals.module.js": "signals.js"}),
)
#: How modules name each other, and what that is here.
MODULES = {
    "preact": "./preact.js",
    "preact/hooks": "./preact-hooks.js",
    "@preact/signals-core": "./signals-core.js",
}
MAP = re.compile(r"^//# sourceMappingURL=.*$", re.MULTILINE)
NAMED = re.compile(r'(from|import)(\s*)"([^".][^"]*)"')


def relative(text: str) -> str:
    """Return a module that names only files beside it."""
    return NAMED.sub(lambda found: f'{found[1]}{found[2]}"{MODULES[found[3]]}"', text)


def main() -> None:
    """Replace the files in the folder of libraries."""
    VENDOR.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for package, version, files in PACKAGES:
            command = ["npm", "pack", "--json", f"{package}@{version}"]
            done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
            archive = Path(folder) / json.loads(done.stdout)[0]["filename"]
            with tarfile.open(archive) as packed:
                for inside, name in files.items():
                    member = packed.extractfile(f"package/{inside}")
                    assert member is not None
                    text = relative(MAP.sub("", member.read().decode("utf-8"))).strip()
                    (VENDOR / name).write_text(f"// {package} {version}\n{text}\n", "utf-8")
                licence = packed.extractfile("package/LICENSE")
                assert licence is not None
                name = f"LICENSE-{package.replace('@', '').replace('/', '-')}"
                (VENDOR / name).write_bytes(licence.read())


if __name__ == "__main__":
    main()
