"""split on the host."""

import numpy as np

from lite.ops.join import section_sizes
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
    parts = np.split(X, np.cumsum(sizes)[:-1], axis=axis)
    if out is None:
        return [part.copy() for part in parts]
    for target, part in zip(out, parts, strict=True):
        target[...] = part
    return out
