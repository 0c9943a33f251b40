"""einsum as matrix products against numpy in double precision."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind, close, floats, run

SIZES = {"a": 2, "b": 3, "i": 20, "j": 17, "k": 5, "l": 4}


@pytest.mark.parametrize(
    ("equation", "is_compiled"),
    [
        ("aik,akj->aij", True),
        ("aik,ajk->aij", True),
        ("abik,abjk->abij", True),
        ("ail,aljk->aijk", True),
        ("aibkl,aklj->aibj", True),
        ("aikl,ajkl->aij", True),
        ("aikl,ajlk->aij", True),
        ("ik,kj->ij", True),
        ("ik,jk", True),
        ("ai,aj->aij", True),
        ("aki,akj->aij", True),
        ("aik,akj->aji", True),
        ("aik,bkj->abij", True),
        ("iabk,jabk->abij", True),
        ("abij,jabk->iabk", True),
        ("abij,kjb->akib", True),
        ("ik,kj->ji", True),
        ("aik,akj->ai", False),
        ("aik,kj->ij", False),
        ("bk,bk->b", True),
        ("ii,ij->ij", False),
        ("...ik,...kj->...ij", True),
        ("...iak,...jak->...aij", True),
        ("aik,akj,aj->aij", False),
        ("aik->ai", False),
        ("aik->aik", True),
        ("aik->kia", True),
        ("ik->ki", True),
        ("iaai->ai", True),
        ("bii->bi", True),
        ("bii->ib", True),
        ("ii->i", True),
        ("iii->i", True),
        ("ii->", False),
        ("...ik->...ki", True),
    ],
)
def test_every_equation_equals_numpy(equation: str, is_compiled: bool) -> None:
    terms = equation.partition("->")[0].split(",")
    shapes = [[SIZES[letter] for letter in term.replace("...", "a")] for term in terms]
    operands = [floats(n, *shape) for n, shape in enumerate(shapes)]
    attrs = {"equation": equation}

    results, _ = run("einsum", {"Operands": operands}, attrs)

    close(results[0], np.einsum(equation, *(operand.astype(np.float64) for operand in operands)))
    assert bind("einsum", {"Operands": operands}, attrs).is_compiled == is_compiled


def test_an_axis_of_size_1_stands_for_every_size() -> None:
    x, y = floats(1, 2, 20, 5), floats(2, 1, 5, 17)
    results, _ = run("einsum", {"Operands": [x, y]}, {"equation": "aik,akj->aij"})
    close(results[0], x.astype(np.float64) @ y)
