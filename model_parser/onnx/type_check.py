"""Whether the element types of a node's inputs are those that ONNX lets it have together."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import onnx

from lite.errors import ModelParseError
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.element_types import dtype_of
from lite.model_parser.onnx.node import OnnxNode

_FEW = 2
"""Types of a slot that takes truth values or indices; elsewhere what a kernel cannot do is reported there."""


def check_types(node: OnnxNode, writer: BlockWriter) -> None:
    """Raise `ModelParseError` where inputs that must share a type differ, or one is no index or truth."""
    rules = _rules(node.op, node.opset)
    found: dict[str, tuple[int, DType]] = {}
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
        first, same = found.setdefault(variable, (position, dtype))
        if dtype != same:
            raise node.error(
                f"input {position} ({name!r}): expected {same}, as input {first} is, got {dtype}"
            )


@functools.cache
def _rules(op: str, opset: int) -> Sequence[tuple[str, Sequence[DType]]]:
    """Of each input the name of its type, "" for any, and all types it may have where these are few."""
    if not onnx.defs.has(op, opset):
        return ()
    schema = onnx.defs.get_schema(op, opset)
    few = {}
    for constraint in schema.type_constraints:
        names = constraint.allowed_type_strs
        few[constraint.type_param_str] = _tensor_types(names) if len(names) <= _FEW else ()
    rules = []
    for slot in schema.inputs:
        shared = slot.is_homogeneous or slot.option != onnx.defs.OpSchema.FormalParameterOption.Variadic
        known = few.get(slot.type_str, _tensor_types([slot.type_str]))
        rules.append((slot.type_str if shared else "", known))
    return rules


def _tensor_types(names: Sequence[str]) -> Sequence[DType]:
    """The element types of names as ``tensor(int64)``; none where one is something else."""
    found: list[DType] = []
    for name in names:
        if not (name.startswith("tensor(") and name.endswith(")")):
            return ()
        try:
            dtype = dtype_of(onnx.TensorProto.DataType.Value(name[7:-1].upper()))
        except (ModelParseError, ValueError):
            return ()
        found += [] if dtype is None else [dtype]
    return found
