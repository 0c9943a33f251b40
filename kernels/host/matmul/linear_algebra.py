"""inverse, determinant, einsum and cos_sim by numpy."""

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.ops.einsum_terms import terms
from lite.plugin.kernel import Array, kernel, write


@kernel("inverse")
def inverse(Input: Array, *, out: Array | None = None) -> Array:
    """Paddle inverse: the inverses of matrices ``[…, n, n]``; raises an error for a singular one."""
    return write(out, np.linalg.inv(widened(Input)).astype(Input.dtype, copy=False))


@kernel("determinant")
def determinant(Input: Array) -> Array:
    """Paddle determinant: the determinants ``[…]`` of matrices ``[…, n, n]``."""
    return np.asarray(np.linalg.det(widened(Input))).astype(Input.dtype)


@kernel("einsum")
def einsum(Operands: list[Array], *, equation: str, out: Array | None = None) -> Array:
    """Paddle einsum: products over named axes, summed over the axes that the result lacks.

    Floats narrower than float32 are computed in float32.
    """
    operands, result = terms(equation)
    text = f"{','.join(operands)}->{result}".replace(".", "...")
    result_array = np.einsum(text, *(widened(operand) for operand in Operands), optimize=len(Operands) > 1)
    return write(out, np.array(result_array, Operands[0].dtype))


@kernel("cos_sim")
def cos_sim(X: Array, Y: Array) -> tuple[Array, Array, Array]:
    """Paddle cos_sim: cosines ``[n, 1]`` of the angles between rows of X and Y, and the rows' lengths.

    Y may have a single row.
    """
    x, y = widened(X.reshape(len(X), -1)), widened(Y.reshape(len(Y), -1))
    x_norm = np.sqrt(np.square(x).sum(1, keepdims=True))
    y_norm = np.sqrt(np.square(y).sum(1, keepdims=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        cosine = (x * y).sum(1, keepdims=True) / x_norm / y_norm
    return cosine.astype(X.dtype), x_norm.astype(X.dtype), y_norm.astype(Y.dtype)
