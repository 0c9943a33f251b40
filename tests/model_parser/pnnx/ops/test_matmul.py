"""Matrix products, and einsum."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.pnnx.models import noise, one_op

SIZES = {"b": 2, "i": 3, "j": 4, "k": 5, "h": 2}


def test_linear_with_weights_and_with_operands() -> None:
    x, weight, bias = noise(2, 3, 4), noise(5, 4, seed=1), noise(5, seed=2)
    (output,) = one_op("nn.Linear", [x], "", {"weight": weight, "bias": bias})
    np.testing.assert_allclose(output, x @ weight.T + bias, rtol=1e-4, atol=1e-5)
    (output,) = one_op("F.linear", [x, weight, bias], "", names=["input", "weight", "bias"])
    np.testing.assert_allclose(output, x @ weight.T + bias, rtol=1e-4, atol=1e-5)


def test_addmm_with_factors() -> None:
    x, first, second = noise(2, 5), noise(2, 3, seed=1), noise(3, 5, seed=2)
    (output,) = one_op("torch.addmm", [x, first, second], "alpha=2 beta=0.5", names=["input", "mat1", "mat2"])
    np.testing.assert_allclose(output, 0.5 * x + 2 * (first @ second), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "equation",
    [
        "ik,kj->ij",
        "bik,bjk->bij",
        "bhik,bhjk->bhij",
        "ik,kj->ji",
        "i,j->ij",
        "i,i->",
        "bij,bij->b",
        "ij->ji",
        "bij->j",
        "bik,kj->bij",
        "bihk,bjhk->bhij",
    ],
)
def test_einsum_equals_numpy(equation: str) -> None:
    terms = equation.split("->")[0].split(",")
    arrays = [noise(*(SIZES[letter] for letter in term), seed=n) for n, term in enumerate(terms)]
    (output,) = one_op("torch.einsum", arrays, f"equation={equation}")
    np.testing.assert_allclose(output, np.einsum(equation, *arrays), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ii->i", [(3, 3)]),
        ("ii", [(3, 3)]),
        ("ij,jk", [(2, 3), (3, 4)]),
        ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]),
        ("...ij,...jk->...ik", [(6, 2, 3), (6, 3, 4)]),
    ],
)
def test_equations_of_any_terms(equation: str, shapes: list[tuple[int, ...]]) -> None:
    arrays = [noise(*shape, seed=n) for n, shape in enumerate(shapes)]
    (output,) = one_op("torch.einsum", arrays, f"equation={equation}")
    np.testing.assert_allclose(output, np.einsum(equation, *arrays), rtol=1e-4, atol=1e-5)


def test_an_ellipsis_that_the_file_leaves_out() -> None:
    x, y = noise(6, 2, 3), noise(6, 3, 4, seed=1)
    (output,) = one_op("torch.einsum", [x, y], "equation=ik,kj->ij")
    np.testing.assert_allclose(output, x @ y, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("equation", ["ij->k", "i,j->ij"])
def test_unsupported_equations_are_refused(equation: str) -> None:
    with pytest.raises(ModelParseError, match=r"equation"):
        one_op("torch.einsum", [noise(3, 3)], f"equation={equation}")
