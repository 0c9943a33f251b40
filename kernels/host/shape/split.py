"""split on the host."""

import itertools

import numpy as np

from lite.ops.ranges import section_sizes
from lite.ops.shape_input import integer, integers
from lite.plugin.kernel import Array, kernel


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
    """X cut along an axis into `num` equal parts, or into parts of `sections` (-1 takes what is left)."""
    axis = integer(axis, AxisTensor)
    sizes = section_sizes(X.shape[axis], num, integers(sections, SectionsTensorList))
    # The axis first, so that a part is a slice.
    rows, stops = X.swapaxes(0, axis), list(itertools.accumulate(sizes))
    parts = [rows[stop - size : stop].swapaxes(0, axis) for size, stop in zip(sizes, stops, strict=True)]
    if out is None:
        return [np.array(part, order="C") for part in parts]
    for target, part in zip(out, parts, strict=True):
        np.copyto(target, part)
    return out
