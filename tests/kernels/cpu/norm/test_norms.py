"""Normalisation against its definition in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.cpu.bound import bind, close, floats, run, run_compiled

STATISTICS = ("Scale", "Bias", "Mean", "Variance")


def statistics(channels: int) -> dict[str, Array]:
    vectors = {slot: floats(n, channels) for n, slot in enumerate(STATISTICS)}
    vectors["Variance"] = np.abs(vectors["Variance"]) + np.float32(0.1)
    return vectors


@pytest.mark.parametrize("shape", [(2, 3), (4, 35), (2, 3, 7), (1, 5, 4, 5), (2, 9, 3, 3), (2, 2, 3, 4, 5)])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("is_affine", [True, False])
def test_batch_norm_follows_the_definition(shape: tuple[int, ...], layout: str, is_affine: bool) -> None:
    axis = 1 if layout == "NCHW" else len(shape) - 1
    x, parameters = floats(9, *shape), statistics(shape[axis])
    if not is_affine:
        del parameters["Scale"], parameters["Bias"]
    attrs = {"epsilon": 1e-3, "is_test": True, "data_layout": layout}
    results = run_compiled("batch_norm", {"X": x, **parameters}, attrs, STATISTICS)
    by_channel = np.moveaxis(x.astype(np.float64), axis, -1)
    expected = (by_channel - parameters["Mean"]) / np.sqrt(parameters["Variance"].astype(np.float64) + 1e-3)
    expected = expected * parameters.get("Scale", 1) + parameters.get("Bias", 0)
    close(results[0], np.moveaxis(expected, -1, axis))


def test_batch_norm_with_computed_statistics_runs_on_the_host() -> None:
    inputs = {"X": floats(9, 2, 3, 4, 4), **statistics(3)}
    assert not run("batch_norm", inputs, {"is_test": False}, STATISTICS)[1]
    assert not run("batch_norm", inputs, {"is_test": True}, STATISTICS[:3])[1]
    assert not run("batch_norm", {**inputs, "X": floats(9, 0, 3, 4, 4)}, {}, STATISTICS)[1]


def by_groups(x: Array, groups: int, epsilon: float) -> tuple[Array, Array, Array]:
    rows = x.astype(np.float64).reshape(len(x), groups, -1)
    mean, variance = rows.mean(2, keepdims=True), rows.var(2, keepdims=True)
    result = (rows - mean) / np.sqrt(variance + epsilon)
    return result.reshape(x.shape), mean[..., 0], variance[..., 0]


def affine(x: Array, scale: Array, bias: Array) -> Array:
    shape = (1, -1, *[1] * (x.ndim - 2))
    result: Array = x * scale.reshape(shape) + bias.reshape(shape)
    return result


@pytest.mark.parametrize(
    ("shape", "groups"),
    [
        ((2, 4), 2),
        ((2, 6, 5), 3),
        ((1, 8, 7, 9), 2),
        ((3, 4, 1, 1), 1),
        ((1, 4, 50, 60), 2),
        ((2, 3, 2, 3, 4), 3),
    ],
)
@pytest.mark.parametrize("is_affine", [True, False])
def test_group_norm_follows_the_definition(shape: tuple[int, ...], groups: int, is_affine: bool) -> None:
    x, scale, bias = floats(1, *shape) + 5, floats(2, shape[1]), floats(3, shape[1])
    parameters = {"Scale": scale, "Bias": bias} if is_affine else {}
    results = run_compiled("group_norm", {"X": x, **parameters}, {"groups": groups, "epsilon": 1e-4})
    expected, mean, variance = by_groups(x, groups, 1e-4)
    close(results[0], affine(expected, scale, bias) if is_affine else expected, 2e-5)
    close(results[1], mean)
    close(results[2], variance)


def test_group_norm_of_nhwc_and_of_empty_images_runs_on_the_host() -> None:
    x = floats(1, 2, 5, 5, 4)
    assert not run("group_norm", {"X": x}, {"groups": 2, "data_layout": "NHWC"})[1]
    assert not run("group_norm", {"X": x[:0]}, {"groups": 1})[1]


@pytest.mark.parametrize("shape", [(2, 4, 9), (1, 3, 7, 9), (2, 3, 1, 1), (1, 2, 65, 70)])
@pytest.mark.parametrize("activation", ["", "relu"])
def test_instance_norm_follows_the_definition(shape: tuple[int, ...], activation: str) -> None:
    x, scale, bias = floats(1, *shape) - 3, floats(2, shape[1]), floats(3, shape[1])
    inputs = {"X": x, "Scale": scale, "Bias": bias}
    results = run_compiled("instance_norm", inputs, {"epsilon": 1e-4, "activation": activation})
    normal, mean, variance = by_groups(x, shape[1], 1e-4)
    expected = affine(normal, scale, bias)
    close(results[0], np.maximum(expected, 0) if activation else expected, 2e-5)
    close(results[1], mean.reshape(-1))
    close(results[2], 1 / np.sqrt(variance.reshape(-1) + 1e-4))


@pytest.mark.parametrize("shape", [(0, 3, 4), (2, 0, 4)])
def test_instance_norm_of_an_empty_image_runs_on_the_host(shape: tuple[int, ...]) -> None:
    inputs = {"X": floats(5, *shape), "Scale": floats(6, shape[1]), "Bias": floats(7, shape[1])}
    assert not run("instance_norm", inputs, {})[1]


def test_numbers_far_from_zero_keep_their_differences() -> None:
    x = (1000 + floats(1, 1, 1, 64, 64)).astype(np.float32)
    results = run_compiled("instance_norm", {"X": x}, {"epsilon": 1e-5})
    close(results[0], by_groups(x, 1, 1e-5)[0], 1e-4)


@pytest.mark.parametrize(
    ("shape", "axis"), [((5,), 0), ((3, 7), 1), ((2, 3, 40), 2), ((2, 3, 40), 1), ((1, 4100), 1)]
)
@pytest.mark.parametrize("is_scaled", [True, False])
def test_rms_norm_follows_the_definition(shape: tuple[int, ...], axis: int, is_scaled: bool) -> None:
    x, scale = floats(1, *shape), floats(2, *shape[axis:])
    attrs = {"begin_norm_axis": axis, "epsilon": 1e-4}
    results = run_compiled("rms_norm", {"X": x, "Scale": scale} if is_scaled else {"X": x}, attrs)
    wide = x.astype(np.float64)
    squares = np.square(wide).mean(tuple(range(axis, x.ndim)), keepdims=True)
    close(results[0], wide / np.sqrt(squares + 1e-4) * (scale if is_scaled else 1))


def test_rms_norm_with_a_scale_that_broadcasts_runs_on_the_host() -> None:
    attrs = {"begin_norm_axis": 1}
    assert not run("rms_norm", {"X": floats(1, 2, 3, 4), "Scale": floats(2, 4)}, attrs)[1]


@pytest.mark.parametrize("shape", [(6,), (4, 1), (3, 17), (2, 3, 2100)])
def test_norm_follows_the_definition(shape: tuple[int, ...]) -> None:
    x = floats(1, *shape)
    results = run_compiled("norm", {"X": x}, {"axis": -1, "epsilon": 1e-6})
    lengths = np.sqrt(np.square(x.astype(np.float64)).sum(-1, keepdims=True) + 1e-6)
    close(results[0], x / lengths)
    close(results[1], lengths)


@pytest.mark.parametrize("op", ["norm", "lp_normalize"])
def test_norms_along_another_axis_run_on_the_host(op: str) -> None:
    assert not run(op, {"X": floats(1, 2, 3, 4)}, {"axis": 1})[1]
    assert not run(op, {"X": floats(1, 0, 4)}, {"axis": -1})[1]


def test_lp_normalize_follows_the_definition() -> None:
    x = floats(1, 3, 19)
    x[1] = 0
    lengths = np.sqrt(np.square(x.astype(np.float64)).sum(-1, keepdims=True))
    (result,) = run_compiled("lp_normalize", {"X": x}, {"axis": -1, "porder": 2})
    close(result, np.divide(x, lengths, out=np.zeros((3, 19)), where=lengths != 0))
    assert not run("lp_normalize", {"X": x}, {"axis": -1, "porder": 1})[1]


@pytest.mark.parametrize(
    ("op", "attrs"),
    [("rms_norm", {"begin_norm_axis": 1}), ("norm", {"axis": 1}), ("group_norm", {"groups": 1})],
)
def test_nan_affects_its_row_alone(op: str, attrs: dict[str, Any]) -> None:
    x = floats(1, 3, 21)
    x[1, 20] = np.nan
    result = run_compiled(op, {"X": x}, attrs)[0]
    np.testing.assert_array_equal(np.isnan(result).all(1), [False, True, False])
    assert not np.isnan(result[[0, 2]]).any()


def test_a_norm_without_statistics_gives_the_same_result() -> None:
    x, parameters = floats(1, 2, 6, 4, 5), statistics(6)
    for op, inputs, attrs in (
        ("batch_norm", {"X": x, **parameters}, {}),
        ("group_norm", {"X": x}, {"groups": 3}),
        ("instance_norm", {"X": x}, {}),
        ("layer_norm", {"X": x}, {}),
    ):
        every = run_compiled(op, inputs, attrs, STATISTICS)
        bound = bind(op, inputs, attrs, STATISTICS, outputs={"Y": 1})
        assert bound.is_compiled
        buffer = np.full_like(x, np.nan)
        assert bound(out=(buffer,))[0] is buffer
        np.testing.assert_array_equal(buffer, every[0])


@pytest.mark.parametrize("op", ["batch_norm", "group_norm", "instance_norm", "layer_norm"])
def test_vectors_of_another_dtype_run_on_the_host(op: str) -> None:
    parameters = statistics(6) if op == "batch_norm" else {}
    inputs = {"X": floats(1, 2, 6), **parameters, "Scale": np.ones(6)}
    attrs = {"groups": 3} if op == "group_norm" else {}
    assert not bind(op, inputs, attrs, STATISTICS, outputs={"Y": 1}).is_compiled
