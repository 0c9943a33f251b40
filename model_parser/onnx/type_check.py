"""The check of a node's input types against the type constraints of its ONNX schema."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import onnx

from lite.errors import ModelParseError
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.element_types import dtype_of
from lite.model_parser.onnx.node import OnnxNode

_MAX_CHECKED_TYPES = 2
"""A slot with more types than this (bools, indices) accepts any; the op's kernel reports unsupported ones."""


def check_types(node: OnnxNode, writer: BlockWriter) -> None:
    """Raise `ModelParseError` where inputs of one type variable differ, or an index is not an integer."""
    rules = _rules(node.op, node.opset)
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


@functools.cache
def _rules(op: str, opset: int) -> Sequence[tuple[str, Sequence[DType]]]:
    """For each input the name of its type variable, or "", and its types where they are checked."""
    if not onnx.defs.has(op, opset):
        return ()
    schema = onnx.defs.get_schema(op, opset)
    checked = {}
    for constraint in schema.type_constraints:
        names = constraint.allowed_type_strs
        checked[constraint.type_param_str] = _tensor_types(names) if len(names) <= _MAX_CHECKED_TYPES else ()
    rules = []
    for slot in schema.inputs:
        shared = slot.is_homogeneous or slot.option != onnx.defs.OpSchema.FormalParameterOption.Variadic
        types = checked.get(slot.type_str, _tensor_types([slot.type_str]))
        rules.append((slot.type_str if shared else "", types))
    return rules


def _tensor_types(names: Sequence[str]) -> Sequence[DType]:
    """The element types of names such as ``tensor(int64)``; empty where one is not a tensor."""
    dtypes: list[DType] = []
    for name in names:
        if not (name.startswith("tensor(") and name.endswith(")")):
            return ()
        try:
            dtype = dtype_of(onnx.TensorProto.DataType.Value(name[7:-1].upper()))
        except (ModelParseError, ValueError):
            return ()
        dtypes += [] if dtype is None else [dtype]
    return dtypes
