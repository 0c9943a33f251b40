"""inverse, determinant, einsum and cos_sim by numpy."""

from typing import Any

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
    arrays = [widened(operand) for operand in Operands]
    if len(arrays) > 1:
        for n, term in enumerate(operands):
            operands[n], arrays[n] = _summed(term, arrays[n], [*operands[:n], *operands[n + 1 :], result])
    product = np.einsum(_equation(operands, result), *arrays, optimize=_order(len(arrays)))
    return write(out, np.array(product, Operands[0].dtype))


_OPERANDS_IN_BEST_ORDER = 24
"""The most operands whose best order numpy looks for, which takes the cube of their number."""


def _order(operands: int) -> bool | list[Any]:
    """Which operands numpy multiplies first: always the first two where there are many."""
    if operands <= _OPERANDS_IN_BEST_ORDER:
        return operands > 1
    return ["einsum_path", *[(0, 1)] * (operands - 1)]


def _summed(term: str, array: Array, others: list[str]) -> tuple[str, Array]:
    """An operand without the axes that nothing else has: numpy would sum over their product with others."""
    kept = "".join(letter for letter in dict.fromkeys(term) if any(letter in other for other in others))
    if len(kept) == len(term) or ("." in term and "." not in kept):
        return term, array
    return kept, np.einsum(_equation([term], kept), array)


def _equation(operands: list[str], result: str) -> str:
    return f"{','.join(operands)}->{result}".replace(".", "...")


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
