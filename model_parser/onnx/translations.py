"""The table of ONNX ops: each op type, and the function that writes the ops of a node."""

from __future__ import annotations

from collections.abc import Callable

from lite.errors import GraphError, ModelParseError
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.type_check import check_types
from lite.plugin.format import Translations

Translator = Callable[[OnnxNode, BlockWriter], None]
"""Writes the ops of a node; raises `ModelParseError` by `OnnxNode.error` for a node that is not supported."""

TRANSLATIONS = Translations[Translator]("ONNX op", "lite.model_parser.onnx.ops")

onnx_op = TRANSLATIONS.register


def translate(node: OnnxNode, writer: BlockWriter) -> None:
    """Write the ops of a node; raises `ModelParseError`, which names the node, for any invalid node."""
    check_types(node, writer)
    try:
        TRANSLATIONS.get(node.op)(node, writer)
    except ModelParseError:
        raise
    except GraphError as error:
        raise node.error(str(error)) from error
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise node.error(f"its inputs or attributes do not fit: {type(error).__name__}: {error}") from error
