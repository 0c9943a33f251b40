"""concat, stack, split and unstack by numpy."""

import itertools
from collections.abc import Iterable

import numpy as np

from lite.ops.ranges import section_sizes
from lite.ops.shape_input import integer, integers
from lite.plugin.kernel import Array, kernel


@kernel("concat")
def concat(X: list[Array], AxisTensor: Array | None, *, axis: int, out: Array | None = None) -> Array:
    """Paddle concat: the tensors of X one after another along an axis."""
    return np.concatenate(X, axis=integer(axis, AxisTensor), out=out)


@kernel("stack")
def stack(X: list[Array], *, axis: int, out: Array | None = None) -> Array:
    """Paddle stack: tensors of one shape along a new axis."""
    return np.stack(X, axis=axis, out=out)


@kernel("split")
def split(
    X: Array,
    AxisTensor: Array | None,
    SectionsTensorList: list[Array] | None,
    *,
    axis: int,
    num: int,
    sections: list[int],
    out: list[Array] | None = None,
) -> list[Array]:
    """Paddle split: X cut along an axis into `num` equal parts, or parts of `sections` (-1: the rest)."""
    axis = integer(axis, AxisTensor)
    sizes = section_sizes(X.shape[axis], num, integers(sections, SectionsTensorList))
    # Split along the first axis, so that each part is a slice.
    rows, stops = X.swapaxes(0, axis), list(itertools.accumulate(sizes))
    parts = [rows[stop - size : stop].swapaxes(0, axis) for size, stop in zip(sizes, stops, strict=True)]
    return copies(parts, out)


@kernel("unstack")
def unstack(X: Array, *, axis: int, out: list[Array] | None = None) -> list[Array]:
    """Paddle unstack: the slices of X along an axis, without that axis."""
    return copies(np.moveaxis(X, axis, 0), out)


def copies(parts: Iterable[Array], out: list[Array] | None) -> list[Array]:
    """Contiguous copies of the parts, in the buffers `out` if there are any."""
    if out is None:
        return [np.array(part, order="C") for part in parts]
    for target, part in zip(out, parts, strict=True):
        np.copyto(target, part)
    return out
