"""transpose2 on the host."""

from lite.plugin.kernel import Array, kernel


@kernel("transpose2")
def transpose2(
    X: Array, *, axis: list[int], out: tuple[Array, Array | None] | None = None
) -> tuple[Array, Array]:
    """X with its axes permuted, in contiguous memory; XShape is an empty array that tells X's shape."""
    permuted = X.transpose(axis)
    if out is None:
        result = permuted.copy()
    else:
        result = out[0]
        result[...] = permuted
    return result, X[None][:0]
