"""Variables of a block: VarDesc of framework.proto to and from `Var`."""

from __future__ import annotations

from typing import cast

from lite.errors import ModelParseError
from lite.ir.program import Var, VarKind
from lite.ir.types import DType, Shape
from lite.model_parser.paddle.framework_pb2 import INT, VarDesc, VarType
from lite.model_parser.paddle.unknown_fields import is_empty, without

TENSOR_FIELDS = {
    VarKind.TENSOR: "lod_tensor",
    VarKind.TENSOR_ARRAY: "tensor_array",
    VarKind.SELECTED_ROWS: "selected_rows",
    VarKind.STRING: "string",
    VarKind.STRINGS: "strings",
    VarKind.VOCAB: "vocab",
    VarKind.SPARSE_COO: "sparse_coo",
    VarKind.SPARSE_CSR: "sparse_csr",
}
"""The field of VarType that holds the TensorDesc of each kind; other kinds hold no tensor."""

UNKNOWN_RANK = "litebridge_unknown_rank"
"""The attribute of a VarDesc that marks a tensor of unknown rank, whose dims are empty as a scalar's."""

LOD_KINDS = {VarKind.TENSOR, VarKind.TENSOR_ARRAY}
"""Kinds whose field is a LoDTensorDesc: a TensorDesc and a LoD level."""

_TENSOR_NUMBERS = {
    kind: VarType.DESCRIPTOR.fields_by_name[name].number for kind, name in TENSOR_FIELDS.items()
}
_KINDS = {int(kind): kind for kind in VarKind}
_DTYPES = {dtype.code: dtype for dtype in DType if dtype.in_paddle}


def read_var(message: VarDesc, has_unknown: bool) -> Var:
    """One variable; `has_unknown` tells whether unknown fields must be looked for.

    `extra` keeps the whole TensorDesc of an unsupported element type, and the variable then has neither
    dtype nor shape.  Raises `ModelParseError` for an unknown kind.
    """
    fields = {field.number: value for field, value in message.ListFields()}
    name: str = fields[1]
    if isinstance(name, bytes):
        raise ModelParseError("the name is not UTF-8 text")
    if not message.type.HasField("type") or message.type.type not in _KINDS:
        raise ModelParseError(
            f"the kind is not one of a variable; expected one of {', '.join(kind.name for kind in VarKind)}"
        )
    kind = _KINDS[message.type.type]
    var = Var(
        name,
        kind,
        persistable=fields.get(3),
        need_check_feed=fields.get(4),
        is_parameter=fields.get(5),
        stop_gradient=fields.get(6),
    )
    type_fields = {field.number: value for field, value in message.type.ListFields()}
    holder = type_fields.get(_TENSOR_NUMBERS.get(kind, 0))
    if holder is not None:
        tensor: VarType.TensorDesc = holder.tensor if kind in LOD_KINDS else holder
        dtype = _DTYPES.get(tensor.data_type) if tensor.HasField("data_type") else None
        if dtype is not None:
            marks = (attr.name for attr in fields.get(7, ()))
            var.dtype, var.shape = dtype, None if UNKNOWN_RANK in marks else tuple(tensor.dims)
            if kind in LOD_KINDS and holder.HasField("lod_level"):
                var.lod_level = holder.lod_level
    if has_unknown or 7 in fields or len(type_fields) != 1 + (var.dtype is not None):
        var.extra = _extra(message, var)
    return var


def write_var(message: VarDesc, var: Var) -> None:
    """Fill the empty `message`.  Symbolic and unknown dims become -1, the only unknown size in Paddle.

    An unknown rank, which Paddle does not have, is marked by an attribute.

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
        if var.shape is None:
            message.attrs.add(name=UNKNOWN_RANK, type=INT, i=1)
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
    tensor.dims.extend(dim if isinstance(dim, int) else -1 for dim in shape or ())
    if var.lod_level is None:
        return
    if var.kind not in LOD_KINDS:
        raise ModelParseError(f"a variable of kind {var.kind.name} has no LoD level")
    holder.lod_level = var.lod_level


def _extra(message: VarDesc, var: Var) -> bytes:
    """The fields of the message that `var` has no place for."""
    rest = without(message, "name", "persistable", "need_check_feed", "is_parameter", "stop_gradient")
    if var.dtype is not None:
        _clear_tensor(rest.type, var.kind)
        if var.shape is None:
            kept = [attr for attr in rest.attrs if attr.name != UNKNOWN_RANK]
            del rest.attrs[:]
            rest.attrs.extend(kept)
    rest.type.ClearField("type")
    if is_empty(rest.type):
        rest.ClearField("type")
    return rest.SerializePartialToString()


def _clear_tensor(message: VarType, kind: VarKind) -> None:
    field = TENSOR_FIELDS[kind]
    holder = getattr(message, field)
    tensor: VarType.TensorDesc = holder.tensor if kind in LOD_KINDS else holder
    tensor.ClearField("data_type")
    tensor.ClearField("dims")
    if kind in LOD_KINDS:
        holder.ClearField("lod_level")
        if is_empty(tensor):
            holder.ClearField("tensor")
    if is_empty(holder):
        message.ClearField(field)
