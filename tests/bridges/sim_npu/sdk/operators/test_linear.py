"""Matrix products of the SDK against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.bridges.arrays import assert_close, floats, integers
from tests.bridges.sim_npu.sdk.program_run import refusal, run


@pytest.mark.parametrize("activation", ["NONE", "RELU", "RELU6"])
@pytest.mark.parametrize("biased", [False, True])
def test_fully_connected_equals_numpy(activation: str, biased: bool) -> None:
    x, w, b = floats(2, 3, 5), 3 * floats(5, 4, seed=1), floats(4, seed=2)
    expected = np.empty((2, 3, 4))
    for n, i, o in np.ndindex(expected.shape):
        total = sum(float(x[n, i, k]) * float(w[k, o]) for k in range(5)) + (float(b[o]) if biased else 0)
        low, high = {"NONE": (-np.inf, np.inf), "RELU": (0, np.inf), "RELU6": (0, 6)}[activation]
        expected[n, i, o] = min(max(total, low), high)
    assert expected.max() >= 6

    (result,) = run(
        "FULLY_CONNECTED", x, w, *([b] if biased else []), constants=[1, 2], activation=activation
    )

    assert_close(result, expected.astype(np.float32), 1e-5)


@pytest.mark.parametrize(
    ("a", "b", "flags"),
    [
        ((3, 4), (4, 5), {}),
        ((4, 3), (5, 4), {"transpose_a": True, "transpose_b": True}),
        ((2, 3, 4), (1, 4, 5), {}),
        ((1, 2, 3, 4), (5, 1, 4, 2), {}),
        ((2, 4, 3), (2, 4, 5), {"transpose_a": True}),
    ],
)
def test_matmul_equals_numpy(a: tuple[int, ...], b: tuple[int, ...], flags: dict[str, Any]) -> None:
    x, y = floats(*a), floats(*b, seed=1)
    left = np.swapaxes(x, -1, -2) if flags.get("transpose_a") else x
    right = np.swapaxes(y, -1, -2) if flags.get("transpose_b") else y
    expected = np.empty((*np.broadcast_shapes(a[:-2], b[:-2]), left.shape[-2], right.shape[-1]))
    left, right = (
        np.broadcast_to(left, expected.shape[:-2] + left.shape[-2:]),
        np.broadcast_to(right, expected.shape[:-2] + right.shape[-2:]),
    )
    for place in np.ndindex(expected.shape):
        row, column = left[(*place[:-1],)], right[(*place[:-2], slice(None), place[-1])]
        expected[place] = sum(float(p) * float(q) for p, q in zip(row, column, strict=True))

    (result,) = run("MATMUL", x, y, **flags)

    assert_close(result, expected.astype(np.float32), 1e-5)


@pytest.mark.parametrize(
    ("kind", "arrays", "sentence"),
    [
        (
            "MATMUL",
            (floats(4), floats(4)),
            "104 INVALID_SHAPE: MATMUL: float32[4] cannot be multiplied by float32[4]",
        ),
        (
            "MATMUL",
            (floats(3, 4), floats(3, 4)),
            "104 INVALID_SHAPE: MATMUL: float32[3, 4] cannot be multiplied by float32[3, 4]",
        ),
        (
            "MATMUL",
            (floats(2, 3, 4), floats(3, 4, 5)),
            "104 INVALID_SHAPE: MATMUL: float32[2, 3, 4] and float32[3, 4, 5] cannot be broadcast",
        ),
        (
            "MATMUL",
            (integers(2, 2), integers(2, 2)),
            "105 INVALID_DTYPE: MATMUL: int32[2, 2] (supported: float32)",
        ),
        (
            "FULLY_CONNECTED",
            (floats(2, 4), floats(3, 5)),
            "104 INVALID_SHAPE: FULLY_CONNECTED: weights float32[3, 5] do not fit float32[2, 4]",
        ),
        (
            "FULLY_CONNECTED",
            (floats(2, 4), floats(4, 5), floats(4)),
            "104 INVALID_SHAPE: FULLY_CONNECTED: bias float32[4] does not fit weights float32[4, 5]",
        ),
    ],
)
def test_tensors_that_do_not_fit_are_errors(kind: str, arrays: tuple[Array, ...], sentence: str) -> None:
    constants = [1, 2] if kind == "FULLY_CONNECTED" else []
    assert refusal(kind, *arrays, constants=constants) == f"NPU-{sentence}"


def test_computed_weights_are_an_error() -> None:
    assert refusal("FULLY_CONNECTED", floats(2, 4), floats(4, 5)) == (
        "NPU-106 NOT_CONSTANT: FULLY_CONNECTED: input 1 must be a constant"
    )
