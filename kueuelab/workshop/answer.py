"""What a learner hands in: manifests that replace those of the start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from kueuelab.errors import InputError, Problem, UnknownObjectError
from kueuelab.manifests import ModelObject, dump, encode_configuration, load, load_configuration
from kueuelab.manifests.result import Manifests
from kueuelab.messages import Message
from kueuelab.model import Configuration
from kueuelab.whatif.fields import edited
from kueuelab.whatif.references import ObjectIndex, Reference
from kueuelab.workshop.changes import FieldChange, changes_between, configured_between

__all__ = ["Answer", "edited_objects", "text_of_edits"]

#: What Kueue's own Configuration is called in answers.
_SETTINGS: Final = "Configuration"


@dataclass(frozen=True)
class Answer:
    """The manifests of the start, with those of the learner in the place of some.

    Attributes
    ----------
    start
        The manifests of the start.
    text
        What the learner wrote; objects that it leaves out stay as they are.
    name
        What to call it in messages.

    Raises
    ------
    InputError
        From every property, if the text can't be used.

    Examples
    --------
    >>> start = '''
    ... {apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: q},
    ...  spec: {clusterQueue: a}}
    ... '''
    >>> answer = Answer(start, text_of_edits(start, {"lq/q": {"spec.clusterQueue": "b"}}))
    >>> [str(change) for change in answer.changes]
    ['LocalQueue/default/q: spec.clusterQueue']
    """

    start: str
    text: str = ""
    name: str = "answer.yaml"

    @cached_property
    def before(self) -> Manifests:
        """The manifests of the start."""
        return load(self.start, name="start.yaml")

    @cached_property
    def objects(self) -> tuple[ModelObject, ...]:
        """All objects, as the answer has them."""
        known = {Reference.of(obj): obj for obj in self.before}
        given = self._given
        problems = [
            Problem(
                Message("workshop.answer.not-part"),
                object=str(reference),
                hint=Message("workshop.answer.parts", objects=", ".join(map(str, known))),
            )
            for reference in given
            if reference not in known
        ]
        if problems:
            raise InputError(problems)
        return tuple({**known, **given}.values())

    @cached_property
    def _given(self) -> dict[Reference, ModelObject]:
        return {Reference.of(obj): obj for obj in self._loaded}

    @cached_property
    def _loaded(self) -> Manifests:
        # As bytes: a text of one line could be the path of a file on this machine.
        return load(self.text.encode(), name=self.name) if self.text.strip() else Manifests()

    @property
    def configuration(self) -> Configuration | None:
        """Kueue's Configuration, if the exercise has one."""
        given = self._loaded.configuration
        if given is not None and self.before.configuration is None:
            message = Message("workshop.answer.no-configuration")
            hint = Message("workshop.answer.no-configuration.hint")
            raise InputError(Problem(message, hint=hint))
        return given or self.before.configuration

    @cached_property
    def changes(self) -> tuple[FieldChange, ...]:
        """What differs from the start, field by field."""
        before, after = self.before.configuration, self.configuration
        configured = () if before is None or after is None else configured_between(before, after)
        return (*configured, *changes_between(self.before, self.objects))


def edited_objects(
    objects: tuple[ModelObject, ...], edits: Mapping[str, Mapping[str, Any]]
) -> tuple[ModelObject, ...]:
    """Return objects with some fields changed: object to path to value.

    Raises
    ------
    InputError
        If there is no such object or field, or the value doesn't go there.
    """
    index = ObjectIndex(objects)
    result = {Reference.of(obj): obj for obj in objects}
    for name, values in edits.items():
        try:
            reference = index.find(name)
        except UnknownObjectError as error:
            raise InputError(error.problem) from error
        result[reference] = edited(result[reference], values)
    return tuple(result.values())


def text_of_edits(start: str, edits: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the manifests of the objects that edits change, as text.

    ``Configuration`` is Kueue's Configuration, where the exercise has one.
    """
    loaded = load(start, name="start.yaml")
    before = tuple(loaded)
    after = edited_objects(before, {name: it for name, it in edits.items() if name != _SETTINGS})
    changed: list[ModelObject | Configuration] = [
        new for old, new in zip(before, after, strict=True) if new != old
    ]
    if _SETTINGS in edits:
        if loaded.configuration is None:
            raise InputError(Message("workshop.answer.no-configuration"))
        changed.append(_configured(loaded.configuration, edits[_SETTINGS]))
    return dump(changed)


def _configured(configuration: Configuration, values: Mapping[str, Any]) -> Configuration:
    manifest = encode_configuration(configuration)
    for path, value in values.items():
        at = manifest
        *above, last = path.split(".")
        for name in above:
            at = at.setdefault(name, {})
        if value is None:
            at.pop(last, None)
        else:
            at[last] = value
    return load_configuration(manifest, name=_SETTINGS)
