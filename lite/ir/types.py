"""Element types, layouts, shapes and places: the words that programs, graphs and kernels share."""

from __future__ import annotations

import enum
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lite.errors import GraphError, suggest

Array = np.ndarray[Any, np.dtype[Any]]
"""An array of any element type."""

UNKNOWN = "?"
"""A dimension about which nothing is known; two of them are not known to be equal."""

Dim = int | str
"""A size, or the name of a symbolic size (equal names are equal sizes), or `UNKNOWN`."""

Shape = tuple[Dim, ...]

Lod = tuple[tuple[int, ...], ...]
"""Level of detail: per level the offsets that cut axis 0 into sequences; ``()`` is none."""

NO_LOD: Lod = ()


class DType(enum.Enum):
    """Element type; `code` is Paddle's number, used by attributes such as ``cast.out_dtype``.

    Those that Paddle lacks have numbers of ours, from 1000.  Arrays have one element of them per byte;
    they are moved, cast and (de)quantised, and no kind of `lite.ops.schema` but ``any`` holds them.
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

    # Enum's own is a call of Python, and types are looked up in sets and dicts everywhere.
    __hash__ = object.__hash__

    def __str__(self) -> str:
        return self.label

    @functools.cached_property
    def numpy(self) -> np.dtype[np.generic]:
        """The numpy dtype; those that numpy lacks are ml_dtypes' (imported here), strings are objects."""
        if self in _ML_DTYPES or not self.in_paddle:
            import ml_dtypes

            extended: np.dtype[np.generic] = np.dtype(getattr(ml_dtypes, self.label))
            return extended
        return np.dtype(object if self is DType.STRING else self.label)

    @property
    def itemsize(self) -> int:
        """Bytes of one element as it lies in files and buffers."""
        return self.numpy.itemsize

    @property
    def in_paddle(self) -> bool:
        """Whether Paddle's models can have it."""
        return self.code < _FIRST_OWN

    @property
    def is_float(self) -> bool:
        """Real floating point of any width that Paddle has."""
        return self in _FLOATS

    @property
    def is_integer(self) -> bool:
        """Signed or unsigned integer of any width that Paddle has; not bool."""
        return self.in_paddle and self.label.startswith(("int", "uint"))

    @classmethod
    def from_code(cls, code: int) -> DType:
        """The type with Paddle's number `code`; raises `GraphError` for a number that is none."""
        found = _BY_CODE.get(code)
        if found is None:
            raise GraphError(f"{code} is not the number of an element type; known: {sorted(_BY_CODE)}")
        return found

    @classmethod
    def from_name(cls, name: str) -> DType:
        """The type called `name`, e.g. ``float32``; raises `GraphError` with near names."""
        found = _BY_LABEL.get(name)
        if found is None:
            raise GraphError(f"no element type is called {name!r}{suggest(name, _BY_LABEL)}")
        return found

    @classmethod
    def from_numpy(cls, dtype: np.dtype[np.generic]) -> DType:
        """The type of arrays of `dtype`; raises `GraphError` for one that tensors cannot have."""
        found = _BY_NUMPY.get(dtype)
        if found is not None:
            return found
        is_string = dtype.kind in "OUS"
        found = _BY_LABEL.get("string" if is_string else dtype.name)
        if found is None:
            raise GraphError(f"numpy dtype {dtype} is not an element type of tensors")
        if not is_string:
            _BY_NUMPY[dtype] = found
        return found


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
"""What `DType.from_numpy` found so far: the name of a numpy dtype is slow to make."""


class Layout(enum.Enum):
    """Order of the axes of an image tensor; ANY where it does not matter."""

    NCHW = "nchw"
    NHWC = "nhwc"
    ANY = "any"

    def __str__(self) -> str:
        return self.value


HOST = "host"
"""The target whose memory is numpy's and which has a kernel for every op."""


@dataclass(frozen=True)
class Place:
    """Where a value lives or a kernel runs: target, element type (None: any) and layout."""

    target: str = HOST
    dtype: DType | None = None
    layout: Layout = Layout.ANY

    def __str__(self) -> str:
        return f"{self.target}/{self.dtype or 'any'}/{self.layout}"


def is_known(shape: Sequence[Dim] | None) -> bool:
    """Whether every dimension is a number."""
    return shape is not None and all(isinstance(dim, int) for dim in shape)


def shape_fits(shape: Sequence[Dim] | None, sizes: Sequence[Dim] | None) -> bool:
    """Whether `sizes` may be those of `shape`, whose named and unknown dimensions take any; None fits all."""
    if shape is None or sizes is None:
        return True
    if len(shape) != len(sizes):
        return False
    for dim, size in zip(shape, sizes, strict=True):  # noqa: SIM110 - faster: each input of each run is asked
        if dim != size and not isinstance(dim, str):
            return False
    return True


def shape_text(shape: Sequence[Dim] | None) -> str:
    """``[1,3,?,w]``; ``[*]`` for an unknown rank."""
    return "[*]" if shape is None else f"[{','.join(str(dim) for dim in shape)}]"
