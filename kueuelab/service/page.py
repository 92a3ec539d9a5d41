"""The OpenAPI document as a page for people: no script, no other origin."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from importlib import resources
from typing import Any, Final

from kueuelab.messages import Catalog

__all__ = ["STYLE", "page"]

#: Its style sheet.
STYLE: Final = resources.files(__package__).joinpath("page.css").read_text("utf-8")


def page(document: Mapping[str, Any], words: Catalog, *, name: str, kueue_version: str) -> str:
    """Return the page.

    Parameters
    ----------
    document
        What :func:`kueuelab.service.openapi.document` returns.
    words
        The language.
    name
        What is served.
    kueue_version
        The release of Kueue that decides.

    Examples
    --------
    >>> from kueuelab.messages import english
    >>> from kueuelab.service.openapi import document
    >>> found = page(document("1", english()), english(), name="<two>", kueue_version="v0.19.2")
    >>> "<script" in found, "&lt;two&gt;" in found
    (False, True)
    """
    return "\n".join(_Page(document, words).lines(name, kueue_version))


class _Page:
    def __init__(self, document: Mapping[str, Any], words: Catalog) -> None:
        self._document, self._words = document, words
        self._schemas: Mapping[str, Any] = document["components"]["schemas"]

    def lines(self, name: str, kueue_version: str) -> Iterator[str]:
        info = self._document["info"]
        title = self._say("title", version=info["version"])
        yield f'<!doctype html>\n<html lang="{self._words.language}">\n<meta charset="utf-8">'
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
        yield f'<title>{title}</title>\n<link rel="stylesheet" href="style.css">'
        yield f"<h1>{title}</h1>\n<p>{escape(info['description'])}</p>"
        yield f"<p>{self._say('serves', name=name, kueue=kueue_version)}</p>"
        yield f"<p>{self._say('token')}</p>"
        yield f'<p><a href="openapi.json">{self._say("document")}</a></p>'
        yield "<ul>"
        for path, method, operation in self._operations():
            link = f'<a href="#{operation["operationId"]}"><code>{method} {path}</code></a>'
            yield f"<li>{link} {_text(operation['summary'])}</li>"
        yield "</ul>"
        for path, method, operation in self._operations():
            yield from self._operation(path, method, operation)
        yield f"<h2>{self._say('types')}</h2>"
        for type_name, schema in self._schemas.items():
            yield f'<h3 id="{type_name}"><code>{type_name}</code></h3>'
            yield f"<p>{_text(schema['description'])}</p>"
            yield from self._table(self._fields(schema))
        yield "</html>"

    def _say(self, id_: str, **values: Any) -> str:
        return escape(self._words.text(f"service.page.{id_}", **values))

    def _operations(self) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
        for path, methods in self._document["paths"].items():
            for method, operation in methods.items():
                yield path, method.upper(), operation

    def _operation(self, path: str, method: str, operation: Mapping[str, Any]) -> Iterator[str]:
        yield f'<h2 id="{operation["operationId"]}"><code>{method} {path}</code></h2>'
        yield f"<p>{_text(operation['summary'])}</p>"
        fields = list(self._parameters(operation))
        if fields:
            yield f"<h3>{self._say('fields')}</h3>"
            yield from self._table(fields)
        for type_, content in operation["responses"]["200"]["content"].items():
            shown = self._type(content["schema"]) if "json" in type_ else escape(type_)
            # The sentence is escaped before the link is put into it.
            yield f"<p>{self._say('answer', type='{type}').replace('{type}', shown)}</p>"

    def _parameters(self, operation: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        if "requestBody" in operation:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            yield from self._fields(self._schemas[_name_of(schema["$ref"])])
        for each in operation.get("parameters", ()):
            kind = self._described_type(each["schema"], required=each["required"])
            yield each["name"], kind, each["description"]

    def _fields(self, schema: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        for name, part in schema["properties"].items():
            # Of an answer, all fields are there.
            required = name in schema["required"] and len(schema["required"]) < len(
                schema["properties"]
            )
            kind = self._described_type(part, required=required)
            yield name, kind, part.get("description", "")

    def _table(self, rows: Any) -> Iterator[str]:
        heads = "".join(f"<th>{self._say(each)}</th>" for each in ("field", "type", "description"))
        yield f"<table><tr>{heads}</tr>"
        for name, kind, about in rows:
            yield f"<tr><td><code>{escape(name)}</code><td>{kind}<td>{_text(about)}"
        yield "</table>"

    def _described_type(self, schema: Mapping[str, Any], *, required: bool) -> str:
        limits = [
            self._say("limit", name=name, bound=json.dumps(bound))
            for name, bound in schema.items()
            if name.startswith(("min", "max")) or (name == "default" and bound != "")
        ]
        if required:
            limits.insert(0, self._say("required"))
        more = f'<br><span class="quiet">{", ".join(limits)}</span>' if limits else ""
        return f"{self._type(schema)}{more}"

    def _type(self, schema: Mapping[str, Any]) -> str:
        if "$ref" in schema:
            name = _name_of(schema["$ref"])
            return f'<a href="#{name}">{name}</a>'
        if "anyOf" in schema:
            inner = self._type(schema["anyOf"][0])
            return self._say("or-null", type="{type}").replace("{type}", inner)
        if schema["type"] == "array":
            inner = self._type(schema["items"])
            return self._say("list", type="{type}").replace("{type}", inner)
        return escape(schema["type"])


def _name_of(reference: str) -> str:
    return reference.rpartition("/")[2]


def _text(about: str) -> str:
    """Return a description with its code marked."""
    parts = escape(about).split("`")
    return "".join(f"<code>{part}</code>" if at % 2 else part for at, part in enumerate(parts))
