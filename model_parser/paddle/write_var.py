"""Var → VarDesc."""

from __future__ import annotations

from typing import cast

from lite.errors import ModelParseError
from lite.ir.program import Var
from lite.ir.types import Shape
from lite.model_parser.paddle.framework_pb2 import VarDesc, VarType
from lite.model_parser.paddle.tensor_fields import LOD_KINDS, TENSOR_FIELDS


def write_var(message: VarDesc, var: Var) -> None:
    """Fill the empty `message`.  Named and unknown dims become -1, the only word that Paddle has.

    Raises `ModelParseError` for a shape, dtype or LoD level on a kind that has none, and protobuf's
    own TypeError or ValueError for values of the wrong type.
    """
    message.name = var.name
    message.type.type = cast(VarType.Type, var.kind)
    if var.persistable is not None:
        message.persistable = var.persistable
    if var.need_check_feed is not None:
        message.need_check_feed = var.need_check_feed
    if var.is_parameter is not None:
        message.is_parameter = var.is_parameter
    if var.stop_gradient is not None:
        message.stop_gradient = var.stop_gradient
    if var.dtype is not None:
        if not var.dtype.in_paddle:
            raise ModelParseError(f"Paddle has no element type {var.dtype}")
        _write_tensor(message.type, var, var.dtype.code, var.shape)
    elif var.shape is not None or var.lod_level is not None:
        raise ModelParseError("it has a shape or LoD level but no element type; set its dtype")
    if var.extra:
        message.MergeFromString(var.extra)


def _write_tensor(message: VarType, var: Var, code: int, shape: Shape | None) -> None:
    if var.kind not in TENSOR_FIELDS:
        raise ModelParseError(f"a variable of kind {var.kind.name} has no element type and no shape")
    holder = getattr(message, TENSOR_FIELDS[var.kind])
    tensor: VarType.TensorDesc = holder.tensor if var.kind in LOD_KINDS else holder
    tensor.data_type = cast(VarType.Type, code)
    if shape is None:
        raise ModelParseError("it has an element type but no shape; Paddle cannot say an unknown rank")
    tensor.dims.extend(dim if isinstance(dim, int) else -1 for dim in shape)
    if var.lod_level is None:
        return
    if var.kind not in LOD_KINDS:
        raise ModelParseError(f"a variable of kind {var.kind.name} has no LoD level")
    holder.lod_level = var.lod_level
