"""Matrix products against ONNX's reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import matches_reference, model_of, run

DRAW = np.random.default_rng(5)


def real(*shape: int) -> Array:
    return DRAW.normal(size=shape).astype(np.float32)


@pytest.mark.parametrize(
    ("x", "y"), [((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((3,), (3, 4)), ((2, 3), (3,)), ((3,), (3,))]
)
def test_matmul(x: tuple[int, ...], y: tuple[int, ...]) -> None:
    matches_reference("MatMul", [real(*x), real(*y)], constants=[1])


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
def test_gemm(
    x: tuple[int, ...], y: tuple[int, ...], bias: tuple[int, ...] | None, attrs: dict[str, Any]
) -> None:
    inputs = [real(*x), real(*y), None if bias is None else real(*bias)]

    matches_reference("Gemm", inputs, attrs, constants=[1, 2])


@pytest.mark.parametrize("points", [(None, None), ((), ()), ((2,), (4,)), (None, (4,))])
def test_matmul_integer(points: tuple[tuple[int, ...] | None, ...]) -> None:
    x, y = DRAW.integers(0, 256, (2, 3), np.uint8), DRAW.integers(-128, 128, (3, 4), np.int8)
    zeros = [
        None if shape is None else DRAW.integers(1, 9, shape).astype(array.dtype)
        for shape, array in zip(points, (x, y), strict=True)
    ]
    wide = [array.astype(np.int32) for array in (x, y)]
    if zeros[0] is not None:
        wide[0] = wide[0] - zeros[0].reshape(-1, 1)
    if zeros[1] is not None:
        wide[1] = wide[1] - zeros[1]

    fed = {f"x{n}": array for n, array in enumerate([x, y, *zeros]) if array is not None}
    found = run(model_of("MatMulInteger", [x, y, *zeros]), fed)

    np.testing.assert_array_equal(found["y0"], wide[0] @ wide[1])
    assert found["y0"].dtype == np.int32


def test_qlinear_matmul() -> None:
    x, y = DRAW.integers(0, 256, (2, 3), np.uint8), DRAW.integers(0, 256, (3, 4), np.uint8)
    zeros = [np.array(n, np.uint8) for n in (113, 114, 118)]
    scales = [np.array(n, np.float32) for n in (0.0066, 0.00705, 0.0107)]

    matches_reference("QLinearMatMul", [x, scales[0], zeros[0], y, scales[1], zeros[1], scales[2], zeros[2]])


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
def test_einsum(equation: str, shapes: list[tuple[int, ...]]) -> None:
    matches_reference("Einsum", [real(*shape) for shape in shapes], {"equation": equation})


def test_einsum_without_equation() -> None:
    with pytest.raises(ModelParseError, match=r"node \(Einsum\): attribute equation is missing"):
        run(model_of("Einsum", [real(2)]), {})


def test_det() -> None:
    matches_reference("Det", [real(4, 3, 3)])
