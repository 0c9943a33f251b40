"""How an ONNX op becomes ops of ours: one function, or one row of a table, for each."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import TypeVar

from lite.errors import PluginError
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode

Translator = Callable[[OnnxNode, BlockWriter], None]
"""Writes the ops that a node means; raises `ModelParseError` by `OnnxNode.error` for what cannot be said."""

T = TypeVar("T", bound=Translator)

_TRANSLATORS: dict[str, Translator] = {}


def onnx_op(*names: str) -> Callable[[T], T]:
    """Register a function as what ONNX ops of these types become."""

    def register(translator: T) -> T:
        for name in names:
            if name in _TRANSLATORS:
                raise PluginError(f"ONNX op {name} is translated twice, again by {translator.__module__}")
            _TRANSLATORS[name] = translator
        return translator

    return register


def translators() -> dict[str, Translator]:
    """Every translator, by the op's type; the files of the package `ops` are imported when first asked."""
    package = importlib.import_module("lite.model_parser.onnx.ops")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return _TRANSLATORS
