"""VarDesc → Var, with what a Var has no field for as `extra`."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import Var, VarKind
from lite.ir.types import DType
from lite.model_parser.paddle.framework_pb2 import VarDesc, VarType
from lite.model_parser.paddle.leftover import is_empty
from lite.model_parser.paddle.tensor_fields import LOD_KINDS, TENSOR_FIELDS, TENSOR_NUMBERS

_KINDS = {int(kind): kind for kind in VarKind}
_DTYPES = {dtype.code: dtype for dtype in DType if dtype.in_paddle}


def read_var(message: VarDesc, unknown: bool) -> Var:
    """One variable; `unknown` says that unknown fields must be looked for.

    A tensor description whose element type is not one of ours stays in `extra` whole, and the
    variable has neither dtype nor shape.  Raises `ModelParseError` for a kind that we do not know.
    """
    fields = {field.number: value for field, value in message.ListFields()}
    name: str = fields[1]
    if isinstance(name, bytes):
        raise ModelParseError("the name is not UTF-8 text")
    if not message.type.HasField("type") or message.type.type not in _KINDS:
        raise ModelParseError(
            f"its kind is not one that variables have; known: {', '.join(kind.name for kind in VarKind)}"
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
    parts = {field.number: value for field, value in message.type.ListFields()}
    holder = parts.get(TENSOR_NUMBERS.get(kind, 0))
    if holder is not None:
        tensor: VarType.TensorDesc = holder.tensor if kind in LOD_KINDS else holder
        dtype = _DTYPES.get(tensor.data_type) if tensor.HasField("data_type") else None
        if dtype is not None:
            var.dtype, var.shape = dtype, tuple(tensor.dims)
            if kind in LOD_KINDS and holder.HasField("lod_level"):
                var.lod_level = holder.lod_level
    if unknown or 7 in fields or len(parts) != 1 + (var.dtype is not None):
        var.extra = _rest(message, var)
    return var


def _rest(message: VarDesc, var: Var) -> bytes:
    """What is left of the message without what `var` holds."""
    rest = VarDesc()
    rest.CopyFrom(message)
    for field in ("name", "persistable", "need_check_feed", "is_parameter", "stop_gradient"):
        rest.ClearField(field)
    if var.dtype is not None:
        _strip_tensor(rest.type, var.kind)
    rest.type.ClearField("type")
    if is_empty(rest.type):
        rest.ClearField("type")
    return rest.SerializePartialToString()


def _strip_tensor(rest: VarType, kind: VarKind) -> None:
    field = TENSOR_FIELDS[kind]
    holder = getattr(rest, field)
    tensor: VarType.TensorDesc = holder.tensor if kind in LOD_KINDS else holder
    tensor.ClearField("data_type")
    tensor.ClearField("dims")
    if kind in LOD_KINDS:
        holder.ClearField("lod_level")
        if is_empty(tensor):
            holder.ClearField("tensor")
    if is_empty(holder):
        rest.ClearField(field)
