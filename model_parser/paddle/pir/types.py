"""Types of PIR values, such as ``0.t_dtensor``, and names of element types."""

from __future__ import annotations

from lite.dataclass import dataclass
from lite.errors import ModelParseError, suggest
from lite.ir.types import UNKNOWN, DType, Shape
from lite.model_parser.paddle.pir.fields import Json, checked, field, integer64, short

_ELEMENTS = {
    "t_bool": DType.BOOL,
    "t_i8": DType.INT8,
    "t_ui8": DType.UINT8,
    "t_i16": DType.INT16,
    "t_ui16": DType.UINT16,
    "t_i32": DType.INT32,
    "t_ui32": DType.UINT32,
    "t_i64": DType.INT64,
    "t_ui64": DType.UINT64,
    "t_index": DType.INT64,
    "t_f16": DType.FLOAT16,
    "t_bf16": DType.BFLOAT16,
    "t_f32": DType.FLOAT32,
    "t_f64": DType.FLOAT64,
    "t_c64": DType.COMPLEX64,
    "t_c128": DType.COMPLEX128,
    "t_f8e4m3fn": DType.FLOAT8_E4M3FN,
    "t_f8e5m2": DType.FLOAT8_E5M2,
}
_NAMES = {str(dtype): dtype for dtype in DType if dtype.in_paddle and dtype is not DType.STRING}
_UNDEFINED = ("undefined", "undefined(all_dtype)", "all_dtype")

MAX_RANK = 32
"""The most axes of a tensor: numpy before 2.0 allows 32, Paddle 9."""


@dataclass(frozen=True)
class PirType:
    """The type of a value.

    A tensor has `dtype` and `shape`, a list of tensors `items`; a tensor array has `is_array`.  Other types,
    such as those of sparse tensors, have none of these; `encoding` names them.
    """

    encoding: str
    dtype: DType | None = None
    shape: Shape | None = None
    items: tuple[PirType, ...] | None = None
    is_array: bool = False


NONE = PirType("NULL")
"""The type of an absent value."""


def read_type(value: Json, where: str) -> PirType:
    """The type of an object ``{"#": encoding, "D": data}``.

    Raises `ModelParseError` for a malformed object and an unknown element type.
    """
    encoding = field(value, "#", str, where)
    name = encoding.partition(".")[2]
    where = f"{where}: type {encoding}"
    if name == "t_dtensor":
        data = _data(value, 2, where)
        return PirType(encoding, _element(data[0], where), _shape(data[1], where))
    if name == "t_vec":
        items = tuple(read_type(item, where) for item in field(value, "D", list, where))
        return PirType(encoding, items=items)
    if name == "t_dense_tensor_array":
        return PirType(encoding, _element(_data(value, 1, where)[0], where), is_array=True)
    return PirType(encoding, _ELEMENTS.get(name))


def read_dtype(value: Json, where: str) -> DType | None:
    """The element type of a name such as ``float32``; None for ``Undefined(ALL_DTYPE)``.

    None means the element type of the op's input.  Raises `ModelParseError` for an unknown name.
    """
    name = checked(value, str, where)
    if name.lower() in _UNDEFINED:
        return None
    if name.lower() not in _NAMES:
        raise ModelParseError(
            f"{where}: expected an element type, got {short(name)}{suggest(name.lower(), _NAMES)}"
        )
    return _NAMES[name.lower()]


def _data(value: Json, count: int, where: str) -> list[Json]:
    data: list[Json] = field(value, "D", list, where)
    if len(data) < count:
        raise ModelParseError(f"{where}: expected at least {count} items in 'D', got {len(data)}")
    return data


def _element(value: Json, where: str) -> DType:
    encoding = field(value, "#", str, f"{where}: element type")
    dtype = _ELEMENTS.get(encoding.partition(".")[2])
    if dtype is None:
        raise ModelParseError(f"{where}: element type {short(encoding)} is not supported")
    return dtype


def _shape(value: Json, where: str) -> Shape:
    dims = [integer64(dim, f"{where}: a size") for dim in checked(value, list, f"{where}: the sizes")]
    if len(dims) > MAX_RANK:
        raise ModelParseError(f"{where}: expected at most {MAX_RANK} sizes, got {len(dims)}")
    return tuple(dim if dim >= 0 else UNKNOWN for dim in dims)
