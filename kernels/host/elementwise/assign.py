"""assign on the host."""

from lite.plugin.kernel import Array, kernel


@kernel("assign")
def assign(X: Array | list[Array]) -> Array | list[Array]:
    """X itself, a tensor or a tensor array: values are written once, so no copy is needed."""
    return X
