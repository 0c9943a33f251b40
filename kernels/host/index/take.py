"""take and compress on the host."""

from lite.plugin.kernel import Array, kernel


@kernel("take")
def take(X: Array, Index: Array, *, axis: int, out: Array | None = None) -> Array:
    """The slices of X along an axis that Index names, in the shape of Index; negative from the back."""
    return X.take(Index, axis=axis, out=out)


@kernel("compress")
def compress(X: Array, Condition: Array, *, axis: int) -> Array:
    """The slices of X along an axis where Condition holds."""
    return X.compress(Condition, axis=axis)
