"""The check of a node's input types against the type constraints of its ONNX schema."""

from __future__ import annotations

from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.type_rules import type_rules


def check_types(node: OnnxNode, writer: BlockWriter) -> None:
    """Raise `ModelParseError` where inputs of one type variable differ, or an index is not an integer."""
    rules = type_rules(node.op, node.opset)
    bound: dict[str, tuple[int, DType]] = {}
    for position, name in enumerate(node.inputs):
        if not rules or not name:
            continue
        variable, allowed = rules[min(position, len(rules) - 1)]
        dtype, _ = writer.type_of(name)
        if dtype is None or not variable:
            continue
        if allowed and dtype not in allowed:
            expected = " or ".join(map(str, allowed))
            raise node.error(f"input {position} ({name!r}): expected {expected}, got {dtype}")
        first, same = bound.setdefault(variable, (position, dtype))
        if dtype != same:
            raise node.error(
                f"input {position} ({name!r}): expected {same}, as input {first} is, got {dtype}"
            )
