"""einsum against sums over every combination of indices."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np
import pytest

from lite.errors import GraphError
from lite.plugin.kernel import Array
from tests.kernels.host.checked import checked, numbers, same


def summed(equation: str, operands: list[Array]) -> Array:
    """From the definition; without ellipses."""
    left, _, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    sizes = {
        letter: size
        for term, x in zip(terms, operands, strict=True)
        for letter, size in zip(term, x.shape, strict=True)
    }
    result = np.zeros([sizes[letter] for letter in right], operands[0].dtype)
    for indices in itertools.product(*(range(size) for size in sizes.values())):
        at = dict(zip(sizes, indices, strict=True))
        product = 1
        for term, x in zip(terms, operands, strict=True):
            product = product * x[tuple(at[letter] for letter in term)]
        result[tuple(at[letter] for letter in right)] += product
    return result


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 2)]),
        ("ij->ji", [(2, 3)]),
        ("ij->", [(2, 3)]),
        ("i, i -> i", [(3,), (3,)]),
        ("ii->i", [(3, 3)]),
        ("ij,jk,k->i", [(2, 3), (3, 2), (2,)]),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.int64, ml_dtypes.bfloat16])
def test_einsum_sums_products(equation: str, shapes: list[tuple[int, ...]], dtype: type[np.generic]) -> None:
    operands = [numbers(*shape, dtype=np.int64) for shape in shapes]

    (got,) = checked("einsum", {"Operands": [x.astype(dtype) for x in operands]}, {"equation": equation})

    same(got, summed(equation, operands).astype(dtype))


@pytest.mark.parametrize(
    ("equation", "wanted"), [("ji", "ij"), ("...i->...", None), ("i...->...", None), ("...ij->...ji", None)]
)
def test_ellipsis_and_implicit_results(equation: str, wanted: str | None) -> None:
    x = numbers(2, 3) if wanted else numbers(2, 3, 4)
    by_hand = {
        "ji": x.T,
        "...i->...": x.sum(-1),
        "i...->...": x.sum(0),
        "...ij->...ji": x.swapaxes(1, 2) if x.ndim > 2 else x,
    }

    (got,) = checked("einsum", {"Operands": [x]}, {"equation": equation})

    same(got, by_hand[equation])


@pytest.mark.parametrize(
    ("equation", "message"),
    [
        ("i1->i", "expected letters and ..., got 'i1->i'"),
        ("ij->k", "expected each letter of the result in an operand, and once"),
        ("ij,jk->ik", "expected 1 operands, got ij,jk->ik"),
        ("ijk->i", r"slot Operands: expected 3 axes for 'ijk', got float32\[2,3\]"),
        ("ii->i", "axis i: expected size 2 in every operand"),
    ],
)
def test_equations_that_do_not_fit_are_refused(equation: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        checked("einsum", {"Operands": [numbers(2, 3)]}, {"equation": equation})


def test_axes_of_one_operand_are_summed_before_the_product() -> None:
    x, y = np.ones(1 << 20, np.float32), np.full(1 << 20, 2, np.float32)
    (got,) = checked("einsum", {"Operands": [x, y]}, {"equation": "i,j->"})
    np.testing.assert_allclose(got, 2.0**41, rtol=1e-6)
    a, b = numbers(3, 4, 2), numbers(2, 5, 5)
    (got,) = checked("einsum", {"Operands": [a, b]}, {"equation": "...ij,jkk->...j"})
    np.testing.assert_allclose(got, np.einsum("bij,jkk->bj", a, b), rtol=1e-5)


def test_many_operands_are_multiplied_in_their_order() -> None:
    operands = [np.array([1, 1.01, -1], np.float32) for _ in range(200)]
    (got,) = checked("einsum", {"Operands": operands}, {"equation": ",".join("i" * 200) + "->i"})
    np.testing.assert_allclose(got, np.prod(operands, axis=0), rtol=1e-4)
