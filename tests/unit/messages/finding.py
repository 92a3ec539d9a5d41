"""Finds sentences and message ids in the source: Python, ES modules and HTML."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

PACKAGE = Path(__file__).parents[3] / "kueuelab"

_WORD = re.compile(r"(?:^|(?<=[\s(\"'“]))[A-Za-z][a-z]*(?:['’-][a-z]+)*(?=[\s,.:;?!)\"'”…]|$)")
_ID_IN_SCRIPT = re.compile(r"""["'`]([a-z][\w-]*(?:\.[\w${}-]+)+)["'`]""")
#: A word by itself: neither a name nor a part of code, a pattern or a notation.
_WORD_ALONE = re.compile(r"(?<![^\s(,;])[A-Za-z][a-z]{2,}(?=[\s,.:;?!)]|$)(?! ?[=(\\[])")
#: Classes of the style sheets, and a directive of JavaScript.
_CLASSES = re.compile(r"(kl-[\w-]+\s*)+|use strict")
#: What is filled into a text, when its words are counted.
_VALUE = "\x00"
#: How the API server begins its verdicts, by the reasons of Kubernetes' field errors.
_VERDICT = re.compile(
    r"(Duplicate value|Forbidden|Invalid value|Not found|Required value|Too few|Too long|Too many"
    r"|Unsupported value)\b"
)
#: Those who call these speak to programmers, or give patterns.
_NOT_FOR_READERS = {
    "AssertionError", "AttributeError", "IndexError", "NotImplementedError", "ReconcileError",
    "RuntimeError", "TypeError", "ValueError", "TypeVar", "compile", "fullmatch", "match",
    "search", "sub", "verbatim",
}  # fmt: skip


@dataclass(frozen=True)
class Found:
    """A text in the source that looks like a sentence."""

    file: str
    line: int
    text: str
    #: Names of the classes, functions and constants that it is in.
    inside: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text[:80]!r}"


def is_sentence(text: str) -> bool:
    """Whether two words or more are in it, or one beside a value, as in what people read."""
    text = text.strip()
    if " " not in text or (text.startswith("<") and text.endswith(">")):
        return False  # one word, or the repr of an object
    if _CLASSES.fullmatch(text) or _VERDICT.match(text) or " -> " in text:
        return False
    if _VALUE in text and _WORD_ALONE.search(text.replace(_VALUE, "\x01")):
        return True
    words = _WORD.findall(text.replace(_VALUE, " "))
    # Units and commands of drawings have one or two letters: ``translate(1px, 2px)``.
    return len(words) >= 2 and max(map(len, words)) > 2


def rooms() -> list[str]:
    """Return the rooms: packages and modules of kueuelab."""
    return sorted(path.name for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir())


def sentences(room: str) -> Iterator[Found]:
    """Find the sentences in the source of a room."""
    place = PACKAGE / room
    for path in [place] if place.is_file() else sorted(place.rglob("*")):
        name = str(path.relative_to(PACKAGE))
        if path.suffix == ".py":
            yield from _in_python(path.read_text("utf-8"), name)
        elif path.suffix == ".js":
            yield from _in_script(path.read_text("utf-8"), name)
        elif path.suffix == ".html":
            yield from _in_page(path.read_text("utf-8"), name)


def text_of(node: ast.AST) -> str | None:
    """Return the text of a string or f-string, with a mark for each value."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else _VALUE for part in node.values)
        return "".join(map(str, parts))
    return None


def _in_python(source: str, file: str) -> Iterator[Found]:
    def visit(node: ast.AST, inside: tuple[str, ...]) -> Iterator[Found]:
        match node:
            case ast.Expr(value=ast.Constant()):
                return  # a docstring
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if (
                name in _NOT_FOR_READERS
            ):
                return
            case ast.FunctionDef(name="__repr__"):
                return
            case ast.Assert(test=test):
                yield from visit(test, inside)
                return
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                inside = (*inside, name)
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                inside = (*inside, name)
        text = text_of(node)
        if text is not None:
            if is_sentence(text):
                yield Found(file, getattr(node, "lineno", 0), text, inside)
            children = [part.value for part in getattr(node, "values", ())
                        if isinstance(part, ast.FormattedValue)]  # fmt: skip
        else:
            children = list(ast.iter_child_nodes(node))
        for child in children:
            yield from visit(child, inside)

    yield from visit(ast.parse(source), ())


_SCRIPT = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|"(?P<double>(?:[^"\\\n]|\\.)*)"|'(?P<single>(?:[^'\\\n]|\\.)*)'"""
    r"""|`(?P<template>(?:[^`\\]|\\.)*)`""",
    re.DOTALL,
)


def _in_script(source: str, file: str, line: int = 1) -> Iterator[Found]:
    for found in _SCRIPT.finditer(source):
        text = found["double"] or found["single"] or ""
        if found["template"]:
            text = re.sub(r"\$\{[^}]*\}", _VALUE, found["template"])
        if is_sentence(text):
            yield Found(file, line + source.count("\n", 0, found.start()), text)


class _Page(HTMLParser):
    def __init__(self, file: str) -> None:
        super().__init__()
        self.file, self.found, self.tag = file, list[Found](), ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tag = tag
        for name, value in attrs:
            if name in ("title", "alt", "placeholder") or name.startswith("aria-"):
                self.note(value or "")

    def handle_data(self, data: str) -> None:
        line = self.getpos()[0]
        if self.tag == "script":
            self.found += _in_script(data, self.file, line)
        elif self.tag != "style":
            self.note(data)

    def note(self, text: str) -> None:
        if is_sentence(text):
            self.found.append(Found(self.file, self.getpos()[0], " ".join(text.split())))


def _in_page(source: str, file: str) -> Iterator[Found]:
    page = _Page(file)
    page.feed(source)
    yield from page.found


@dataclass(frozen=True)
class Use:
    """A message id in the source, or the pattern of one that is put together."""

    file: str
    line: int
    pattern: str
    #: The values that are given with it, if it is a call that names all of them.
    values: frozenset[str] | None = None
    is_call: bool = False


def uses() -> Iterator[Use]:
    """Find what may be a message id."""
    for path in sorted(PACKAGE.rglob("*")):
        name = str(path.relative_to(PACKAGE))
        if path.suffix == ".py":
            yield from _uses_in_python(ast.parse(path.read_text("utf-8")), name)
        elif path.suffix in (".js", ".html"):
            for found in _ID_IN_SCRIPT.finditer(path.read_text("utf-8")):
                yield Use(name, 0, re.sub(r"\\\$\\\{\w+\\\}", ".*", re.escape(found[1])))


def _uses_in_python(tree: ast.Module, file: str) -> Iterator[Use]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            id_ = text_of(node.args[0])
            if name == "Message" and id_ is not None:
                given = {word.arg for word in node.keywords}
                values = None if None in given else frozenset(map(str, given))
                yield Use(file, node.lineno, _pattern(id_), values, is_call=True)
            optional = _optional(name, node)
            if optional and id_ is not None:
                yield Use(file, node.lineno, _pattern(f"{id_}.{optional}"))
        text = text_of(node)
        if text is not None and ("." in text or _VALUE in text) and " " not in text:
            yield Use(file, getattr(node, "lineno", 0), _pattern(text))


def glued(source: str) -> Iterator[int]:
    """Yield the lines where a message becomes a part of a text: there it loses its id."""
    for node in ast.walk(ast.parse(source)):
        parts: list[ast.AST] = []
        match node:
            case ast.JoinedStr(values=values):
                parts = [each.value for each in values if isinstance(each, ast.FormattedValue)]
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                parts = [left, right]
            case ast.Call(func=ast.Attribute(value=ast.Constant(), attr="join")):
                parts = [each for inner in node.args for each in ast.walk(inner)]
        if any(
            isinstance(part, ast.Call) and getattr(part.func, "id", "") == "Message"
            for part in parts
        ):
            yield getattr(node, "lineno", 0)


def _optional(name: str, call: ast.Call) -> str:
    """Return the value by which a sentence has another form (`MessageParts.with_optional`)."""
    if name == "with_optional" and len(call.args) == 2:
        return text_of(call.args[1]) or ""
    if name == "simple":
        given = [text_of(word.value) for word in call.keywords if word.arg == "optional"]
        return (given or [""])[0] or ""
    return ""


def _pattern(text: str) -> str:
    return ".*".join(re.escape(part) for part in text.split(_VALUE))
