"""Arithmetic of tensors that broadcast, against numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from lite.kernels.cpu.elementwise.elementwise import Broadcast
from tests.kernels.cpu.bound import close, floats, run

OPERATIONS: dict[str, Callable[..., Any]] = {
    "elementwise_add": np.add,
    "elementwise_div": np.divide,
    "elementwise_max": np.maximum,
    "elementwise_min": np.minimum,
    "elementwise_mul": np.multiply,
    "elementwise_sub": np.subtract,
}

each_op = pytest.mark.parametrize("op", OPERATIONS)


def combined(op: str, x: Array, y: Array, **attrs: Any) -> Array:
    results, _ = run(op, {"X": x, "Y": y}, attrs)
    return results[0]


@each_op
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((1, 8, 25, 27), (1, 8, 1, 1)),
        ((8, 1, 1), (8, 25, 27)),
        ((70, 67), (67,)),
        ((67,), (70, 67)),
        ((3, 40, 1, 64), (3, 40, 7, 64)),
        ((2, 30, 77), (2, 1, 77)),
        ((300, 1), (1, 65)),
        ((3, 1, 9, 1, 50), (1, 4, 1, 2, 1)),
        ((3, 1, 9, 50), (1, 4, 9, 1)),
        ((600_000,), (1,)),
        ((1,), (3, 200_001)),
        ((2, 3, 100_001), (2, 3, 100_001)),
        ((3, 4), (4,)),
        ((5000, 3), (3,)),
        ((2, 0, 3), (3,)),
        ((), ()),
    ],
)
def test_broadcast_shapes_equal_numpy(op: str, first: tuple[int, ...], second: tuple[int, ...]) -> None:
    x, y = floats(1, *first), floats(2, *second)
    assert np.array_equal(combined(op, x, y), OPERATIONS[op](x, y))


@each_op
def test_the_attribute_axis_aligns_the_second_tensor(op: str) -> None:
    x, y = floats(1, 4, 6, 30, 31), floats(2, 6)
    np.testing.assert_array_equal(combined(op, x, y, axis=1), OPERATIONS[op](x, y[:, None, None]))


@each_op
def test_nan_and_infinity_equal_numpy(op: str) -> None:
    x, y = floats(1, 80, 81), floats(2, 81)
    x.flat[::7], y[::5] = np.nan, np.inf
    y[3], y[4] = np.nan, 0
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(combined(op, x, y), OPERATIONS[op](x, y))


@pytest.mark.parametrize(
    ("activation", "function"), [("relu", lambda v: np.maximum(v, 0)), ("tanh", np.tanh)]
)
@each_op
def test_a_fused_activation_is_applied(op: str, activation: str, function: Callable[[Array], Array]) -> None:
    x, y = floats(1, 90, 65), np.abs(floats(2, 65)) + 1
    fused = op.replace("elementwise", "fusion_elementwise") + "_activation"
    result = combined(fused, x, y, activation=activation)
    close(result, function(OPERATIONS[op](x.astype(np.float64), y)))


def test_other_dtypes_scales_and_activations_run_on_the_host() -> None:
    x, y = floats(1, 90, 65), floats(2, 65)
    assert not run("elementwise_mul", {"X": x, "Y": y}, {"scale": 2.0})[1]
    assert not run("elementwise_add", {"X": x, "Y": y.astype(np.float64)}, {})[1]
    attrs = {"activation": "softplus"}
    assert not run("fusion_elementwise_add_activation", {"X": x, "Y": y}, attrs)[1]


def test_inputs_need_not_be_contiguous() -> None:
    x, y = floats(1, 65, 90).T, floats(2, 130)[::2]
    np.testing.assert_array_equal(combined("elementwise_add", x, y), x + y)


def test_compiled_functions_take_four_axes_and_elements() -> None:
    assert Broadcast((64, 64), (64,)).is_possible
    assert Broadcast((2, 3), (3,)).is_possible
    assert not Broadcast((0, 3), (3,)).is_possible
    assert Broadcast((500_000,), (500_000,)).is_possible
    assert not Broadcast((2, 1, 9, 1, 50), (1, 4, 1, 2, 1)).is_possible


@each_op
@pytest.mark.parametrize("width", [1, 2, 7, 8, 15, 16, 17, 33, 47])
def test_short_rows_are_compiled(op: str, width: int) -> None:
    shapes = [((70, 90, 1), (70, 1, width)), ((70, 90, width), (90, 1)), ((6300, width), (1, width))]
    for x_shape, y_shape in shapes:
        x, y = floats(1, *x_shape), np.abs(floats(2, *y_shape)) + 1
        close(combined(op, x, y), OPERATIONS[op](x.astype(np.float64), y))
        close(combined(op, np.abs(y), np.abs(x) + 1), OPERATIONS[op](y.astype(np.float64), np.abs(x) + 1))
