"""Required fields that a program lacks."""

from __future__ import annotations

from google.protobuf.unknown_fields import UnknownFieldSet

from lite.errors import ModelParseError
from lite.model_parser.paddle.framework_pb2 import OpDesc, ProgramDesc, VarDesc
from lite.model_parser.paddle.tensor_fields import TENSOR_FIELDS

_ATTR_TYPE = 2  # OpDesc.Attr.type
_VAR_TYPE = 1  # VarType.type
_DATA_TYPE = 1  # TensorDesc.data_type


def check_required(message: ProgramDesc, source: str) -> None:
    """Raise `ModelParseError` naming the first op or variable that lacks a required field.

    A type number newer than ours reads like an absent field.  It is let pass for an attribute and for
    an element type: most such ops do not depend on it, and `extra` keeps it.
    """
    if message.IsInitialized():
        return
    for block_number, block in enumerate(message.blocks):
        where = f"{source}: block {block_number}"
        for field in ("idx", "parent_idx"):
            if not block.HasField("idx" if field == "idx" else "parent_idx"):
                raise _missing(where, field)
        for number, var in enumerate(block.vars):
            if not var.IsInitialized():
                _check_var(var, f"{where}, variable {number} ({var.name!r})")
        for number, op in enumerate(block.ops):
            if not op.IsInitialized():
                _check_op(op, f"{where}, op {number} ({op.type or 'no type'})")
    if message.HasField("op_version_map") and not message.op_version_map.IsInitialized():
        raise _missing(f"{source}: op_version_map", message.op_version_map.FindInitializationErrors()[0])


def _check_var(var: VarDesc, where: str) -> None:
    known = VarDesc()
    known.CopyFrom(var)
    if var.HasField("type") and not var.type.HasField("type") and _holds(var.type, _VAR_TYPE):
        raise ModelParseError(f"{where}: its kind is a number that this version does not know")
    for field in TENSOR_FIELDS.values():
        if known.type.HasField(field):  # type: ignore[arg-type]
            holder = getattr(known.type, field)
            tensor = holder.tensor if hasattr(holder, "tensor") else holder
            if not tensor.HasField("data_type") and _holds(tensor, _DATA_TYPE):
                tensor.data_type = 0
    if not known.IsInitialized():
        raise _missing(where, known.FindInitializationErrors()[0])


def _check_op(op: OpDesc, where: str) -> None:
    known = OpDesc()
    known.CopyFrom(op)
    for attr in known.attrs:
        if not attr.HasField("type") and _holds(attr, _ATTR_TYPE):
            attr.type = 0
    if not known.IsInitialized():
        raise _missing(where, known.FindInitializationErrors()[0])


def _holds(message: object, number: int) -> bool:
    """Whether the message holds the field as an unknown one: an enum number that is none of ours."""
    return any(field.field_number == number for field in UnknownFieldSet(message))


def _missing(where: str, field: str) -> ModelParseError:
    return ModelParseError(
        f"{where}: the required field {field!r} is missing; the file may be damaged or written by another "
        "tool: export the model again"
    )
