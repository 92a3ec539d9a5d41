"""The app as a site: what its wheels hold, and what is said when something is missing."""

from __future__ import annotations

import ast
import io
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import kueuelab
from kueuelab.app.pages import index_page, page_files
from kueuelab.app.site import PYODIDE_VERSION, write_site
from kueuelab.app.wheels import BARE, ROOMS, kueuelab_wheel, pyyaml_wheel
from kueuelab.errors import KueueLabError
from kueuelab.messages import english

CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")


def test_the_session_needs_only_the_rooms_of_the_wheel(tmp_path: Path) -> None:
    for wheel in (kueuelab_wheel(), pyyaml_wheel()):
        (tmp_path / wheel.file).write_bytes(wheel.content)
    # Isolated, so that no other copy is found; modules are taken from the zips as in a browser.
    code = (
        f"import sys; sys.path[:0] = {[str(each) for each in sorted(tmp_path.iterdir())]}\n"
        "from kueuelab.session.prepared import prepared\n"
        "handler = prepared()\n"
        "import kueuelab, yaml\n"
        "assert '.whl' in kueuelab.__file__ and '.whl' in yaml.__file__\n"
        "assert not hasattr(yaml, 'CSafeLoader')\n"
        "assert handler.answer({'do': 'exercises'})['count'] > 20\n"
        "print(handler.answer({'do': 'open', 'source': 'loop-1-the-victim-returns'})['branch'])\n"
        "print({name.split('.')[1] for name in sys.modules if name.startswith('kueuelab.')})\n"
    )
    command = [sys.executable, "-I", "-c", code]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    branch, rooms = found.stdout.splitlines()
    assert branch == "loop-1-the-victim-returns"
    assert set(ROOMS) <= eval(rooms)


def test_the_wheel_is_small_and_the_same_each_time() -> None:
    wheel = kueuelab_wheel()
    assert len(wheel.content) <= 1_400_000
    assert wheel == kueuelab_wheel()
    names = zipfile.ZipFile(io.BytesIO(wheel.content)).namelist()
    for other in ("live", "workshop/classroom", "notebooks", "app", "cli", "widgets"):
        assert not [name for name in names if name.startswith(f"kueuelab/{other}/")]
    assert "kueuelab/exercises/within-a-team/exercise.yaml" in names
    assert "kueuelab-0.1.0.dist-info/RECORD" in names


def test_what_the_wheel_leaves_out_of_a_module_decides_nothing() -> None:
    wheel = zipfile.ZipFile(io.BytesIO(kueuelab_wheel().content))
    root = Path(kueuelab.__file__).parents[1]
    for name in BARE:
        assert wheel.read(name) == b""
    compared = 0
    for name in wheel.namelist():
        if name in BARE or not name.endswith(".py") or not (root / name).exists():
            continue
        short, whole = (
            _statements(text) for text in (wheel.read(name), (root / name).read_bytes())
        )
        assert short == whole, name
        compared += 1
    assert compared > 400


class _Statements(ast.NodeTransformer):
    """Leaves out what is said to readers and type checkers."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) else node

    def visit_Pass(self, _: ast.Pass) -> None:
        return None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        if not any(getattr(each, "attr", "") == "register" for each in node.decorator_list):
            for each in ast.walk(node.args):
                if isinstance(each, ast.arg):
                    each.annotation = None
        self.generic_visit(node)
        return node


def _statements(code: bytes) -> str:
    return ast.dump(_Statements().visit(ast.parse(code)))


@pytest.mark.parametrize("engine", ["machine", "page"])
def test_a_page_names_its_engine_and_files_that_are_there(engine: str) -> None:
    page = index_page(engine).decode()
    assert f'data-engine="{engine}"' in page
    names = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert "front.js" in names
    assert set(names) <= set(page_files())


def pyodide(folder: Path, version: str = PYODIDE_VERSION) -> Path:
    """Make a folder that has the names of Pyodide's files."""
    folder.mkdir()
    for name in CORE:
        (folder / name).write_bytes(b"")
    (folder / "pyodide-lock.json").write_text('{"packages": {}}', "utf-8")
    (folder / "package.json").write_text(json.dumps({"version": version}), "utf-8")
    return folder


def refused(folder: Path, core: Path) -> str:
    with pytest.raises(KueueLabError) as caught:
        write_site(folder, core, english())
    return caught.value.render(english())


def test_it_says_what_is_missing_and_how_to_get_it(tmp_path: Path) -> None:
    said = refused(tmp_path / "site", tmp_path)
    assert "pyodide.mjs is missing" in said
    assert f"npm pack pyodide@{PYODIDE_VERSION}" in said
    assert "this version of kueuelab needs" in refused(
        tmp_path / "site", pyodide(tmp_path / "old", "0.1.0")
    )
    assert not (tmp_path / "site").exists()


def test_node_has_to_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    said = refused(tmp_path / "site", pyodide(tmp_path / "core"))
    assert said.startswith("node is not installed")


def test_a_folder_with_other_files_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: "node")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("mine", "utf-8")
    assert "has files that are not of the app" in refused(
        tmp_path / "site", pyodide(tmp_path / "core")
    )
    assert [each.name for each in (tmp_path / "site").iterdir()] == ["index.html"]
