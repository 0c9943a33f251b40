"""How a PNNX operator becomes ops of ours: one function, or one row of a table, for each."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import TypeVar

from lite.errors import PluginError
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.value import Results, Value

Translator = Callable[[Call], Value | Results]
"""Writes the ops that an operator means; its result or results.

Raises `ModelParseError` by `Call.error` for what cannot be said.
"""

T = TypeVar("T", bound=Translator)

_TRANSLATORS: dict[str, Translator] = {}


def pnnx_op(*names: str) -> Callable[[T], T]:
    """Register a function as what PNNX operators of these types become."""

    def register(translator: T) -> T:
        for name in names:
            if name in _TRANSLATORS:
                raise PluginError(
                    f"PNNX operator {name} is translated twice, again by {translator.__module__}"
                )
            _TRANSLATORS[name] = translator
        return translator

    return register


def translators() -> dict[str, Translator]:
    """Every translator, by the operator's type; the files of `ops` are imported when first asked."""
    package = importlib.import_module("lite.model_parser.pnnx.ops")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return _TRANSLATORS
