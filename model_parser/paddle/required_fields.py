"""The check for required fields, which protobuf itself does without naming the op or variable."""

from __future__ import annotations

from typing import cast

from google.protobuf.message import EncodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet

from lite.errors import ModelParseError
from lite.model_parser.paddle.framework_pb2 import AttrType, OpDesc, ProgramDesc, VarDesc, VarType
from lite.model_parser.paddle.unknown_fields import without
from lite.model_parser.paddle.variables import LOD_KINDS, TENSOR_FIELDS

_ATTR_TYPE = 2  # OpDesc.Attr.type
_VAR_TYPE = 1  # VarType.type
_DATA_TYPE = 1  # TensorDesc.data_type


def check_required(message: ProgramDesc, source: str) -> None:
    """Raise `ModelParseError` naming the first op or variable that lacks a required field.

    protobuf reads an enum number that is newer than framework.proto as an absent field.  For the type of
    an attribute and for an element type it is accepted: most ops do not depend on it, and `extra` keeps it.
    """
    if message.IsInitialized():
        return
    for block_number, block in enumerate(message.blocks):
        where = f"{source}: block {block_number}"
        if not (block.HasField("idx") and block.HasField("parent_idx")):
            field = "parent_idx" if block.HasField("idx") else "idx"
            raise _missing(where, f"missing required fields: {field}")
        for number, var in enumerate(block.vars):
            if not var.IsInitialized():
                _check_var(var, f"{where}, variable {number} ({var.name!r})")
        for number, op in enumerate(block.ops):
            if not op.IsInitialized():
                _check_op(op, f"{where}, op {number} ({op.type or 'no type'})")
    _check_message(message.op_version_map, f"{source}: op_version_map")


def _check_var(var: VarDesc, where: str) -> None:
    if not var.type.HasField("type") and _has_unknown_field(var.type, _VAR_TYPE):
        raise ModelParseError(f"{where}: its kind is a number that this version of litebridge does not know")
    completed = without(var)
    for field, holder in completed.type.ListFields():
        if field.name not in TENSOR_FIELDS.values():
            continue
        in_lod_desc = field.name in (TENSOR_FIELDS[kind] for kind in LOD_KINDS)
        tensor: VarType.TensorDesc = holder.tensor if in_lod_desc else holder
        if not tensor.HasField("data_type") and _has_unknown_field(tensor, _DATA_TYPE):
            tensor.data_type = VarType.BOOL
    _check_message(completed, where)


def _check_op(op: OpDesc, where: str) -> None:
    completed = without(op)
    for attr in completed.attrs:
        if not attr.HasField("type") and _has_unknown_field(attr, _ATTR_TYPE):
            attr.type = cast(AttrType, 0)
    _check_message(completed, where)


def _check_message(message: Message, where: str) -> None:
    try:
        message.SerializeToString()
    except EncodeError as error:
        raise _missing(where, str(error)) from error


def _has_unknown_field(message: Message, number: int) -> bool:
    """Whether the message has the field as an unknown one: a number that the enum does not have."""
    fields = UnknownFieldSet(message)
    return any(fields[index].field_number == number for index in range(len(fields)))


def _missing(where: str, problem: str) -> ModelParseError:
    return ModelParseError(
        f"{where}: {problem}; the file may be damaged or written by another tool: export the model again"
    )
