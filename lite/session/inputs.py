"""What a model takes and writes to: the check of every array and LoD that a run is given."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np

from lite.errors import GraphError, InputError
from lite.ir.graph import Value
from lite.ir.types import Array, Dim, DType, Lod, Shape, shape_fits, shape_text


@dataclass(frozen=True)
class InputSpec:
    """Name, dtype and shape of an input; None where the model does not say.

    `promised` is the user's own `input_shapes` entry, which no fed shape may break.
    """

    name: str
    dtype: DType | None
    shape: Shape | None
    promised: Shape | None = None

    @classmethod
    def of(cls, value: Value, promised: Sequence[Dim] | None) -> InputSpec:
        """The spec of a graph argument."""
        return cls(value.name, value.dtype, value.shape, None if promised is None else tuple(promised))

    @functools.cached_property
    def numpy_dtype(self) -> np.dtype[np.generic]:
        """The dtype that arrays must have; float32 where the model does not say."""
        return (self.dtype or DType.FLOAT32).numpy


def checked_input(spec: InputSpec, array: object) -> Array:
    """`array` as it will be fed; raises `InputError` naming input, expected and got.

    Lists and scalars become arrays.  Dtypes of arrays are never converted: a wrong one is a mistake
    that a conversion would hide.  Only foreign byte order is, and texts become objects.
    """
    if type(array) is not np.ndarray:
        array = _as_array(spec, array)
    if array.dtype != spec.numpy_dtype or spec.dtype in (None, DType.STRING):
        array = _with_element_type(spec, array)
    for what, shape in (("input_shapes", spec.promised), ("the model", spec.shape)):
        if shape is not None and not shape_fits(shape, array.shape):
            raise InputError(
                f"input {spec.name!r}: expected shape {shape_text(shape)} ({what} says), "
                f"got {list(array.shape)}"
            )
    return array


def checked_lod(name: str, lod: Any) -> Lod:
    """`lod` as tuples of offsets; raises `InputError` naming the input where it is no LoD.

    Whether offsets cut the rows is for the ops to say that read them: Paddle carries others along.
    """
    try:
        levels = tuple(tuple(operator.index(offset) for offset in level) for level in lod)
    except TypeError as error:
        raise InputError(
            f"input {name!r}: expected a LoD, a list of lists of whole numbers, got {lod!r}"
        ) from error
    for level in levels:
        if any(offset < 0 for offset in level):
            raise InputError(f"input {name!r}: LoD level {list(level)}: expected offsets from 0")
    return levels


def checked_output(name: str, array: object, others: Mapping[str, Array]) -> None:
    """Raise `InputError` unless a result can be written to `array` without touching `others`, by name.

    Shape and dtype are compared with the result's when that is there.
    """
    if not isinstance(array, np.ndarray):
        raise InputError(f"output array for {name!r}: expected an array, got {_described(array)}")
    if not (array.flags.writeable and array.dtype.isnative):
        what = "that is writeable" if not array.flags.writeable else "of this machine's byte order"
        raise InputError(f"output array for {name!r}: expected one {what}")
    for other, theirs in others.items():
        if np.shares_memory(array, theirs):
            raise InputError(f"output arrays for {other!r} and {name!r} share memory; give each its own")


def _as_array(spec: InputSpec, given: object) -> Array:
    """What is no plain array as one; only the elements of lists and scalars take the input's dtype."""
    if isinstance(given, np.ma.MaskedArray):
        raise InputError(f"input {spec.name!r}: expected an array, got a masked one; see its method filled")
    try:
        array = np.asarray(given)
    except (ValueError, TypeError, OverflowError, RuntimeError) as error:
        raise InputError(
            f"input {spec.name!r}: expected an array, got {_described(given)}: {error}"
        ) from error
    if not isinstance(given, list | tuple | Number | str | bytes | np.generic):
        if array.dtype == object and not isinstance(given, np.ndarray):
            raise InputError(f"input {spec.name!r}: expected an array, got {_described(given)}")
        return array
    return array if spec.dtype in (None, DType.STRING) else _converted(spec, array)


def _converted(spec: InputSpec, array: Array) -> Array:
    """The elements of a list in the input's dtype, if it can hold them."""
    wanted = spec.numpy_dtype
    # bfloat16 and float8 are of no kind that numpy knows.
    kinds = {"b": "b", "i": "biu", "u": "biu", "c": "biufc"}.get(wanted.kind, "biuf")
    if array.size and array.dtype.kind not in kinds:
        raise InputError(f"input {spec.name!r}: expected elements of {wanted}, got {array.dtype}")
    converted = array.astype(wanted)
    if wanted.kind in "iu" and not np.array_equal(converted, array):
        raise InputError(f"input {spec.name!r}: expected elements that {wanted} can hold, got {array}")
    return converted


def _with_element_type(spec: InputSpec, array: Array) -> Array:
    """`array` in the byte order of this machine and with texts as objects, once its dtype is found right."""
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
        raise InputError(f"input {spec.name!r}: expected texts, got an array of other objects")
    return array.astype(dtype.numpy, copy=False)


def _described(given: object) -> str:
    return "None" if given is None else f"a {type(given).__name__}"
