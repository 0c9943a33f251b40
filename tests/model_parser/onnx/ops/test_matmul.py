"""Matrix products against the reference implementation of ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import check_against_reference, model_of, run

RNG = np.random.default_rng(5)


def real(*shape: int) -> Array:
    return RNG.normal(size=shape).astype(np.float32)


@pytest.mark.parametrize(
    ("x", "y"), [((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((3,), (3, 4)), ((2, 3), (3,)), ((3,), (3,))]
)
def test_matmul_equals_the_reference(x: tuple[int, ...], y: tuple[int, ...]) -> None:
    check_against_reference("MatMul", [real(*x), real(*y)], constants=[1])


@pytest.mark.parametrize(
    ("x", "y", "bias", "attrs"),
    [
        ((2, 3), (3, 4), (4,), {}),
        ((2, 3), (3, 4), None, {}),
        ((2, 3), (3, 4), None, {"alpha": 0.5}),
        ((3, 2), (4, 3), (2, 1), {"transA": 1, "transB": 1, "alpha": 0.5, "beta": 2.0}),
        ((2, 3), (4, 3), (), {"transB": 1}),
        ((2, 3), (3, 4), (2, 4), {"beta": 0.0}),
    ],
)
def test_gemm_equals_the_reference(
    x: tuple[int, ...], y: tuple[int, ...], bias: tuple[int, ...] | None, attrs: dict[str, Any]
) -> None:
    inputs = [real(*x), real(*y), None if bias is None else real(*bias)]

    check_against_reference("Gemm", inputs, attrs, constants=[1, 2])


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("ij->i", [(2, 3)]),
        ("...ii->...i", [(2, 3, 3)]),
        ("bij, bjk -> bik", [(2, 3, 4), (2, 4, 5)]),
        ("i,i", [(3,), (3,)]),
        ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 2)]),
    ],
)
def test_einsum_equals_the_reference(equation: str, shapes: list[tuple[int, ...]]) -> None:
    check_against_reference("Einsum", [real(*shape) for shape in shapes], {"equation": equation})


def test_einsum_without_an_equation_is_refused() -> None:
    with pytest.raises(ModelParseError, match=r"node \(Einsum\): attribute equation is missing"):
        run(model_of("Einsum", [real(2)]), {})


def test_det_equals_the_reference() -> None:
    check_against_reference("Det", [real(4, 3, 3)])
