"""A table of translations by op name, for formats that are translated op by op."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from lite.errors import ModelParseError, suggest
from lite.plugin.registry import Registry

T = TypeVar("T", bound=Callable[..., object])


class Translations(Generic[T]):
    """The functions that translate the ops of a format, by the op's name in the format.

    `kind` names an op of the format in messages: ``"ONNX op"``.  `advice` ends the message about
    unsupported ops.  The modules of `package` register their functions when they are imported: one that
    contains an op's name as a string literal when that op is looked up, and all of them for a name that
    none of these registers.
    """

    def __init__(self, kind: str, package: str, advice: str = "") -> None:
        self._kind = kind
        self._advice = advice
        self._package = package
        self._table: Registry[str, T] = Registry(kind)
        self._is_complete = False

    def register(self, *names: str) -> Callable[[T], T]:
        """Register a function as the translation of the ops of these names; one function per name."""

        def decorate(translate: T) -> T:
            for name in names:
                self._table.add(name, translate, translate.__module__)
            return translate

        return decorate

    def get(self, name: str) -> T:
        """The translation of an op that `check_supported` accepts."""
        self._load(name)
        return self._table.get(name)

    def __contains__(self, name: str) -> bool:
        self._load(name)
        return name in self._table

    def check_supported(self, names: Iterable[str], source: str) -> None:
        """Raise one `ModelParseError` that lists all unsupported ops, with counts and near names."""
        unsupported = Counter(name for name in names if name not in self)
        if unsupported:
            listed = ", ".join(
                f"{name} ({count}x{suggest(name, self._table).replace(';', ',').rstrip('?')})"
                for name, count in sorted(unsupported.items())
            )
            raise ModelParseError(
                f"{source}: {len(unsupported)} {self._kind} types are not supported: {listed}{self._advice}"
            )

    def _load(self, name: str) -> None:
        if self._is_complete or name in self._table:
            return
        # Imported here because it also imports the schemas of ops, which a Config does not need.
        from lite.plugin.loader import MODEL_PARSERS, load_modules, modules_by_word

        modules = modules_by_word(MODEL_PARSERS).get(name, ())
        load_modules(module for module in modules if module.startswith(f"{self._package}."))
        if name not in self._table:
            package = importlib.import_module(self._package)
            load_modules(
                f"{self._package}.{module.name}" for module in pkgutil.iter_modules(package.__path__)
            )
            self._is_complete = True
