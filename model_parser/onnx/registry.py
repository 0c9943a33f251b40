"""How an ONNX op becomes ops of ours: one function, or one row of a table, for each."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable
from typing import TypeVar

from lite.errors import GraphError, ModelParseError, PluginError
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.type_check import check_types

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


@functools.cache
def translators() -> dict[str, Translator]:
    """Every translator, by the op's type; the files of the package `ops` are imported when first asked."""
    package = importlib.import_module("lite.model_parser.onnx.ops")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return _TRANSLATORS


def translate(node: OnnxNode, writer: BlockWriter) -> None:
    """Write the ops of a node; raises `ModelParseError` naming it for whatever does not fit."""
    check_types(node, writer)
    try:
        translators()[node.op](node, writer)
    except ModelParseError:
        raise
    except GraphError as error:
        raise node.error(str(error)) from error
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise node.error(f"its inputs or attributes do not fit: {type(error).__name__}: {error}") from error
