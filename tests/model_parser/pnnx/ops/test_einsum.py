"""torch.einsum equals numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.pnnx.models import noise, one_op

SIZES = {"b": 2, "i": 3, "j": 4, "k": 5, "h": 2}


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
def test_equations(equation: str) -> None:
    terms = equation.split("->")[0].split(",")
    arrays = [noise(*(SIZES[letter] for letter in term), seed=n) for n, term in enumerate(terms)]
    (got,) = one_op("torch.einsum", arrays, f"equation={equation}")
    np.testing.assert_allclose(got, np.einsum(equation, *arrays), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("equation", ["ii->i", "ij", "...i->i", "ij->k", "ijk->i", "i,j->ij"])
def test_refused(equation: str) -> None:
    with pytest.raises(ModelParseError, match=r"parameter equation: "):
        one_op("torch.einsum", [noise(3, 3)], f"equation={equation}")
