"""layer_norm, group_norm and instance_norm against their formulas, row by row."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lite.errors import GraphError
from lite.plugin.kernel import Array
from tests.kernels.host.checked import checked


def random(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def standardized(row: Array, epsilon: float) -> Array:
    wanted: Array = (row.astype(float) - row.mean(dtype=float)) / np.sqrt(row.var(dtype=float) + epsilon)
    return wanted


@pytest.mark.parametrize(
    ("shape", "axis"), [((3, 4), 1), ((2, 3, 4), 2), ((2, 3, 4), 1), ((2, 2, 3, 2), 3), ((0, 4), 1)]
)
@pytest.mark.parametrize("affine", [True, False])
def test_layer_norm_standardises_rows(shape: tuple[int, ...], axis: int, affine: bool) -> None:
    x = random(*shape) * 3 + 2
    rows = x.reshape(int(np.prod(shape[:axis])), int(np.prod(shape[axis:])))
    scale, bias = random(rows.shape[1]), random(rows.shape[1]) + 1
    inputs = {"X": x, "Scale": scale, "Bias": bias} if affine else {"X": x}
    attrs: dict[str, Any] = {"begin_norm_axis": axis, "epsilon": 1e-3}

    y, mean, variance = checked("layer_norm", inputs, attrs, {"Y": 1, "Mean": 1, "Variance": 1})

    wanted = np.array([standardized(row, 1e-3) for row in rows]).reshape(rows.shape)
    if affine:
        wanted = wanted * scale + bias
    np.testing.assert_allclose(y, wanted.reshape(shape), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(mean, rows.mean(axis=1), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(variance, rows.var(axis=1), rtol=1e-5)


def test_layer_norm_needs_an_axis_to_keep() -> None:
    with pytest.raises(GraphError, match="layer_norm: attribute begin_norm_axis"):
        checked("layer_norm", {"X": random(2, 3)}, {"begin_norm_axis": 2})


def by_groups(x: Array, groups: int, epsilon: float) -> Array:
    """`x` with the channels in axis 1."""
    wanted = np.zeros(x.shape)
    size = x.shape[1] // groups
    for n, group in np.ndindex(x.shape[0], groups):
        part = slice(group * size, (group + 1) * size)
        wanted[n, part] = standardized(x[n, part], epsilon)
    return wanted


@pytest.mark.parametrize("groups", [1, 2, 6])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_group_norm_standardises_groups(groups: int, layout: str) -> None:
    x, scale, bias = random(2, 6, 3, 4) + 1, random(6), random(6) + 1
    given = x if layout == "NCHW" else x.transpose(0, 2, 3, 1)
    attrs: dict[str, Any] = {"groups": groups, "epsilon": 1e-3, "data_layout": layout}

    y, mean, variance = checked(
        "group_norm", {"X": given, "Scale": scale, "Bias": bias}, attrs, {"Y": 1, "Mean": 1, "Variance": 1}
    )

    wanted = by_groups(x, groups, 1e-3) * scale[:, None, None] + bias[:, None, None]
    rows = x.reshape(2, groups, -1)
    np.testing.assert_allclose(
        y if layout == "NCHW" else y.transpose(0, 3, 1, 2), wanted, rtol=1e-4, atol=1e-5
    )
    np.testing.assert_allclose(mean, rows.mean(axis=2), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(variance, rows.var(axis=2), rtol=1e-4)


def test_group_norm_takes_three_axes_without_scale() -> None:
    x = random(2, 4, 5)

    (y,) = checked("group_norm", {"X": x}, {"groups": 2})

    np.testing.assert_allclose(y, by_groups(x, 2, 1e-5), rtol=1e-4, atol=1e-5)


def test_groups_must_divide_the_channels() -> None:
    with pytest.raises(GraphError, match="group_norm: attribute groups: expected a divisor of 4 channels"):
        checked("group_norm", {"X": random(1, 4, 2, 2)}, {"groups": 3})


@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (3, 2, 6), (1, 2, 2, 3, 2)])
@pytest.mark.parametrize(
    ("activation", "params", "function"),
    [
        ("", [], lambda v: v),
        ("relu", [], lambda v: np.maximum(v, 0)),
        ("leaky_relu", [0.5], lambda v: np.where(v > 0, v, v / 2)),
    ],
)
def test_instance_norm_standardises_channels(
    shape: tuple[int, ...], activation: str, params: list[float], function: Any
) -> None:
    x, scale, bias = random(*shape), random(shape[1]), random(shape[1]) + 1
    attrs: dict[str, Any] = {"epsilon": 1e-3, "activation": activation, "activation_params": params}

    y, mean, inverse = checked(
        "instance_norm",
        {"X": x, "Scale": scale, "Bias": bias},
        attrs,
        {"Y": 1, "SavedMean": 1, "SavedVariance": 1},
    )

    per_channel = (-1, *[1] * (len(shape) - 2))
    wanted = by_groups(x, shape[1], 1e-3) * scale.reshape(per_channel) + bias.reshape(per_channel)
    rows = x.reshape(shape[0] * shape[1], -1)
    np.testing.assert_allclose(y, function(wanted), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(mean, rows.mean(axis=1), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(inverse, 1 / np.sqrt(rows.var(axis=1) + 1e-3), rtol=1e-4)


@pytest.mark.parametrize("op", ["layer_norm", "instance_norm"])
@pytest.mark.parametrize("dtype", [np.float64, np.float16, ml_dtypes.bfloat16])
def test_half_and_double_precision_are_computed(op: str, dtype: Any) -> None:
    x = random(2, 1, 12).astype(dtype)

    (y,) = checked(op, {"X": x})

    wanted = by_groups(x.astype(float), 1, 1e-5)
    assert y.dtype == dtype
    np.testing.assert_allclose(y.astype(float), wanted, rtol=2e-2, atol=2e-2)
