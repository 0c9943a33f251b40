"""Element types, layouts, shapes and places, which programs, graphs and kernels share."""

from __future__ import annotations

import enum
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.dataclass import dataclass
from lite.errors import GraphError, suggest

Array = np.ndarray[Any, np.dtype[Any]]
"""An array of any element type."""

UNKNOWN = "?"
"""A dimension of unknown size; two unknown dimensions may differ."""

Dim = int | str
"""A size, the name of a symbolic size (equal names are equal sizes), or `UNKNOWN`."""

Shape = tuple[Dim, ...]
"""The dimensions of a tensor, outermost first; ``()`` is a scalar."""

Lod = tuple[tuple[int, ...], ...]
"""Level of detail (Paddle's LoD): for each level the offsets that divide axis 0 into sequences."""

NO_LOD: Lod = ()
"""The LoD of a tensor that is not divided into sequences."""


class DType(enum.Enum):
    """An element type: its name is `label`, and `code` is its number in Paddle's ``VarType.Type``.

    Attributes such as ``cast.out_dtype`` hold codes.  Types that Paddle lacks have codes from 1000 on;
    they can be moved, cast, quantised and dequantised, and of the kinds in `lite.ops.schema` only ``any``
    accepts them.  Arrays store sub-byte types as one element per byte.
    """

    BOOL = ("bool", 0)
    INT16 = ("int16", 1)
    INT32 = ("int32", 2)
    INT64 = ("int64", 3)
    FLOAT16 = ("float16", 4)
    FLOAT32 = ("float32", 5)
    FLOAT64 = ("float64", 6)
    UINT8 = ("uint8", 20)
    INT8 = ("int8", 21)
    BFLOAT16 = ("bfloat16", 22)
    COMPLEX64 = ("complex64", 23)
    COMPLEX128 = ("complex128", 24)
    STRING = ("string", 25)
    FLOAT8_E4M3FN = ("float8_e4m3fn", 32)
    FLOAT8_E5M2 = ("float8_e5m2", 33)
    UINT16 = ("uint16", 36)
    UINT32 = ("uint32", 37)
    UINT64 = ("uint64", 38)
    INT4 = ("int4", 1000)
    UINT4 = ("uint4", 1001)
    INT2 = ("int2", 1002)
    UINT2 = ("uint2", 1003)
    FLOAT8_E4M3FNUZ = ("float8_e4m3fnuz", 1004)
    FLOAT8_E5M2FNUZ = ("float8_e5m2fnuz", 1005)
    FLOAT8_E8M0FNU = ("float8_e8m0fnu", 1006)
    FLOAT4_E2M1FN = ("float4_e2m1fn", 1007)

    def __init__(self, label: str, code: int) -> None:
        self.label = label
        self.code = code

    # The hash of Enum is a Python function, and element types are looked up in sets and dicts everywhere.
    __hash__ = object.__hash__

    def __str__(self) -> str:
        return self.label

    @functools.cached_property
    def numpy(self) -> np.dtype[np.generic]:
        """The numpy dtype: from ml_dtypes where numpy has none, and object for strings."""
        if self in _ML_DTYPES or not self.in_paddle:
            import ml_dtypes

            extended: np.dtype[np.generic] = np.dtype(getattr(ml_dtypes, self.label))
            return extended
        return np.dtype(object if self is DType.STRING else self.label)

    @property
    def itemsize(self) -> int:
        """Bytes of one element in files and buffers."""
        return self.numpy.itemsize

    @property
    def in_paddle(self) -> bool:
        """Whether Paddle has this type."""
        return self.code < _FIRST_OWN

    @property
    def is_float(self) -> bool:
        """Whether this is one of Paddle's real floating point types."""
        return self in _FLOATS

    @property
    def is_integer(self) -> bool:
        """Whether this is one of Paddle's signed or unsigned integer types; bool is not."""
        return self.in_paddle and self.label.startswith(("int", "uint"))

    @classmethod
    def from_code(cls, code: int) -> DType:
        """The type with Paddle's number `code`; raises `GraphError` for an unknown number."""
        dtype = _BY_CODE.get(code)
        if dtype is None:
            raise GraphError(f"{code} is not the number of an element type; known: {sorted(_BY_CODE)}")
        return dtype

    @classmethod
    def from_name(cls, name: str) -> DType:
        """The type called `name`, e.g. ``float32``; raises `GraphError` with similar names."""
        dtype = _BY_LABEL.get(name)
        if dtype is None:
            raise GraphError(f"no element type is called {name!r}{suggest(name, _BY_LABEL)}")
        return dtype

    @classmethod
    def from_numpy(cls, dtype: np.dtype[np.generic]) -> DType:
        """The type of arrays of `dtype`; raises `GraphError` for a dtype that tensors cannot have."""
        known = _BY_NUMPY.get(dtype)
        if known is not None:
            return known
        is_string = dtype.kind in "OUS"
        named = _BY_LABEL.get("string" if is_string else dtype.name)
        if named is None:
            raise GraphError(f"numpy dtype {dtype} is not an element type of tensors")
        if not is_string:
            _BY_NUMPY[dtype] = named
        return named


_FIRST_OWN = 1000
_FLOATS = {
    DType.FLOAT16,
    DType.BFLOAT16,
    DType.FLOAT32,
    DType.FLOAT64,
    DType.FLOAT8_E4M3FN,
    DType.FLOAT8_E5M2,
}
_ML_DTYPES = {DType.BFLOAT16, DType.FLOAT8_E4M3FN, DType.FLOAT8_E5M2}
_BY_CODE = {dtype.code: dtype for dtype in DType}
_BY_LABEL = {dtype.label: dtype for dtype in DType}
_BY_NUMPY: dict[np.dtype[np.generic], DType] = {}
"""The results of `DType.from_numpy`, because numpy computes the name of a dtype slowly."""


class Layout(enum.Enum):
    """The order of the axes of an image tensor; ANY where the order does not matter."""

    NCHW = "nchw"
    NHWC = "nhwc"
    ANY = "any"

    def __str__(self) -> str:
        return self.value


HOST = "host"
"""The target that uses numpy arrays and has a kernel for every op."""


@dataclass(frozen=True)
class Place:
    """Where a value is stored or a kernel runs: target, element type (None is any) and layout."""

    target: str = HOST
    dtype: DType | None = None
    layout: Layout = Layout.ANY

    def __str__(self) -> str:
        return f"{self.target}/{self.dtype or 'any'}/{self.layout}"


def is_known(shape: Sequence[Dim] | None) -> bool:
    """Whether the rank and every size are known."""
    return shape is not None and all(isinstance(dim, int) for dim in shape)


def shape_fits(shape: Sequence[Dim] | None, sizes: Sequence[Dim] | None) -> bool:
    """Whether a value of this shape may have these sizes.

    Symbolic and unknown dimensions of `shape` fit any size; None is a shape of unknown rank.
    """
    if shape is None or sizes is None:
        return True
    if len(shape) != len(sizes):
        return False
    for dim, size in zip(shape, sizes, strict=True):  # noqa: SIM110 - faster, and called for each input of each run
        if dim != size and not isinstance(dim, str):
            return False
    return True


def shape_text(shape: Sequence[Dim] | None) -> str:
    """The shape as text: ``[1,3,?,w]``, or ``[*]`` for an unknown rank."""
    return "[*]" if shape is None else f"[{','.join(str(dim) for dim in shape)}]"
