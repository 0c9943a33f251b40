"""gather by numpy."""

from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel


@kernel("gather")
def gather(X: Array, Index: Array, Axis: Array | None, *, axis: int, out: Array | None = None) -> Array:
    """The slices of X along an axis that Index names; a 0-D Index drops the axis."""
    rows = Index.reshape(-1) if Index.ndim == 2 else Index
    return X.take(rows, axis=integer(axis, Axis), out=out)
