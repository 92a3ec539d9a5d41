"""No module of the package runs what a file says: no pickles, no eval, no unsafe YAML."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from kueuelab.frozen import fast_init

ROOT = Path(__file__).parents[1] / "kueuelab"
#: Whoever reads a file with one of these may run what is in it.
UNSAFE_MODULES = frozenset(
    {"pickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "jsonpickle"}
)
UNSAFE_CALLS = frozenset({"eval", "exec", "compile", "__import__", "breakpoint"})
RUNS_FILES = frozenset({"runpy", "imp", "code", "codeop"})
#: Copies of a run in memory; the learner's own ``answer.py``.
COPIES = "whatif/copies.py"
OWN_SCRIPT = "workshop/scripts.py"
#: Keys of a dict in memory, which nothing reads back.
KEYS = "trace/compact_values.py"
#: The lines of an initializer, which ``dataclass`` makes of the names of fields in the same way.
INITIALIZERS = "frozen.py"


def parsed(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text("utf-8"))


def modules() -> list[str]:
    return sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


def unsafe(tree: ast.Module) -> Iterator[str]:
    """Yield what runs text or guesses types: calls by name, YAML without a safe loader."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        said = ast.unparse(node.func)
        if said in UNSAFE_CALLS or said.removeprefix("builtins.") in UNSAFE_CALLS:
            yield ast.unparse(node)
        if said in ("os.system", "os.popen", "os.execv", "pty.spawn"):
            yield ast.unparse(node)
        if any(each.arg == "shell" for each in node.keywords):
            yield ast.unparse(node)
        if said in ("yaml.unsafe_load", "yaml.full_load", "yaml.load_all", "yaml.full_load_all"):
            yield ast.unparse(node)
        if said == "yaml.load" and "SafeLoader" not in ast.unparse(node):
            yield ast.unparse(node)
        if said.endswith("import_module") and not safe_import(node):
            yield ast.unparse(node)
        if said.endswith(("read_pickle", "allow_pickle")):
            yield ast.unparse(node)


def safe_import(node: ast.Call) -> bool:
    """Tell whether a module that is imported by name is one of the package."""
    said = ast.unparse(node.args[0])
    return said.startswith(("'kueuelab.", "f'kueuelab.", "f'{__name__}."))


@pytest.mark.parametrize(
    "code",
    [
        "eval(text)",
        "builtins.exec(text)",
        "yaml.load(text)",
        "yaml.load(text, Loader=yaml.Loader)",
        "yaml.unsafe_load(text)",
        "import_module(text)",
        "subprocess.run(text, shell=True)",
        "pd.read_pickle(path)",
    ],
)
def test_what_is_unsafe_is_found(code: str) -> None:
    assert list(unsafe(ast.parse(code))) == [code]


def test_no_module_runs_what_it_reads() -> None:
    found = {path: list(unsafe(parsed(path))) for path in modules()}
    assert len(found) > 300, "all of the package is looked at"
    del found[INITIALIZERS]  # see below
    assert {path: calls for path, calls in found.items() if calls} == {}


def test_initializers_are_made_of_names_of_fields_in_the_code() -> None:
    """``exec`` is there once; what it is given has names of fields, and classes are decorated."""
    (call,) = unsafe(parsed(INITIALIZERS))
    assert call.startswith("exec(")
    text = (ROOT / INITIALIZERS).read_text("utf-8")
    assert "each.name.isidentifier()" in text
    for path in modules():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("fast_init"):
                pytest.fail(f"{path} calls fast_init: it decorates classes, and makes none")


def test_a_field_whose_name_is_code_is_refused() -> None:
    made = dataclass(frozen=True, slots=True)(type("Made", (), {"__annotations__": {"x": int}}))
    made.__dataclass_fields__["x"].name = "x=print(1)"  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="Made is no frozen dataclass"):
        fast_init(made)


def test_who_imports_what_could_run_a_file() -> None:
    names = UNSAFE_MODULES | RUNS_FILES
    found = {path: names & set(imported(parsed(path))) for path in modules()}
    assert {path: some for path, some in found.items() if some} == {
        COPIES: {"pickle"},
        KEYS: {"marshal"},
        OWN_SCRIPT: {"runpy"},
    }


def test_marshal_only_makes_keys() -> None:
    used = {
        ast.unparse(node)
        for node in ast.walk(parsed(KEYS))
        if isinstance(node, ast.Attribute) and ast.unparse(node).startswith("marshal.")
    }
    assert used == {"marshal.dumps"}


def test_yaml_is_read_with_safe_loaders_only() -> None:
    unsafe_bases = {"Loader", "FullLoader", "UnsafeLoader", "CLoader", "CFullLoader"}
    unsafe_bases |= {"Constructor", "FullConstructor", "UnsafeConstructor"}
    for path in modules():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Attribute) and ast.unparse(node).startswith("yaml."):
                assert node.attr not in unsafe_bases, path
            if isinstance(node, ast.Constant) and node.value in unsafe_bases - {"Loader"}:
                pytest.fail(f"{path} takes {node.value} by its name")


def test_only_copies_made_in_memory_are_unpickled() -> None:
    """What is unpickled was packed by the same object, from a run, into bytes of its own."""
    tree = parsed(COPIES)
    used = {
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and ast.unparse(node).startswith("pickle.")
    }
    assert used == {"pickle.Pickler", "pickle.Unpickler", "pickle.HIGHEST_PROTOCOL"}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    unpacked = [node for node in calls if ast.unparse(node.func) == "_Unpacker"]
    assert [ast.unparse(node.args[0]) for node in unpacked] == ["self._packed"]
    given = [
        ast.unparse(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "self._packed"
    ]
    assert given == ["self._pack(player)"]
    assert not any(ast.unparse(node.func).endswith(("open", "read_bytes")) for node in calls)
    private = ("_Unpacker", "copies import _", "_copies._packed")
    for path in modules():
        if path != COPIES:
            text = (ROOT / path).read_text("utf-8")
            assert not any(name in text for name in private), path
