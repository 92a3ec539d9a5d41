"""Copies the libraries of the app's front end out of npm: ``python tests/vendor_front_end.py``.

Needs npm. Each library is one ES module, without its source map; where a module names another
library, it gets the file beside it. The editor is many small packages: esbuild makes one file of
what the app uses. Of the icons it takes the shapes of those that the app draws. Licences are kept.
`make typescript` reads the declarations.
"""

from __future__ import annotations

import json
import re
import shutil
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
#: The editor, with what it needs, and what the app uses of it.
EDITOR = {
    "@codemirror/autocomplete": "6.20.4",
    "@codemirror/commands": "6.11.1",
    "@codemirror/lang-yaml": "6.1.3",
    "@codemirror/language": "6.13.1",
    "@codemirror/lint": "6.9.8",
    "@codemirror/state": "6.7.6",
    "@codemirror/view": "6.43.15",
    "@lezer/common": "1.5.5",
    "@lezer/highlight": "1.2.5",
    "@lezer/lr": "1.4.12",
    "@lezer/yaml": "1.0.4",
    "@marijn/find-cluster-break": "1.0.4",
    "crelt": "1.0.7",
    "style-mod": "4.1.5",
    "w3c-keyname": "2.2.8",
}
ESBUILD = "0.28.2"
EXPORTS = {
    "@codemirror/autocomplete": "autocompletion, completionKeymap, startCompletion",
    "@codemirror/commands": "defaultKeymap, history, historyKeymap",
    "@codemirror/lang-yaml": "yaml",
    "@codemirror/language": "HighlightStyle, syntaxHighlighting",
    "@codemirror/lint": "lintGutter, setDiagnostics",
    "@codemirror/state": "EditorState",
    "@codemirror/view": "EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers",
    "@lezer/highlight": "tags",
}
#: The icons: what the app calls them, and what Lucide does.
LUCIDE = ("lucide-static", "1.62.0")
ICONS = {
    "home": "house",
    "overview": "layout-dashboard",
    "workloads": "list",
    "levers": "sliders-horizontal",
    "try-job": "flask-conical",
    "change": "pencil",
    "steps": "step-forward",
    "topology": "network",
    "clusters": "waypoints",
    "compare": "git-compare",
    "capacity": "chart-column",
    "upgrade": "circle-arrow-up",
    "build": "blocks",
    "exercises": "graduation-cap",
    "settings": "settings",
    "alert": "triangle-alert",
    "check": "check",
    "close": "x",
    "copy": "copy",
    "down": "chevron-down",
    "file": "file",
    "keyboard": "keyboard",
    "link": "link",
    "lock": "lock",
    "redo": "redo-2",
    "right": "chevron-right",
    "search": "search",
    "sun": "sun",
    "undo": "undo-2",
}
MAP = re.compile(r"^//# sourceMappingURL=.*$", re.MULTILINE)
NAMED = re.compile(r'(from|import)(\s*)"([^".][^"]*)"')


def relative(text: str) -> str:
    """Return a module that names only files beside it."""
    return NAMED.sub(lambda found: f'{found[1]}{found[2]}"{MODULES[found[3]]}"', text)


def editor(folder: Path) -> None:
    """Make one module of the editor."""
    named = [f"{package}@{version}" for package, version in EDITOR.items()]
    install = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"]
    subprocess.run([*install, *named], cwd=folder, check=True, capture_output=True)
    lines = [f'export {{ {names} }} from "{package}";\n' for package, names in EXPORTS.items()]
    (folder / "editor.js").write_text("".join(lines), "utf-8")
    target = VENDOR / "codemirror.js"
    packages = ", ".join(named)
    subprocess.run(
        [
            *("npx", "--yes", f"esbuild@{ESBUILD}", "editor.js", "--bundle", "--minify"),
            *("--format=esm", "--legal-comments=none", f"--banner:js=// {packages}"),
            f"--outfile={target}",
        ],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    for package in EDITOR:
        licence = folder / "node_modules" / package / "LICENSE"
        shutil.copy(licence, VENDOR / f"LICENSE-{package.replace('@', '').replace('/', '-')}")


def icons(folder: Path) -> None:
    """Write the shapes of the icons as a module."""
    package, version = LUCIDE
    with packed(folder, package, version) as archive:
        shapes = json.loads(content(archive, "icon-nodes.json"))
        (VENDOR / "LICENSE-lucide").write_bytes(content(archive, "LICENSE"))
    lines = [
        f"  {json.dumps(name)}: {json.dumps(shapes[icon], separators=(',', ':'))},\n"
        for name, icon in ICONS.items()
    ]
    text = f"// {package} {version}\nexport const LUCIDE = {{\n{''.join(lines)}}};\n"
    (VENDOR / "lucide.js").write_text(text, "utf-8")


def packed(folder: Path, package: str, version: str) -> tarfile.TarFile:
    """Return the archive of a package."""
    command = ["npm", "pack", "--json", f"{package}@{version}"]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return tarfile.open(folder / json.loads(done.stdout)[0]["filename"])


def content(archive: tarfile.TarFile, name: str) -> bytes:
    """Return a file of a package."""
    member = archive.extractfile(f"package/{name}")
    assert member is not None
    return member.read()


def main() -> None:
    """Replace the files in the folder of libraries."""
    VENDOR.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        editor(Path(folder))
        icons(Path(folder))
        for package, version, files in PACKAGES:
            with packed(Path(folder), package, version) as archive:
                for inside, name in files.items():
                    text = relative(MAP.sub("", content(archive, inside).decode("utf-8"))).strip()
                    (VENDOR / name).write_text(f"// {package} {version}\n{text}\n", "utf-8")
                name = f"LICENSE-{package.replace('@', '').replace('/', '-')}"
                (VENDOR / name).write_bytes(content(archive, "LICENSE"))


if __name__ == "__main__":
    main()
