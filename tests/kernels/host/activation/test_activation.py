"""Activations against their definitions in double precision, one element at a time."""

from __future__ import annotations

import math
from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from lite.errors import GraphError
from lite.ir.program import AttrValue
from lite.kernels.host.activation.activation import ACTIVATIONS, activate
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked

Attrs = dict[str, AttrValue]

X = np.array([[-300.0, -20.0, -3.5, -1.0, -0.25, -0.0], [0.0, 0.125, 0.75, 2.5, 6.5, 300.0]], np.float32)


def gate(x: float) -> float:
    """The logistic function without overflow."""
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def softplus(x: float, beta: float = 1.0, threshold: float = 20.0) -> float:
    return x if beta * x > threshold else math.log1p(math.exp(beta * x)) / beta


def normal(x: float) -> float:
    return (1 + math.erf(x / math.sqrt(2))) / 2


CASES: list[tuple[str, Attrs, Callable[[float], float]]] = [
    ("celu", {}, lambda x: x if x > 0 else math.expm1(x)),
    ("celu", {"alpha": 2.5}, lambda x: x if x > 0 else 2.5 * math.expm1(x / 2.5)),
    ("elu", {}, lambda x: x if x > 0 else math.expm1(x)),
    ("elu", {"alpha": 0.3}, lambda x: x if x > 0 else 0.3 * math.expm1(x)),
    ("gelu", {}, lambda x: x * normal(x)),
    (
        "gelu",
        {"approximate": True},
        lambda x: x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    ),
    ("hard_sigmoid", {}, lambda x: min(max(0.2 * x + 0.5, 0), 1)),
    ("hard_sigmoid", {"slope": 0.4, "offset": 0.1}, lambda x: min(max(0.4 * x + 0.1, 0), 1)),
    ("hard_swish", {}, lambda x: x * min(max(x + 3, 0), 6) / 6),
    (
        "hard_swish",
        {"threshold": 4.0, "scale": 5.0, "offset": 1.5},
        lambda x: x * min(max(x + 1.5, 0), 4) / 5,
    ),
    ("leaky_relu", {}, lambda x: x if x > 0 else 0.02 * x),
    ("leaky_relu", {"alpha": 1.5}, lambda x: x if x > 0 else 1.5 * x),
    ("logsigmoid", {}, lambda x: x if x < -30 else -math.log1p(math.exp(-x))),
    ("mish", {}, lambda x: x * math.tanh(softplus(x))),
    ("mish", {"threshold": 2.0}, lambda x: x * math.tanh(softplus(x, 1.0, 2.0))),
    ("relu", {}, lambda x: max(x, 0)),
    ("relu6", {}, lambda x: min(max(x, 0), 6)),
    ("relu6", {"threshold": 2.0}, lambda x: min(max(x, 0), 2)),
    ("relu_clipped", {"Relu_clipped_coef": 1.5}, lambda x: min(max(x, 0), 1.5)),
    ("relu_clipped", {}, lambda x: min(max(x, 0), 6)),
    ("selu", {}, lambda x: 1.0507009873554805 * (x if x > 0 else 1.6732632423543772 * math.expm1(x))),
    ("selu", {"scale": 2.0, "alpha": 0.5}, lambda x: 2 * x if x > 0 else math.expm1(x)),
    ("sigmoid", {}, gate),
    ("softplus", {}, softplus),
    ("softplus", {"beta": 2.0, "threshold": 5.0}, lambda x: softplus(x, 2.0, 5.0)),
    ("softsign", {}, lambda x: x / (1 + abs(x))),
    ("swish", {}, lambda x: x * gate(x)),
    ("swish", {"beta": 0.5}, lambda x: x * gate(0.5 * x)),
    ("tanh", {}, math.tanh),
    ("thresholded_relu", {}, lambda x: x if x > 1 else 0),
    ("thresholded_relu", {"threshold": -2.0}, lambda x: x if x > -2 else 0),
]
IDS = [f"{name}-{','.join(map(str, attrs.values()))}" for name, attrs, _ in CASES]


def expected(function: Callable[[float], float], x: np.ndarray) -> np.ndarray:
    return np.array([function(v) for v in x.reshape(-1).tolist()]).reshape(x.shape)


def test_every_activation_has_a_case() -> None:
    assert {name for name, _, _ in CASES} == set(ACTIVATIONS)


@pytest.mark.parametrize(("name", "attrs", "function"), CASES, ids=IDS)
def test_activations_are_their_definitions(
    name: str, attrs: Attrs, function: Callable[[float], float]
) -> None:
    (got,) = checked(name, {"X": X}, attrs)

    np.testing.assert_allclose(got, expected(function, X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("name", "attrs", "function"), CASES, ids=IDS)
@pytest.mark.parametrize("columns", [2, 3, 4, 8])
def test_in_place_on_part_of_an_array(
    name: str, attrs: Attrs, function: Callable[[float], float], columns: int
) -> None:
    whole = np.stack([X] * columns, 2)
    params = [float(value) for value in attrs.values() if isinstance(value, int | float)]

    got = activate(name, whole[:, :, 1], params, out=whole[:, :, 1])

    np.testing.assert_allclose(got, expected(function, X), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(got, whole[:, :, 1])
    np.testing.assert_array_equal(X, whole[:, :, 0])


@pytest.mark.parametrize("name", sorted(ACTIVATIONS))
@pytest.mark.parametrize("shape", [(), (0, 3)], ids=["no axes", "empty"])
def test_empty_tensors_and_scalars_keep_their_shape(name: str, shape: tuple[int, ...]) -> None:
    x = np.full(shape, -0.5, np.float32)

    (got,) = checked(name, {"X": x})

    (flat,) = checked(name, {"X": x.reshape(-1)})
    np.testing.assert_allclose(got, flat.reshape(shape), rtol=1e-6)


@pytest.mark.parametrize("name", sorted(ACTIVATIONS))
@pytest.mark.parametrize(
    ("dtype", "tolerance"),
    [(np.float16, 2e-3), (ml_dtypes.bfloat16, 2e-2), (np.float64, 1e-12)],
    ids=["float16", "bfloat16", "float64"],
)
def test_half_and_double_precision_are_computed(name: str, dtype: type[np.generic], tolerance: float) -> None:
    x = np.array([-20.0, -1.5, -0.25, 0.0, 0.5, 2.0, 12.0], dtype)
    function = next(f for n, attrs, f in CASES if n == name and not attrs)

    (got,) = checked(name, {"X": x})

    np.testing.assert_allclose(
        got.astype(np.float64), expected(function, x.astype(np.float64)), rtol=tolerance, atol=tolerance
    )


@pytest.mark.parametrize(
    ("name", "limits"), [("sigmoid", (0, 1)), ("tanh", (-1, 1)), ("hard_sigmoid", (0, 1))]
)
def test_infinite_and_huge_numbers_give_no_warnings(name: str, limits: tuple[float, float]) -> None:
    x = np.array([-np.inf, -3.4e38, 3.4e38, np.inf], np.float32)

    (got,) = checked(name, {"X": x})

    np.testing.assert_array_equal(got, float32([limits[0], limits[0], limits[1], limits[1]]))


@pytest.mark.parametrize("name", ["celu", "elu", "selu"])
@pytest.mark.parametrize("scale", [1e-7, 1e-5, 1e-3])
def test_small_numbers_keep_their_digits(name: str, scale: float) -> None:
    x = np.linspace(-1, -0.1, 50, dtype=np.float32) * np.float32(scale)
    function = next(f for n, attrs, f in CASES if n == name and not attrs)

    (got,) = checked(name, {"X": x})

    np.testing.assert_allclose(got, expected(function, x.astype(np.float64)), rtol=1e-6)


@pytest.mark.parametrize("name", ["gelu", "hard_swish"])
def test_large_numbers_do_not_overflow(name: str) -> None:
    x = np.array([3e38, -3e38, 3.4e38, -3.4e38], np.float32)

    (got,) = checked(name, {"X": x})

    np.testing.assert_allclose(got, np.where(x > 0, x, 0), rtol=1e-6)


def test_relu_takes_integers() -> None:
    (got,) = checked("relu", {"X": np.array([-3, 0, 4], np.int64)})

    np.testing.assert_array_equal(got, [0, 0, 4])


def test_no_activation_is_the_identity() -> None:
    x = X.copy()
    out = np.zeros_like(x)

    assert activate("", x) is x
    assert activate("", x, out=x) is x
    np.testing.assert_array_equal(activate("", x, out=out), x)


def test_missing_parameters_have_their_defaults() -> None:
    np.testing.assert_array_equal(activate("hard_swish", X), activate("hard_swish", X, [6.0, 6.0, 3.0]))
    np.testing.assert_array_equal(
        activate("hard_swish", X, [4.0]), activate("hard_swish", X, [4.0, 6.0, 3.0])
    )


def test_an_unknown_name_suggests_near_ones() -> None:
    with pytest.raises(GraphError, match="'relu7' is not an activation; did you mean 'relu'"):
        activate("relu7", X)


def test_too_many_parameters_are_refused() -> None:
    with pytest.raises(
        GraphError, match=r"relu6: expected at most 1 numbers, for \['threshold'\], got \[1.0, 2.0\]"
    ):
        activate("relu6", X, [1.0, 2.0])
