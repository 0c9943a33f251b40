"""Normalisations and reductions of the SDK against their definitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.bridges.arrays import assert_close, floats, integers
from tests.bridges.sim_npu.sdk.program_run import refusal, run


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4, 5), (1, 3, 2, 2, 2)])
def test_scale_shift_follows_the_definition(shape: tuple[int, ...]) -> None:
    x, scale, shift = floats(*shape), floats(3, seed=1), floats(3, seed=2)
    expected = np.empty(shape)
    for place in np.ndindex(shape):
        expected[place] = float(x[place]) * float(scale[place[1]]) + float(shift[place[1]])

    (result,) = run("SCALE_SHIFT", x, scale, shift, constants=[1, 2])

    assert_close(result, expected.astype(np.float32), 1e-6)


@pytest.mark.parametrize(("shape", "axis"), [((4, 6), 1), ((2, 3, 4), 1), ((5,), 0), ((2, 2, 3), 2)])
def test_layer_norm_follows_the_definition(shape: tuple[int, ...], axis: int) -> None:
    x, count = 3 * floats(*shape) + 10, math.prod(shape[axis:])
    gamma, beta = floats(count, seed=1), floats(count, seed=2)
    expected = np.empty((math.prod(shape[:axis]), count))
    for n, row in enumerate(x.reshape(expected.shape).tolist()):
        mean = math.fsum(row) / count
        spread = math.sqrt(math.fsum((value - mean) ** 2 for value in row) / count + 0.01)
        expected[n] = [(v - mean) / spread * g + b for v, g, b in zip(row, gamma, beta, strict=True)]

    (result,) = run("LAYER_NORM", x, gamma, beta, axis=axis, epsilon=0.01)

    assert_close(result, expected.reshape(shape).astype(np.float32), 1e-5)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_softmax_follows_the_definition(axis: int) -> None:
    x = 5 * floats(2, 3, 4)
    expected = np.empty(x.shape)
    for place in np.ndindex(x.shape):
        line = np.moveaxis(x, axis, -1)[tuple(i for n, i in enumerate(place) if n != axis)]
        expected[place] = 1 / math.fsum(math.exp(float(value) - float(x[place])) for value in line)

    (result,) = run("SOFTMAX", x, axis=axis)

    assert_close(result, expected.astype(np.float32), 1e-6)


def test_softmax_of_large_numbers_does_not_overflow() -> None:
    assert run("SOFTMAX", np.array([1e4, 0], np.float32), axis=0)[0].tolist() == [1, 0]


@pytest.mark.parametrize("axes", [[0], [1, 2], [2, 0], [0, 1, 2]])
def test_reduced_axes_get_size_one(axes: list[int]) -> None:
    x = floats(2, 3, 4)
    expected = np.zeros([1 if n in axes else size for n, size in enumerate(x.shape)])
    for place in np.ndindex(x.shape):
        expected[tuple(0 if n in axes else i for n, i in enumerate(place))] += float(x[place])
    expected /= math.prod(x.shape[axis] for axis in axes)

    (result,) = run("REDUCE_MEAN", x, axes=axes)

    assert_close(result, expected.astype(np.float32), 1e-6)


X, C = floats(2, 3, 4), floats(3)


@pytest.mark.parametrize(
    ("kind", "arrays", "attributes", "sentence"),
    [
        (
            "SCALE_SHIFT",
            (X, floats(4), floats(4)),
            {},
            (
                "104 INVALID_SHAPE: SCALE_SHIFT: scale float32[4], shift float32[4]: "
                "float32[2, 3, 4] has 3 channels"
            ),
        ),
        (
            "SCALE_SHIFT",
            (floats(3), C, C),
            {},
            "103 INVALID_ATTRIBUTE: SCALE_SHIFT: float32[3] has no axis 1",
        ),
        (
            "LAYER_NORM",
            (X, C, C),
            {"axis": 1},
            (
                "104 INVALID_SHAPE: LAYER_NORM: gamma float32[3], beta float32[3]: float32[2, 3, 4] has 12 "
                "elements from 1 on"
            ),
        ),
        ("SOFTMAX", (X,), {"axis": -1}, "107 LIMIT_EXCEEDED: SOFTMAX: axis -1 (supported: 0 to 4)"),
        ("SOFTMAX", (integers(3),), {"axis": 0}, "105 INVALID_DTYPE: SOFTMAX: int32[3] (supported: float32)"),
        (
            "REDUCE_MEAN",
            (X,),
            {"axes": [1, 1]},
            "103 INVALID_ATTRIBUTE: REDUCE_MEAN: axes are [1, 1], expected at least one, and none twice",
        ),
        (
            "REDUCE_MEAN",
            (X,),
            {"axes": [3]},
            "103 INVALID_ATTRIBUTE: REDUCE_MEAN: float32[2, 3, 4] has no axis 3",
        ),
    ],
)
def test_arguments_that_do_not_fit_are_errors(
    kind: str, arrays: tuple[Array, ...], attributes: dict[str, Any], sentence: str
) -> None:
    assert refusal(kind, *arrays, constants=[1, 2], **attributes) == f"NPU-{sentence}"


def test_a_computed_scale_is_an_error() -> None:
    assert refusal("SCALE_SHIFT", X, C, C, constants=[2]) == (
        "NPU-106 NOT_CONSTANT: SCALE_SHIFT: input 1 must be a constant"
    )
