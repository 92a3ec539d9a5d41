"""Texts that are not in the catalogue: which, where, and why.

A place is a module or folder of ``kueuelab``; ``::name`` means only what is in the function, class
or constant of that name.
"""

#: Rooms whose sentences are still in their code. This may only become shorter.
NOT_YET_MOVED = frozenset(
    {
        "__init__.py",
        "__main__.py",
        "bench",
        "conformance",
        "files",
        "live",
        "manifests",
        "model",
        "multikueue",
        "quantity.py",
        "queues",
        "quota",
        "scheduler",
        "simulation",
        "testing",
        "trace",
        "whatif",
        "widgets",
        "workshop",
    }
)

#: What Kueue or Kubernetes says: shown to the letter, in any language.
VERBATIM: dict[str, str] = {}

#: What looks like a sentence and is none, or is not for the readers of kueuelab.
NOT_SENTENCES: dict[str, str] = {}
