"""The OpenAPI document of the service, made of the dataclasses of requests and answers."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, Final

from kueuelab.messages import Catalog
from kueuelab.service.operations import OPERATIONS, Operation
from kueuelab.session.answers import Failure
from kueuelab.session.schema import classes_of, definitions
from kueuelab.session.wire import camel

__all__ = ["described", "document"]

_PLACE: Final = "#/components/schemas/"
#: What may go wrong with any operation, and with those that have a body.
_ERRORS: Final = (400, 401, 403, 404, 422, 429, 500, 503)
_ERRORS_OF_BODIES: Final = (*_ERRORS, 413, 415)
_ATTRIBUTES: Final = re.compile(r"^Attributes\n-+\n", re.MULTILINE)


def document(version: str, words: Catalog) -> dict[str, Any]:
    """Return the document as plain JSON.

    Parameters
    ----------
    version
        The version of kueuelab.
    words
        The language of the descriptions of errors.

    Examples
    --------
    >>> from kueuelab.messages import english
    >>> sorted(document("1", english())["paths"])
    ['/metrics', '/v1/compare', '/v1/levers', '/v1/lint', '/v1/pending', '/v1/try', '/v1/why']
    """
    bodies = [each.request for each in OPERATIONS.values() if each.method == "POST"]
    answers = [each.answer for each in OPERATIONS.values()]
    paths: dict[str, Any] = {}
    for name, operation in OPERATIONS.items():
        item = paths.setdefault(operation.path, {})
        item[operation.method.lower()] = _operation(name, operation, words)
    paths["/metrics"] = {"get": _metrics(words)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "kueuelab",
            "version": version,
            "description": words.text("service.page.about"),
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": _schemas([*bodies, *answers, Failure]),
        },
    }


def described(cls: type[Any]) -> tuple[str, Mapping[str, str]]:
    """Return what the docstring of a dataclass says of it, and of its fields.

    Examples
    --------
    >>> from kueuelab.service.requests import Lint
    >>> described(Lint)[1]["count"]
    'How many findings.'
    """
    whole, *attributes = _ATTRIBUTES.split(inspect.getdoc(cls) or "")
    about: dict[str, str] = {}
    for names, text in _entries(attributes[0] if attributes else ""):
        about |= {camel(name.strip()): text for name in names.split(",")}
    return " ".join(whole.split()).replace("``", "`"), about


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names and the description of each entry of a section of a docstring."""
    for entry in re.split(r"\n(?=\S)", text.strip()):
        names, _, about = entry.partition("\n")
        if about:
            yield names, " ".join(about.split()).replace("``", "`")


def _operation(name: str, operation: Operation, words: Catalog) -> dict[str, Any]:
    about, _ = described(operation.request)
    found: dict[str, Any] = {"operationId": name, "summary": about}
    if operation.method == "GET":
        found["parameters"] = _parameters(operation.request)
    else:
        schema = {"$ref": f"{_PLACE}{operation.request.__name__}"}
        content = {"application/json": {"schema": schema}}
        found["requestBody"] = {"required": True, "content": content}
    answer = {"$ref": f"{_PLACE}{operation.answer.__name__}"}
    found["responses"] = {
        "200": {
            "description": described(operation.answer)[0],
            "content": {"application/json": {"schema": answer}},
        },
        **_failures(_ERRORS if operation.method == "GET" else _ERRORS_OF_BODIES, words),
    }
    return found


def _parameters(request: type[Any]) -> list[dict[str, Any]]:
    about = described(request)[1]
    schema = definitions([request], _PLACE)[request.__name__]
    return [
        {
            "name": name,
            "in": "query",
            "required": name in schema["required"],
            "description": about.get(name, ""),
            "schema": {**part, **_default(request, name)},
        }
        for name, part in schema["properties"].items()
    ]


def _default(cls: type[Any], name: str) -> dict[str, Any]:
    found = next(each.default for each in fields(cls) if camel(each.name) == name)
    return {"default": found} if isinstance(found, str | int | bool) else {}


def _schemas(roots: list[type[Any]]) -> dict[str, Any]:
    """Return the schemas of dataclasses, with what their docstrings say."""
    found = definitions(roots, _PLACE)
    for cls in classes_of(roots):
        about, of_fields = described(cls)
        schema = found[cls.__name__]
        schema["description"] = about
        for name, text in of_fields.items():
            schema["properties"][name]["description"] = text
    return found


def _metrics(words: Catalog) -> dict[str, Any]:
    content = {"text/plain": {"schema": {"type": "string"}}}
    about = words.text("service.page.metrics")
    return {
        "operationId": "metrics",
        "summary": about,
        "responses": {
            "200": {"description": about, "content": content},
            **_failures((401, 403, 429, 500, 503), words),
        },
    }


def _failures(codes: tuple[int, ...], words: Catalog) -> dict[str, Any]:
    schema = {"$ref": f"{_PLACE}{Failure.__name__}"}
    return {
        str(code): {
            "description": words.text(f"service.page.{code}"),
            "content": {"application/json": {"schema": schema}},
        }
        for code in sorted(codes)
    }
