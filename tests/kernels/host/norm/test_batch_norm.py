"""batch_norm and affine_channel against their formulas, channel by channel."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lite.plugin.kernel import Array
from tests.kernels.host.checked import checked

OUTPUTS = {"Y": 1, "MeanOut": 1, "VarianceOut": 1, "SavedMean": 1, "SavedVariance": 1}


def random(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def inputs(x: Array, channels: int) -> dict[str, Array]:
    parts = np.random.default_rng(1).uniform(0.5, 2, (4, channels)).astype(np.float32)
    return {"X": x, **dict(zip(("Scale", "Bias", "Mean", "Variance"), parts, strict=True))}


def normalised(given: dict[str, Array], axis: int, mean: Array, variance: Array, epsilon: float) -> Array:
    wanted = np.moveaxis(given["X"].astype(float), axis, 0).copy()
    for c in range(len(wanted)):
        wanted[c] = (wanted[c] - mean[c]) / np.sqrt(variance[c] + epsilon)
        wanted[c] = wanted[c] * given["Scale"][c] + given["Bias"][c]
    return np.moveaxis(wanted, 0, axis)


@pytest.mark.parametrize(
    ("shape", "layout", "axis"),
    [
        ((2, 3, 4, 5), "NCHW", 1),
        ((2, 4, 5, 3), "NHWC", 3),
        ((4, 3), "NCHW", 1),
        ((2, 3, 5), "NCHW", 1),
        ((1, 3, 2, 2, 2), "NCHW", 1),
        ((0, 3, 4, 5), "NCHW", 1),
    ],
)
def test_stored_statistics_are_used(shape: tuple[int, ...], layout: str, axis: int) -> None:
    given = inputs(random(*shape), 3)

    y, *_ = checked("batch_norm", given, {"data_layout": layout, "epsilon": 1e-3}, OUTPUTS)

    wanted = normalised(given, axis, given["Mean"], given["Variance"], 1e-3)
    np.testing.assert_allclose(y, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("attrs", [{"is_test": False}, {"trainable_statistics": True}])
def test_training_mode_uses_statistics_of_the_batch(attrs: dict[str, Any]) -> None:
    given = inputs(random(3, 2, 4, 5), 2)

    y, mean_out, variance_out, mean, inverse = checked("batch_norm", given, attrs, OUTPUTS)

    rows = np.moveaxis(given["X"].astype(float), 1, 0).reshape(2, -1)
    np.testing.assert_allclose(y, normalised(given, 1, rows.mean(1), rows.var(1), 1e-5), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(mean_out, given["Mean"])
    np.testing.assert_array_equal(variance_out, given["Variance"])
    np.testing.assert_allclose(mean, rows.mean(1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(inverse, 1 / np.sqrt(rows.var(1) + 1e-5), rtol=1e-5)


def test_global_statistics_overrule_training_mode() -> None:
    given = inputs(random(3, 2, 4, 5), 2)

    (y,) = checked("batch_norm", given, {"is_test": False, "use_global_stats": True})

    wanted = normalised(given, 1, given["Mean"], given["Variance"], 1e-5)
    np.testing.assert_allclose(y, wanted, rtol=1e-4, atol=1e-5)


def test_scale_and_bias_are_optional() -> None:
    given = inputs(random(2, 3, 4, 5), 3)

    (y,) = checked("batch_norm", {slot: given[slot] for slot in ("X", "Mean", "Variance")})

    plain = {**given, "Scale": np.ones(3), "Bias": np.zeros(3)}
    wanted = normalised(plain, 1, given["Mean"], given["Variance"], 1e-5)
    np.testing.assert_allclose(y, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_narrow_types_are_computed_in_float32(dtype: Any) -> None:
    given = inputs(random(2, 3, 4, 5).astype(dtype), 3)

    (y,) = checked("batch_norm", given)

    wanted = normalised(given, 1, given["Mean"], given["Variance"], 1e-5)
    assert y.dtype == dtype
    np.testing.assert_allclose(y.astype(float), wanted, rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize(
    ("shape", "layout", "axis"), [((2, 3, 4, 5), "NCHW", 1), ((2, 4, 5, 3), "NHWC", 3), ((4, 3), "NCHW", 1)]
)
def test_affine_channel_scales_each_channel(shape: tuple[int, ...], layout: str, axis: int) -> None:
    x, scale, bias = random(*shape), random(3), random(3) + 1

    (found,) = checked("affine_channel", {"X": x, "Scale": scale, "Bias": bias}, {"data_layout": layout})

    wanted = np.moveaxis(x, axis, 0).copy()
    for c in range(3):
        wanted[c] = wanted[c] * scale[c] + bias[c]
    np.testing.assert_array_equal(found, np.moveaxis(wanted, 0, axis))
