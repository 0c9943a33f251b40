"""Public names of a package that are imported when they are first used (PEP 562)."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from importlib import import_module


def names_of_modules(
    namespace: MutableMapping[str, object], modules: MutableMapping[str, str]
) -> Callable[[str], object]:
    """The ``__getattr__`` of a package, from its globals and the module of each name."""

    def find(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {namespace['__name__']!r} has no attribute {name!r}")
        value: object = getattr(import_module(modules[name]), name)
        namespace[name] = value
        return value

    return find
