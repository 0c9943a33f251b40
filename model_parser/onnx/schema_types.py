"""The rules of ``type_rules`` from the schemas of the installed onnx."""

from __future__ import annotations

from collections.abc import Sequence

from onnx import defs

from lite.errors import ModelParseError
from lite.ir.types import DType
from lite.model_parser.onnx.element_types import dtype_of
from lite.model_parser.onnx.messages import TensorProto

_MAX_CHECKED_TYPES = 2
"""A slot with more types than this (bools, indices) accepts any; the op's kernel reports unsupported ones."""


def schema_rules(op: str, opset: int) -> Sequence[tuple[str, Sequence[DType]]]:
    """The rule of each input of an op; empty where ONNX does not define it."""
    if not defs.has(op, opset):
        return ()
    schema = defs.get_schema(op, opset)
    checked = {}
    for constraint in schema.type_constraints:
        names = constraint.allowed_type_strs
        checked[constraint.type_param_str] = _tensor_types(names) if len(names) <= _MAX_CHECKED_TYPES else ()
    rules = []
    for slot in schema.inputs:
        shared = slot.is_homogeneous or slot.option != defs.OpSchema.FormalParameterOption.Variadic
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
            dtype = dtype_of(TensorProto.DataType.Value(name[7:-1].upper()))
        except (ModelParseError, ValueError):
            return ()
        dtypes += [] if dtype is None else [dtype]
    return dtypes
