"""The shapes of the results of reshaping, expanding and cropping ops.

Shape rules call these functions with symbolic dimensions, kernels with sizes.
"""

from __future__ import annotations

from collections.abc import Sequence

from lite.errors import GraphError
from lite.ir.types import UNKNOWN, Dim, Lod, Shape
from lite.ops.rules import total


def reshaped(name: str, dims: Shape, sizes: Sequence[int | None]) -> Shape:
    """The result of reshape2 for `dims`: 0 keeps the size of that axis, -1 is the remainder.

    None is an unknown size.  Raises `GraphError` naming the op `name` where the element counts differ.
    """
    if sizes.count(-1) > 1 or any(size is not None and size < -1 for size in sizes):
        raise GraphError(f"{name}: shape: expected sizes, 0 and at most one -1, got {list(sizes)}")
    remaining = list(dims)
    result: list[Dim] = []
    for axis, size in enumerate(sizes):
        if size == 0 and axis < len(dims):
            result.append(dims[axis])
            remaining[axis] = 1
        else:
            result.append(UNKNOWN if size is None else size)
    if -1 in sizes:
        result[sizes.index(-1)] = _remainder(name, dims, remaining, sizes)
    elif all(isinstance(dim, int) for dim in (*dims, *result)) and total(dims) != total(result):
        raise _count_error(name, dims, sizes)
    return tuple(result)


def _remainder(name: str, dims: Shape, remaining: Sequence[Dim], sizes: Sequence[int | None]) -> Dim:
    if None in sizes:
        return UNKNOWN
    count = 1
    symbols = [dim for dim in remaining if isinstance(dim, str)]
    for dim in remaining:
        count *= dim if isinstance(dim, int) else 1
    divisor = 1
    for axis, size in enumerate(sizes):
        if size is not None and (size > 0 or (size == 0 and axis >= len(dims))):
            divisor *= size
    if symbols:
        return symbols[0] if len(symbols) == 1 and count == divisor else UNKNOWN
    if divisor == 0 or count % divisor:
        raise _count_error(name, dims, sizes)
    return count // divisor


def _count_error(name: str, dims: Shape, sizes: Sequence[int | None]) -> GraphError:
    return GraphError(f"{name}: shape: expected as many elements as {list(dims)} has, got {list(sizes)}")


def squeezed(dims: Shape, axes: Sequence[int]) -> Shape | None:
    """`dims` without the sizes of 1 on `axes` (empty: all axes); None where one of these is symbolic."""
    rank = len(dims)
    chosen = {axis + rank if axis < 0 else axis for axis in axes} or set(range(rank))
    if any(isinstance(dims[axis], str) for axis in chosen if axis < rank):
        return None
    return tuple(dim for axis, dim in enumerate(dims) if axis not in chosen or dim != 1)


def unsqueezed(dims: Shape, axes: Sequence[int]) -> Shape:
    """`dims` with a 1 inserted at each of `axes`, in their order."""
    result = list(dims)
    for axis in axes:
        result.insert(axis + len(result) + 1 if axis < 0 else axis, 1)
    return tuple(result)


def flattened(dims: Shape, start: int, stop: int) -> Shape:
    """`dims` with the axes from `start` to `stop` merged into one; a 0-D tensor becomes 1-D."""
    rank = len(dims)
    if not rank:
        return (1,)
    start, stop = start % rank, stop % rank
    return (*dims[:start], total(dims[start : stop + 1]), *dims[stop + 1 :])


def flattened_2d(dims: Shape, axis: int) -> Shape:
    """The matrix whose rows are the axes before `axis`; a 0-D tensor becomes 1-D."""
    return (total(dims[:axis]), total(dims[axis:])) if dims else (1,)


def without_axes(dims: Sequence[Dim], axes: Sequence[int]) -> Shape:
    """The dimensions on the other axes."""
    dropped = {axis % len(dims) for axis in axes}
    return tuple(dim for axis, dim in enumerate(dims) if axis not in dropped)


def expanded(name: str, dims: Shape, sizes: Sequence[int | None]) -> Shape:
    """`dims`, aligned at the last axis, broadcast to `sizes`, where -1 keeps the size.

    None is an unknown size.  Raises `GraphError` naming the op `name` where they do not fit.
    """
    added = len(sizes) - len(dims)
    if added < 0:
        raise GraphError(
            f"{name}: shape: expected at least the {len(dims)} axes of {list(dims)}, got {sizes}"
        )
    padded: Shape = (1,) * added + dims
    return tuple(
        _expanded(name, dims, dim, size, is_added=axis < added)
        for axis, (dim, size) in enumerate(zip(padded, sizes, strict=True))
    )


def _expanded(name: str, dims: Shape, dim: Dim, size: int | None, *, is_added: bool) -> Dim:
    if size is None:
        return dim if isinstance(dim, int) and dim != 1 else UNKNOWN
    if size < 0 and not is_added:
        return dim
    if size < 0 or (isinstance(dim, int) and dim not in (1, size)):
        raise GraphError(
            f"{name}: shape: {list(dims)} cannot be expanded to a size of {size} where it has {dim}"
        )
    return size


def tiled(dims: Shape, times: Sequence[int | None]) -> Shape:
    """`dims` and `times`, aligned at the last axis, multiplied; None is an unknown number."""
    rank = max(len(dims), len(times))
    padded = (1,) * (rank - len(dims)) + dims
    factors = [*[1] * (rank - len(times)), *times]
    return tuple(
        dim if factor == 1 else UNKNOWN if factor is None or isinstance(dim, str) else dim * factor
        for dim, factor in zip(padded, factors, strict=True)
    )


def cropped(name: str, dims: Shape, sizes: Sequence[int | None], offsets: Sequence[int | None]) -> Shape:
    """The shape of a box of `dims` with `sizes` at `offsets`; a size of -1 reaches to the end.

    None is an unknown number.  Raises `GraphError` naming the op `name` for a box beyond the tensor.
    """
    if len(sizes) != len(dims) or len(offsets) != len(dims):
        lists = f"{list(sizes)} and {list(offsets)}"
        raise GraphError(f"{name}: shape, offsets: expected {len(dims)} numbers each, got {lists}")
    result: list[Dim] = []
    for dim, size, offset in zip(dims, sizes, offsets, strict=True):
        if size is None or (size < 0 and (offset is None or isinstance(dim, str))):
            result.append(UNKNOWN)
        else:
            result.append(dim - offset if size < 0 else size)  # type: ignore[operator]
        last = result[-1]
        fits = (
            offset is None
            or isinstance(dim, str)
            or isinstance(last, str)
            or 0 <= offset <= offset + last <= dim
        )
        if not fits:
            raise GraphError(f"{name}: expected a box within {list(dims)}, got {sizes} from {offsets}")
    return tuple(result)


def shape_of(sizes: Sequence[int | None] | None) -> Shape | None:
    """`sizes` as a shape, with `UNKNOWN` for unknown and negative ones."""
    if sizes is None:
        return None
    return tuple(UNKNOWN if size is None or size < 0 else size for size in sizes)


def batch_shape(op: str, shape: Sequence[int], dims: Shape, lod: Lod, axes: tuple[int, int]) -> Shape:
    """`shape` with the size of the input's axis `axes[0]` on axis `axes[1]`.

    The size of axis 0 of an input with LoD is its number of sequences.
    """
    source, target = axes
    if not -len(dims) <= source < len(dims) or not -len(shape) <= target < len(shape):
        raise GraphError(
            f"{op}: input_dim_idx, output_dim_idx: expected axes of {dims} and {shape}, got {axes}"
        )
    result: list[Dim] = list(shape)
    result[target] = len(lod[-1]) - 1 if lod and source == 0 else dims[source]
    return tuple(result)
