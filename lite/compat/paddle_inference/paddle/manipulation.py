"""Functions of ``paddle`` that arrange the elements of tensors in another way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lite.compat.paddle_inference.paddle.tensor import Axis, Tensor, array_of, as_tensor


def concat(x: Sequence[Any], axis: Any = 0, name: str | None = None) -> Tensor:
    """The tensors one after another along an axis."""
    return Tensor(np.concatenate([array_of(part) for part in x], int(axis)))


def stack(x: Sequence[Any], axis: int = 0, name: str | None = None) -> Tensor:
    """The tensors along a new axis."""
    return Tensor(np.stack([array_of(part) for part in x], axis))


def split(
    x: Any, num_or_sections: int | Sequence[int], axis: int = 0, name: str | None = None
) -> list[Tensor]:
    """Parts of equal size, or of these sizes, of which one may be -1."""
    array = array_of(x)
    if isinstance(num_or_sections, int):
        return [Tensor(part) for part in np.split(array, num_or_sections, axis)]
    sizes = list(num_or_sections)
    if -1 in sizes:
        sizes[sizes.index(-1)] = array.shape[axis] - int(np.sum(sizes)) - 1
    return [Tensor(part) for part in np.split(array, np.cumsum(sizes)[:-1], axis)]


def reshape(x: Any, shape: Sequence[int], name: str | None = None) -> Tensor:
    """`Tensor.reshape`."""
    return as_tensor(x).reshape(shape)


def transpose(x: Any, perm: Sequence[int], name: str | None = None) -> Tensor:
    """`Tensor.transpose`."""
    return as_tensor(x).transpose(perm)


def squeeze(x: Any, axis: Axis = None, name: str | None = None) -> Tensor:
    """`Tensor.squeeze`."""
    return as_tensor(x).squeeze(axis)


def unsqueeze(x: Any, axis: int | Sequence[int], name: str | None = None) -> Tensor:
    """`Tensor.unsqueeze`."""
    return as_tensor(x).unsqueeze(axis)


def flatten(x: Any, start_axis: int = 0, stop_axis: int = -1, name: str | None = None) -> Tensor:
    """`Tensor.flatten`."""
    return as_tensor(x).flatten(start_axis, stop_axis)


def cast(x: Any, dtype: object) -> Tensor:
    """`Tensor.astype`."""
    return as_tensor(x).astype(dtype)


def chunk(x: Any, chunks: int, axis: int = 0, name: str | None = None) -> list[Tensor]:
    """Parts of equal size."""
    return split(x, chunks, axis)


def unbind(x: Any, axis: int = 0, name: str | None = None) -> list[Tensor]:
    """The slices of an axis, without it."""
    return [Tensor(part) for part in np.moveaxis(array_of(x), axis, 0)]


def tile(x: Any, repeat_times: Sequence[int], name: str | None = None) -> Tensor:
    """The tensor several times along each axis."""
    return Tensor(np.tile(array_of(x), [int(times) for times in repeat_times]))


def expand(x: Any, shape: Sequence[int], name: str | None = None) -> Tensor:
    """The tensor repeated to a shape, where -1 keeps the size of an axis."""
    array = array_of(x)
    own = (1,) * (len(shape) - array.ndim) + array.shape
    sizes = [has if size == -1 else int(size) for size, has in zip(shape, own, strict=True)]
    return Tensor(np.broadcast_to(array, sizes).copy())


def broadcast_to(x: Any, shape: Sequence[int], name: str | None = None) -> Tensor:
    """`expand`."""
    return expand(x, shape)


def expand_as(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The tensor repeated to the shape of `y`."""
    return expand(x, array_of(y).shape)


def flip(x: Any, axis: int | Sequence[int], name: str | None = None) -> Tensor:
    """The elements in reverse order along axes."""
    return Tensor(np.flip(array_of(x), axis if isinstance(axis, int) else tuple(axis)))


def roll(x: Any, shifts: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """The elements shifted along axes; those that leave at one end come in at the other."""
    return Tensor(np.roll(array_of(x), shifts, axis))


def repeat_interleave(x: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Each element several times, one after another; of the flat tensor without an axis."""
    return Tensor(np.repeat(array_of(x), array_of(repeats), axis))


def moveaxis(x: Any, source: Any, destination: Any, name: str | None = None) -> Tensor:
    """The tensor with some axes at other positions."""
    return Tensor(np.moveaxis(array_of(x), source, destination))


def slice(x: Any, axes: Sequence[int], starts: Sequence[Any], ends: Sequence[Any]) -> Tensor:
    """The elements from `starts` to below `ends` of some axes."""
    return strided_slice(x, axes, starts, ends, [1] * len(axes))


def strided_slice(
    x: Any, axes: Sequence[int], starts: Sequence[Any], ends: Sequence[Any], strides: Sequence[Any]
) -> Tensor:
    """`slice` with a step for each axis."""
    array = array_of(x)
    index: list[Any] = [np.s_[:]] * array.ndim
    for axis, start, end, step in zip(axes, starts, ends, strides, strict=True):
        index[axis] = np.s_[int(start) : int(end) : int(step)]
    return Tensor(array[tuple(index)])


def gather(x: Any, index: Any, axis: Any = 0, name: str | None = None) -> Tensor:
    """The slices of an axis at these positions."""
    return Tensor(np.take(array_of(x), array_of(index).reshape(-1), int(axis)))


def index_select(x: Any, index: Any, axis: int = 0, name: str | None = None) -> Tensor:
    """`gather`."""
    return gather(x, index, axis)


def gather_nd(x: Any, index: Any, name: str | None = None) -> Tensor:
    """The elements or slices at the positions in the last axis of `index`."""
    return Tensor(np.asarray(array_of(x)[tuple(np.moveaxis(array_of(index), -1, 0))]))


def take_along_axis(arr: Any, indices: Any, axis: int, broadcast: bool = True) -> Tensor:
    """The elements at positions along an axis."""
    return Tensor(np.take_along_axis(array_of(arr), array_of(indices), axis))


def index_sample(x: Any, index: Any) -> Tensor:
    """The elements of each row at the positions of its row in `index`."""
    return take_along_axis(x, index, 1)


def masked_select(x: Any, mask: Any, name: str | None = None) -> Tensor:
    """The elements where `mask` holds, as a vector."""
    array, chosen = np.broadcast_arrays(array_of(x), array_of(mask))
    return Tensor(array[chosen])


def t(input: Any, name: str | None = None) -> Tensor:
    """A matrix with its axes in reverse order; a vector as it is."""
    return as_tensor(input).T


def shape(input: Any) -> Tensor:
    """The sizes of the axes, as int64."""
    return Tensor(np.array(array_of(input).shape, np.int64))


def numel(x: Any, name: str | None = None) -> Tensor:
    """`Tensor.numel`."""
    return as_tensor(x).numel()


def tolist(x: Any) -> Any:
    """`Tensor.tolist`."""
    return as_tensor(x).tolist()


FUNCTIONS: tuple[Callable[..., object], ...] = (
    concat,
    stack,
    split,
    chunk,
    unbind,
    reshape,
    transpose,
    squeeze,
    unsqueeze,
    flatten,
    cast,
    tile,
    expand,
    broadcast_to,
    expand_as,
    flip,
    roll,
    repeat_interleave,
    moveaxis,
    slice,
    strided_slice,
    gather,
    index_select,
    gather_nd,
    take_along_axis,
    index_sample,
    masked_select,
    t,
    shape,
    numel,
    tolist,
)
