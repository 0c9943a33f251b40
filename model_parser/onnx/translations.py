"""The table of ONNX ops: each op type, and the function that writes the ops of a node."""

from __future__ import annotations

from collections.abc import Callable

from lite.errors import GraphError, ModelParseError
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.custom_op import CustomOp
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.type_check import check_types
from lite.plugin.format import Translations
from lite.plugin.user_ops import ONNX_RULES, OpRule

Translator = Callable[[OnnxNode, BlockWriter], None]
"""Writes the ops of a node; raises `ModelParseError` by `OnnxNode.error` for a node that is not supported."""

TRANSLATIONS = Translations[Translator](
    "ONNX op",
    "lite.model_parser.onnx.ops",
    "; write an op yourself by @lite.op(…, onnx=…), or from other ops by @lite.onnx_op "
    "(docs/guide/custom_ops.md)",
)

onnx_op = TRANSLATIONS.register


def has_translation(op: str) -> bool:
    """Whether an op has a rule: a program's own one, or one of this package."""
    return op in ONNX_RULES or op in TRANSLATIONS


def translate(node: OnnxNode, writer: BlockWriter) -> None:
    """Write the ops of a node; raises `ModelParseError`, which names the node, for any invalid node."""
    check_types(node, writer)
    try:
        rule = ONNX_RULES.find(node.op) or TRANSLATIONS.get(node.op)
        if isinstance(rule, OpRule):
            CustomOp(rule.op, rule.inputs, rule.outputs).write(node, writer)
        else:
            rule(node, writer)
    except ModelParseError:
        raise
    except GraphError as error:
        raise node.error(str(error)) from error
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise node.error(f"its inputs or attributes do not fit: {type(error).__name__}: {error}") from error
