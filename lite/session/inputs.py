"""Checks of the arrays and LoDs that a run gets."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Number
from typing import Any

import numpy as np

from lite.dataclass import dataclass
from lite.errors import GraphError, InputError
from lite.ir.graph import Value
from lite.ir.program import VarKind
from lite.ir.types import Array, Dim, DType, Lod, Shape, shape_fits, shape_text


@dataclass(frozen=True)
class InputSpec:
    """Name, dtype and shape of an input; dtype and shape are None if the model does not declare them.

    `promised` is the input's entry in `Config.input_shapes`, which every array must fit.  With `is_array`
    the input is a tensor array: a list of arrays of this dtype, of any shapes.
    """

    name: str
    dtype: DType | None
    shape: Shape | None
    promised: Shape | None = None
    is_array: bool = False

    @classmethod
    def of(cls, value: Value, promised: Sequence[Dim] | None) -> InputSpec:
        """The spec of a graph argument."""
        if value.kind == VarKind.TENSOR_ARRAY:
            return cls(value.name, value.dtype, None, is_array=True)
        return cls(value.name, value.dtype, value.shape, None if promised is None else tuple(promised))

    @functools.cached_property
    def numpy_dtype(self) -> np.dtype[np.generic]:
        """The dtype that arrays must have; float32 if the model declares none."""
        return (self.dtype or DType.FLOAT32).numpy


def checked_input(spec: InputSpec, array: object) -> Any:
    """`array` as the model reads it; raises `InputError` with the input's name, the expected and the actual.

    Lists and scalars become arrays of the input's dtype.  Arrays of another dtype are refused: a conversion
    would hide a mistake.  Only the byte order is converted, and strings become objects.
    """
    if spec.is_array:
        return _checked_elements(spec, array)
    if type(array) is not np.ndarray:
        array = _as_array(spec, array)
    if array.dtype != spec.numpy_dtype or spec.dtype in (None, DType.STRING):
        array = _with_element_type(spec, array)
    for source, shape in (("input_shapes", spec.promised), ("the model", spec.shape)):
        if shape is not None and not shape_fits(shape, array.shape):
            raise InputError(
                f"input {spec.name!r}: expected shape {shape_text(shape)} (from {source}), "
                f"got {list(array.shape)}"
            )
    return array


def _checked_elements(spec: InputSpec, value: object) -> list[Array]:
    """A new list of the elements of a tensor array; raises `InputError` as `checked_input` does."""
    if not isinstance(value, list | tuple):
        raise InputError(f"input {spec.name!r}: expected a list of arrays, got {_type_text(value)}")
    element = replace(spec, name=f"{spec.name}[…]", is_array=False)
    return [checked_input(element, item) for item in value]


def checked_lod(name: str, lod: Any) -> Lod:
    """`lod` as tuples of offsets; raises `InputError`, with the input's name, for an invalid LoD.

    Offsets need not match the rows of the array: only ops that read the LoD check that, as in Paddle.
    """
    try:
        levels = tuple(tuple(operator.index(offset) for offset in level) for level in lod)
    except TypeError as error:
        raise InputError(
            f"input {name!r}: expected a LoD, a list of lists of integers, got {lod!r}"
        ) from error
    for level in levels:
        if any(offset < 0 for offset in level):
            raise InputError(f"input {name!r}: LoD level {list(level)}: expected offsets of 0 or more")
    return levels


def check_output(name: str, array: object, others: Mapping[str, Array]) -> None:
    """Raise `InputError` unless `array` is writeable, and shares no memory with the output arrays `others`.

    Shape and dtype are checked after the run, when those of the result are known.
    """
    if not isinstance(array, np.ndarray):
        raise InputError(f"output array for {name!r}: expected a numpy array, got {_type_text(array)}")
    if not (array.flags.writeable and array.dtype.isnative):
        problem = "is read-only" if not array.flags.writeable else "has a foreign byte order"
        raise InputError(f"output array for {name!r} {problem}; pass a writeable array in native byte order")
    for other, other_array in others.items():
        if np.shares_memory(array, other_array):
            raise InputError(f"output arrays for {other!r} and {name!r} share memory; pass separate ones")


def _as_array(spec: InputSpec, value: object) -> Array:
    """The array of a list, scalar or array-like; elements of lists and scalars get the input's dtype."""
    if isinstance(value, np.ma.MaskedArray):
        raise InputError(
            f"input {spec.name!r}: expected an array, got a masked array; pass array.filled(value)"
        )
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError, RuntimeError) as error:
        raise InputError(
            f"input {spec.name!r}: expected an array, got {_type_text(value)}: {error}"
        ) from error
    if not isinstance(value, list | tuple | Number | str | bytes | np.generic):
        if array.dtype == object and not isinstance(value, np.ndarray):
            raise InputError(
                f"input {spec.name!r}: expected an array, got {_type_text(value)}; pass a numpy array"
            )
        return array
    return array if spec.dtype in (None, DType.STRING) else _converted(spec, array)


def _converted(spec: InputSpec, array: Array) -> Array:
    """The elements of a list in the input's dtype; raises `InputError` if it cannot hold them."""
    dtype = spec.numpy_dtype
    # numpy knows no kind for bfloat16 and float8, which count as floats.
    kinds = {"b": "b", "i": "biu", "u": "biu", "c": "biufc"}.get(dtype.kind, "biuf")
    if array.size and array.dtype.kind not in kinds:
        raise InputError(f"input {spec.name!r}: expected elements of {dtype}, got {array.dtype}")
    converted = array.astype(dtype)
    if dtype.kind in "iu" and not np.array_equal(converted, array):
        raise InputError(f"input {spec.name!r}: expected elements that {dtype} can hold, got {array}")
    return converted


def _with_element_type(spec: InputSpec, array: Array) -> Array:
    """`array` in native byte order, with strings as objects; raises `InputError` for a wrong dtype."""
    try:
        dtype = DType.from_numpy(array.dtype)
    except GraphError as error:
        raise InputError(f"input {spec.name!r}: {error}") from error
    if spec.dtype is not None and dtype is not spec.dtype:
        raise InputError(
            f"input {spec.name!r}: expected dtype {spec.dtype}, got {array.dtype}; "
            f"convert it with array.astype({str(spec.dtype)!r})"
        )
    if dtype is DType.STRING and not all(isinstance(item, str | bytes) for item in array.flat):
        raise InputError(f"input {spec.name!r}: expected strings, got an array of other objects")
    return array.astype(dtype.numpy, copy=False)


def _type_text(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
