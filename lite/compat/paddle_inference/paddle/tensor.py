"""``paddle.Tensor``: an array with Paddle's methods, for the code around a model."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from lite.compat.paddle_inference.paddle.dtypes import as_dtype, dtype
from lite.errors import InputError
from lite.ir.types import Array, Lod

Axis = int | Sequence[int] | None

METHODS: dict[str, Callable[..., Any]] = {}
"""Functions of ``paddle`` that are methods of its tensors, too: Paddle adds them to the class."""


class Tensor(NDArrayOperatorsMixin):
    """An array in the memory of the process; `to_tensor` makes one, and operators return others.

    `lod` are the offsets of each LoD level, as in ``paddle.inference``.
    """

    def __init__(self, array: Array, name: str = "", lod: Lod = ()) -> None:
        self._array = array
        self.name = name
        self.stop_gradient = True
        self.persistable = False
        self._lod = lod

    @property
    def shape(self) -> list[int]:
        """The sizes of the axes."""
        return list(self._array.shape)

    @property
    def dtype(self) -> dtype:
        """The element type."""
        return as_dtype(self._array.dtype)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._array.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._array.size

    @property
    def place(self) -> str:
        """Always ``Place(cpu)``."""
        return "Place(cpu)"

    @property
    def T(self) -> Tensor:
        """The tensor with its axes in reverse order."""
        return Tensor(self._array.T)

    def numpy(self) -> Array:
        """A copy of the array."""
        return self._array.copy()

    def item(self, *index: int) -> Any:
        """One element as a Python number."""
        return self._array.item(*index)

    def tolist(self) -> Any:
        """The elements as nested lists."""
        return self._array.tolist()

    def astype(self, kind: object) -> Tensor:
        """The tensor in another element type."""
        return Tensor(self._array.astype(as_dtype(kind).of.numpy))

    cast = astype

    def clone(self) -> Tensor:
        """A copy."""
        return Tensor(self._array.copy())

    def detach(self) -> Tensor:
        """The tensor itself: there are no gradients."""
        return self

    cpu = detach
    contiguous = detach

    def dim(self) -> int:
        """The number of axes."""
        return self._array.ndim

    def numel(self) -> Tensor:
        """The number of elements."""
        return Tensor(np.array(self._array.size))

    def lod(self) -> list[list[int]]:
        """The offsets of each LoD level; empty without a LoD."""
        return [list(level) for level in self._lod]

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Set the offsets of each LoD level."""
        self._lod = tuple(tuple(level) for level in lod)

    def reshape(self, shape: Sequence[int], *more: int) -> Tensor:
        """The tensor with other sizes, where -1 is what remains and 0 the size of the same axis."""
        sizes = [shape, *more] if isinstance(shape, int) else list(shape)
        own = self._array.shape
        return Tensor(
            self._array.reshape([own[axis] if size == 0 else size for axis, size in enumerate(sizes)])
        )

    def transpose(self, perm: Sequence[int]) -> Tensor:
        """The tensor with its axes in another order."""
        return Tensor(self._array.transpose(perm))

    def squeeze(self, axis: Axis = None) -> Tensor:
        """The tensor without its axes of size 1, or without those of `axis` that have size 1."""
        wanted = range(self.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
        ones = {at % self.ndim for at in wanted if self._array.shape[at] == 1}
        return Tensor(self._array.squeeze(tuple(ones)))

    def unsqueeze(self, axis: int | Sequence[int]) -> Tensor:
        """The tensor with new axes of size 1."""
        return Tensor(np.expand_dims(self._array, axis if isinstance(axis, int) else tuple(axis)))

    def flatten(self, start_axis: int = 0, stop_axis: int = -1) -> Tensor:
        """The tensor with the axes from `start_axis` to `stop_axis` as one."""
        sizes, last = self._array.shape, stop_axis % max(self.ndim, 1)
        return Tensor(self._array.reshape([*sizes[:start_axis], -1, *sizes[last + 1 :]]))

    def sum(self, axis: Axis = None, keepdim: bool = False) -> Tensor:
        """The sum over axes."""
        return Tensor(np.asarray(self._array.sum(as_axes(axis), keepdims=keepdim)))

    def mean(self, axis: Axis = None, keepdim: bool = False) -> Tensor:
        """The mean over axes, in the tensor's element type."""
        mean = self._array.mean(as_axes(axis), keepdims=keepdim)
        return Tensor(np.asarray(mean, self._array.dtype))

    def max(self, axis: Axis = None, keepdim: bool = False) -> Tensor:
        """The largest element over axes."""
        return Tensor(np.asarray(self._array.max(as_axes(axis), keepdims=keepdim)))

    def min(self, axis: Axis = None, keepdim: bool = False) -> Tensor:
        """The smallest element over axes."""
        return Tensor(np.asarray(self._array.min(as_axes(axis), keepdims=keepdim)))

    def argmax(self, axis: int | None = None, keepdim: bool = False) -> Tensor:
        """The position of the largest element, as int64."""
        return Tensor(np.asarray(np.argmax(self._array, axis, keepdims=keepdim), np.int64))

    def argmin(self, axis: int | None = None, keepdim: bool = False) -> Tensor:
        """The position of the smallest element, as int64."""
        return Tensor(np.asarray(np.argmin(self._array, axis, keepdims=keepdim), np.int64))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """A function of `METHODS` on this tensor."""
        if name not in METHODS:
            raise AttributeError(f"paddle.Tensor has no attribute {name!r}")
        return functools.partial(METHODS[name], self)

    def __array__(self, kind: Any = None, copy: bool | None = None) -> Array:
        array = self._array if kind is None else self._array.astype(kind)
        return array.copy() if copy else array

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options.get("out") is not None:
            return NotImplemented
        operands = [_weak(value) for value in inputs]
        return Tensor(narrowed(np.asarray(ufunc(*operands, **options)), *operands))

    def __getitem__(self, index: Any) -> Tensor:
        return Tensor(np.asarray(self._array[_index(index)]))

    def __setitem__(self, index: Any, value: Any) -> None:
        self._array[_index(index)] = _weak(value)

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Iterator[Tensor]:
        return (Tensor(np.asarray(part)) for part in self._array)

    def __bool__(self) -> bool:
        return bool(self._array)

    def __int__(self) -> int:
        return int(self._array.item())

    def __float__(self) -> float:
        return float(self._array.item())

    def __index__(self) -> int:
        return operator.index(self._array.item())

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"Tensor(shape={self.shape}, dtype={self.dtype.of.label}, place={self.place},\n{self._array})"


def to_tensor(data: Any, dtype: object = None, place: object = None, stop_gradient: bool = True) -> Tensor:
    """``paddle.to_tensor``: a tensor with a copy of `data`; Python floats become float32."""
    array = np.array(data)
    if array.dtype == object:
        raise InputError(f"to_tensor: expected numbers, got {type(data).__name__}")
    plain = not isinstance(data, (np.ndarray, np.generic, Tensor))
    if dtype is not None:
        array = array.astype(as_dtype(dtype).of.numpy)
    elif plain and array.dtype == np.float64:
        array = array.astype(np.float32)
    return Tensor(array)


def array_of(value: Any) -> Array:
    """The array of a tensor, or of anything that numpy takes."""
    return np.asarray(value)


def as_tensor(value: Any) -> Tensor:
    """A tensor as it is, or one of anything that numpy takes."""
    return value if isinstance(value, Tensor) else Tensor(array_of(value))


def narrowed(result: Array, *operands: Any) -> Array:
    """A result in float64 as float32, unless an operand is in float64: Paddle divides integers so."""
    double = any(isinstance(each, (np.ndarray, np.float64)) and each.dtype == np.float64 for each in operands)
    return result if double or result.dtype != np.float64 else result.astype(np.float32)


def _weak(value: Any) -> Any:
    """The array of a tensor; other operands as they are, so that Python numbers keep the tensor's type."""
    return value._array if isinstance(value, Tensor) else value


def _index(index: Any) -> Any:
    return tuple(map(_weak, index)) if isinstance(index, tuple) else _weak(index)


def as_axes(axis: Axis) -> int | tuple[int, ...] | None:
    """Axes as numpy takes them."""
    return axis if axis is None or isinstance(axis, int) else tuple(axis)
