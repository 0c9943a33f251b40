"""Arithmetic of two tensors against loops over the indices of the result."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lite.errors import ExecutionError, GraphError
from lite.ir.program import AttrValue
from lite.plugin.kernel import Array, host_kernel
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked, same

Scalar = Callable[[float, float], float]

FLOATS: dict[str, Scalar] = {
    "elementwise_add": lambda a, b: a + b,
    "elementwise_div": lambda a, b: a / b,
    "elementwise_floordiv": lambda a, b: math.floor(a / b),
    "elementwise_max": max,
    "elementwise_min": min,
    "elementwise_mod": lambda a, b: a - math.floor(a / b) * b,
    "elementwise_mul": lambda a, b: a * b,
    "elementwise_pow": lambda a, b: abs(a) ** b,
    "elementwise_sub": lambda a, b: a - b,
}
INTEGERS: dict[str, Callable[[int, int], int]] = {
    "elementwise_add": lambda a, b: a + b,
    "elementwise_div": lambda a, b: math.trunc(a / b),
    "elementwise_floordiv": lambda a, b: a // b,
    "elementwise_max": max,
    "elementwise_min": min,
    "elementwise_mod": lambda a, b: a % b,
    "elementwise_mul": lambda a, b: a * b,
    "elementwise_pow": lambda a, b: round(float(a) ** b),
    "elementwise_sub": lambda a, b: a - b,
}

SHAPES = [
    ((2, 3, 4), (2, 3, 4), -1, (0, 1, 2)),
    ((2, 3, 4), (3, 4), -1, (1, 2)),
    ((2, 3, 4), (3,), 1, (1,)),
    ((2, 3, 4), (2, 3), 0, (0, 1)),
    ((2, 3, 4, 2), (4, 1, 1), 2, (2,)),
    ((2, 3, 4), (), -1, ()),
    ((), (2, 3), 1, ()),
    ((3,), (2, 3, 4), 1, (1,)),
    ((2, 3, 4), (1,), -1, ()),
    ((0, 3), (3,), -1, (1,)),
]


def expected(x: Array, y: Array, axes: tuple[int, ...], function: Callable[..., float]) -> Array:
    """The smaller of x and y is indexed by the result's index at `axes`."""
    large, small = (x, y) if x.ndim >= y.ndim else (y, x)
    result = np.zeros(large.shape)
    for index in itertools.product(*map(range, large.shape)):
        a = large[index].item()
        b = small.reshape([large.shape[axis] for axis in axes])[tuple(index[axis] for axis in axes)].item()
        result[index] = function(a, b) if large is x else function(b, a)
    return result


def sample(shape: tuple[int, ...], seed: int) -> Array:
    return np.random.default_rng(seed).uniform(0.5, 3, shape).astype(np.float32)


@pytest.mark.parametrize("name", sorted(FLOATS))
@pytest.mark.parametrize(("x_shape", "y_shape", "axis", "axes"), SHAPES)
def test_operands_broadcast_at_axis(
    name: str, x_shape: tuple[int, ...], y_shape: tuple[int, ...], axis: int, axes: tuple[int, ...]
) -> None:
    x, y = sample(x_shape, 1), sample(y_shape, 2)

    (got,) = checked(name, {"X": x, "Y": y}, {"axis": axis})

    np.testing.assert_allclose(got, expected(x, y, axes, FLOATS[name]), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("name", sorted(INTEGERS))
def test_integers_divide_towards_zero(name: str, dtype: type[np.integer]) -> None:
    x = np.array([[-7, -6, 0, 5, 7]], dtype)
    y = np.array([[2], [3]] if name == "elementwise_pow" else [[-3], [4]], dtype)

    (got,) = checked(name, {"X": x, "Y": y})

    wanted = [[INTEGERS[name](a, b) for a in x[0].tolist()] for b in y[:, 0].tolist()]
    np.testing.assert_array_equal(got, np.array(wanted, dtype))


@pytest.mark.parametrize("name", sorted(FLOATS))
@pytest.mark.parametrize(
    ("fused", "params", "activation"),
    [
        ("", [], lambda v: v),
        ("relu", [], lambda v: max(v, 0)),
        ("leaky_relu", [0.5], lambda v: v if v > 0 else v / 2),
    ],
)
def test_the_activation_follows(
    name: str, fused: str, params: list[float], activation: Callable[[float], float]
) -> None:
    x, y = sample((2, 3), 3), sample((3,), 4) * 3
    attrs: dict[str, AttrValue] = {"activation": fused, "activation_params": params}

    (got,) = checked(f"fusion_{name}_activation", {"X": x, "Y": y}, attrs)

    wanted = np.vectorize(activation)(expected(x, y, (1,), FLOATS[name]))
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("activation", "wanted"), [("", [-5.5, 6.5]), ("relu", [0, 6.5])])
def test_scale_and_bias_follow_the_product(activation: str, wanted: list[float]) -> None:
    inputs = {"X": float32([-1, 1]), "Y": float32([3, 3])}

    if not activation:
        (got,) = checked("elementwise_mul", inputs, {"scale": 2.0, "bias": 0.5})
        np.testing.assert_array_equal(got, float32(wanted))
    (got,) = checked(
        "fusion_elementwise_mul_activation", inputs, {"scale": 2.0, "bias": 0.5, "activation": activation}
    )
    np.testing.assert_array_equal(got, float32(wanted))


def test_the_result_may_overwrite_x() -> None:
    x, y = sample((4, 5), 5), sample((5,), 6)
    out = x.copy()

    host_kernel("elementwise_sub").run(out, y, out=out)

    np.testing.assert_array_equal(out, x - y)


def test_float_division_by_zero_gives_no_warnings() -> None:
    (got,) = checked("elementwise_div", {"X": float32([1, -1, 0]), "Y": float32([0, 0, 0])})

    np.testing.assert_array_equal(got, float32([np.inf, -np.inf, np.nan]))


@pytest.mark.parametrize("name", ["elementwise_div", "elementwise_floordiv", "elementwise_mod"])
def test_integer_division_by_zero_is_an_error(name: str) -> None:
    with pytest.raises(ExecutionError, match="integer division by zero"):
        checked(name, {"X": np.array([1, 2]), "Y": np.array([1, 0])})


def test_shapes_that_do_not_broadcast_are_refused() -> None:
    with pytest.raises(GraphError, match=r"elementwise_add: inputs: expected shapes that broadcast"):
        checked("elementwise_add", {"X": sample((2, 3), 1), "Y": sample((2,), 1)})


@pytest.mark.parametrize(("exponent", "number"), [(2, 2147483647), (3, 2097151), (0, 7), (-1, 5)])
def test_squares_and_cubes_of_integers_are_exact(exponent: int, number: int) -> None:
    x, y = np.array([number, -number]), np.array([[exponent]])
    wanted = [
        [int(float(each) ** exponent) if exponent < 2 else each**exponent for each in (number, -number)]
    ]

    same(checked("elementwise_pow", {"X": x, "Y": y})[0], np.array(wanted))
    same(checked("pow", {"X": x}, {"factor": float(exponent)})[0], np.array(wanted[0]))


def test_result_has_the_dtype_of_x() -> None:
    (got,) = checked("elementwise_add", {"X": float32([1, 2]), "Y": np.array([1, 2], np.int64)})

    np.testing.assert_array_equal(got, float32([2, 4]))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("is_large", [False, True])
def test_quotients_of_integers_round_towards_zero(dtype: Any, is_large: bool) -> None:
    limits = np.iinfo(dtype)
    low, high = (limits.min, limits.max) if is_large else (max(limits.min, -100), 100)
    generator = np.random.default_rng(0)
    x = generator.integers(low, high, (50, 7), dtype, endpoint=True)
    y = generator.integers(1, min(high, 9), (50, 7), dtype, endpoint=True)
    x[0], x[1], y[:2] = low + (low < 0), high, 1
    if low < 0:
        y[::3] = -y[::3]
    pairs = zip(x.reshape(-1).tolist(), y.reshape(-1).tolist(), strict=True)
    expected = [abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) for a, b in pairs]

    [result] = checked("elementwise_div", {"X": x, "Y": y})

    np.testing.assert_array_equal(result, np.array(expected, dtype).reshape(x.shape))
    assert result.dtype == dtype
