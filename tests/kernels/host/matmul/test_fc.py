"""fc and mul against products of plain matrices."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ExecutionError, GraphError
from lite.ops import get_schema
from lite.plugin.kernel import Array, host_kernel
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked


def sample(shape: tuple[int, ...], seed: int) -> Array:
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float32)


def rows_times(x: Array, w: Array) -> Array:
    """The product of two matrices, element by element."""
    return float32([[sum(float(a * b) for a, b in zip(r, c, strict=True)) for c in w.T] for r in x])


@pytest.mark.parametrize(
    ("x_shape", "y_shape", "x_axes", "y_axes", "wanted_shape"),
    [
        ((3, 4), (4, 2), 1, 1, (3, 2)),
        ((2, 3, 4), (4, 5), 2, 1, (2, 3, 5)),
        ((2, 3, 4), (12, 5), 1, 1, (2, 5)),
        ((2, 3, 2, 2), (2, 2, 5, 1), 2, 2, (2, 3, 5, 1)),
        ((2, 3, 0), (0, 5), 2, 1, (2, 3, 5)),
    ],
)
def test_mul_flattens_to_matrices(
    x_shape: tuple[int, ...],
    y_shape: tuple[int, ...],
    x_axes: int,
    y_axes: int,
    wanted_shape: tuple[int, ...],
) -> None:
    x, y = sample(x_shape, 1), sample(y_shape, 2)

    (got,) = checked("mul", {"X": x, "Y": y}, {"x_num_col_dims": x_axes, "y_num_col_dims": y_axes})

    inner = int(np.prod(x_shape[x_axes:]))
    rows = int(np.prod(x_shape[:x_axes]))
    wanted = rows_times(x.reshape(rows, inner), y.reshape(inner, int(np.prod(y_shape[y_axes:]))))
    np.testing.assert_array_equal(got, wanted.reshape(wanted_shape))


@pytest.mark.parametrize(("shape", "axes"), [((5, 6), 1), ((2, 3, 6), 2), ((2, 3, 2), 1), ((0, 6), 1)])
@pytest.mark.parametrize("bias", [None, (4,), (1, 4)])
def test_fc_multiplies_and_adds_the_bias(
    shape: tuple[int, ...], axes: int, bias: tuple[int, ...] | None
) -> None:
    inputs = {"Input": sample(shape, 3), "W": sample((6, 4), 4)}
    if bias is not None:
        inputs["Bias"] = sample(bias, 5)

    (got,) = checked("fc", inputs, {"in_num_col_dims": axes})

    rows = int(np.prod(shape[:axes]))
    wanted = rows_times(inputs["Input"].reshape(rows, 6), inputs["W"]).reshape(rows, 4)
    wanted = wanted + inputs.get("Bias", np.zeros(4, np.float32)).reshape(4)
    np.testing.assert_array_equal(got, wanted.reshape(*shape[:axes], 4))


def test_padded_weights_ignore_the_last_four() -> None:
    x, w = sample((2, 3), 6), np.full((7, 9), 100, np.float32)
    w[:3, :5] = sample((3, 5), 7)

    (got,) = checked("fc", {"Input": x, "W": w}, {"padding_weights": True})

    np.testing.assert_array_equal(got, rows_times(x, w[:3, :5]))


X, W, B = float32([[1, 2], [-1, 1]]), float32([[1, -2], [3, 1]]), float32([0.5, -1])
LINEAR = float32([[7.5, -1], [2.5, 2]])


@pytest.mark.parametrize(
    ("attrs", "wanted"),
    [
        ({}, LINEAR),
        ({"activation": "relu"}, np.maximum(LINEAR, 0)),
        ({"activation": "relu6"}, np.clip(LINEAR, 0, 6)),
        (
            {"activation": "leaky_relu", "activation_params": [0.5]},
            np.where(LINEAR > 0, LINEAR, LINEAR / 2),
        ),
    ],
)
def test_the_activation_follows(attrs: dict[str, str | list[float]], wanted: Array) -> None:
    (got,) = checked("fc", {"Input": X, "W": W, "Bias": B}, dict(attrs))

    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize(
    ("mode", "alpha", "wanted"),
    [("all", [0.25], -0.25), ("channel", [0.25, 4.0], -4.0), ("element", [[2.0, 3.0], [4.0, 5.0]], -3.0)],
)
def test_fused_prelu_takes_slopes(mode: str, alpha: list[float], wanted: float) -> None:
    inputs = {"Input": X, "W": W, "Bias": B, "Alpha": np.array(alpha, np.float32)}

    (got,) = checked("fc", inputs, {"activation": "prelu", "prelu_mode": mode})

    np.testing.assert_array_equal(got, float32([[7.5, wanted], [2.5, 2]]))


def test_fused_prelu_without_slopes_is_an_error() -> None:
    with pytest.raises(ExecutionError, match="fc: its activation is prelu, but slot Alpha is empty"):
        checked("fc", {"Input": X, "W": W}, {"activation": "prelu"})


def test_the_result_may_be_part_of_an_array() -> None:
    whole = np.zeros((2, 5), np.float32)

    kernel = host_kernel("fc")
    kernel.run(X, W, B, **kernel.keywords(get_schema("fc").attr_values({})), out=whole[:, 1:3])

    np.testing.assert_array_equal(whole, np.pad(LINEAR, ((0, 0), (1, 2))))


@pytest.mark.parametrize(
    ("op", "inputs", "attrs", "message"),
    [
        ("fc", {"Input": X, "W": np.zeros((3, 4), np.float32)}, {}, "fc: Y: expected 2 rows"),
        (
            "fc",
            {"Input": X, "W": W},
            {"in_num_col_dims": 2},
            "fc: attribute in_num_col_dims: expected 1 to 1, got 2",
        ),
        (
            "mul",
            {"X": X, "Y": W},
            {"y_num_col_dims": 2},
            "mul: x_num_col_dims, y_num_col_dims: expected axes inside",
        ),
    ],
)
def test_shapes_that_do_not_fit_are_refused(
    op: str, inputs: dict[str, Array], attrs: dict[str, int], message: str
) -> None:
    with pytest.raises(GraphError, match=message):
        checked(op, inputs, dict(attrs))
