"""Poolings equal loops over windows, by torch's rules."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.pnnx.models import noise, one_op, run


def pooled(x: Array, kind: str, k: int, s: int, p: int, d: int, ceil: bool, count_pad: bool) -> Array:
    """Pooling by torch's rules: in ceil mode no window begins after the input."""
    axes = x.ndim - 2
    outs = []
    for size in x.shape[2:]:
        count = (size + 2 * p - d * (k - 1) - 1) / s + 1
        out = math.ceil(count) if ceil else math.floor(count)
        outs.append(out - 1 if ceil and (out - 1) * s >= size + p else out)
    result = np.empty((*x.shape[:2], *outs))
    for n, c in itertools.product(*map(range, x.shape[:2])):
        for position in itertools.product(*map(range, outs)):
            taps, padded = [], 0
            for tap in itertools.product(*[range(k)] * axes):
                source = [o * s - p + t * d for o, t in zip(position, tap, strict=True)]
                if all(0 <= a < size for a, size in zip(source, x.shape[2:], strict=True)):
                    taps.append(x[(n, c, *source)])
                padded += all(a < size + p for a, size in zip(source, x.shape[2:], strict=True))
            count = padded if count_pad else len(taps)
            result[(n, c, *position)] = max(taps) if kind == "Max" else sum(taps) / count
    return result


def params(k: int, s: int, p: int, d: int, ceil: bool) -> str:
    return f"kernel_size=({k}) stride=({s}) padding=({p}) dilation=({d}) ceil_mode={ceil}"


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize(
    ("k", "s", "p", "d", "ceil"),
    [(2, 2, 0, 1, False), (3, 2, 1, 1, True), (2, 1, 1, 2, False), (2, 3, 1, 1, True), (2, 2, 1, 2, True)],
)
def test_max_pool_equals_a_loop(axes: int, k: int, s: int, p: int, d: int, ceil: bool) -> None:
    x = noise(1, 2, *[5, 6, 4][:axes]) - 3
    (output,) = one_op(f"nn.MaxPool{axes}d", [x], f"{params(k, s, p, d, ceil)} return_indices=False")
    np.testing.assert_array_equal(output, pooled(x, "Max", k, s, p, d, ceil, False).astype(np.float32))


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("count_pad", [True, False])
@pytest.mark.parametrize(("k", "s", "p", "ceil"), [(2, 2, 0, False), (3, 2, 1, True), (2, 3, 1, True)])
def test_average_pool_equals_a_loop(axes: int, count_pad: bool, k: int, s: int, p: int, ceil: bool) -> None:
    x = noise(1, 2, *[5, 6, 4][:axes])
    text = f"{params(k, s, p, 1, ceil)} count_include_pad={count_pad} divisor_override=None"
    (output,) = one_op(f"F.avg_pool{axes}d", [x], text)
    np.testing.assert_allclose(output, pooled(x, "Avg", k, s, p, 1, ceil, count_pad), rtol=1e-5, atol=1e-6)


def test_average_pool_with_divisor_override() -> None:
    x = noise(1, 2, 4, 4)
    (output,) = one_op("nn.AvgPool2d", [x], "kernel_size=(2,2) stride=None divisor_override=3")
    expected = x.reshape(1, 2, 2, 2, 2, 2).sum((3, 5)) / 3
    np.testing.assert_allclose(output, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", ["Avg", "Max"])
@pytest.mark.parametrize("axes", [1, 2])
def test_adaptive_pool_equals_a_loop(kind: str, axes: int) -> None:
    x = noise(1, 2, *[7] * axes)
    (output,) = one_op(f"nn.Adaptive{kind}Pool{axes}d", [x], "output_size=(3)")
    function = np.mean if kind == "Avg" else np.max
    cuts = [slice(i * 7 // 3, -(-(i + 1) * 7 // 3)) for i in range(3)]
    for position in itertools.product(range(3), repeat=axes):
        inside: tuple[Any, ...] = (slice(None), slice(None), *(cuts[i] for i in position))
        bin_: tuple[Any, ...] = (slice(None), slice(None), *position)
        expected = function(x[inside], axis=tuple(range(2, 2 + axes)))
        np.testing.assert_allclose(output[bin_], expected, rtol=1e-5, atol=1e-6)


def test_adaptive_pool_that_keeps_a_size() -> None:
    x = noise(1, 2, 4, 3)
    (output,) = one_op("nn.AdaptiveAvgPool2d", [x], "output_size=(1,None)")
    np.testing.assert_allclose(output, x.mean(2, keepdims=True), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_indices_of_maxima_count_in_the_plane(axes: int) -> None:
    x = noise(2, 3, *[5, 6, 4][:axes])
    text = f"{params(2, 2, 0, 1, False)} return_indices=True"
    maxima, indices = one_op(f"nn.MaxPool{axes}d", [x], text, outputs=2)
    np.testing.assert_array_equal(maxima, pooled(x, "Max", 2, 2, 0, 1, False, False).astype(np.float32))
    assert indices.dtype == np.int64
    flat = np.take_along_axis(x.reshape(2, 3, -1), indices.reshape(2, 3, -1), 2)
    np.testing.assert_array_equal(flat.reshape(maxima.shape), maxima)


def test_a_tuple_of_maxima_and_indices() -> None:
    lines = [
        "pnnx.Input i 0 1 x #x=(1,1,4)f32",
        "nn.MaxPool1d p 1 1 x t kernel_size=(2) stride=(2) return_indices=True",
        "prim::TupleUnpack u 1 2 t a b",
        "pnnx.Output o 2 0 a b",
    ]
    maxima, indices = run(lines, [np.array([[[1, 5, 7, 2]]], np.float32)])
    assert (maxima.tolist(), indices.tolist()) == ([[[5, 7]]], [[[1, 2]]])


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_pools_of_an_input_without_a_batch(axes: int) -> None:
    x = noise(2, *[5, 6, 4][:axes])
    (output,) = one_op(f"F.max_pool{axes}d", [x], params(2, 2, 0, 1, False))
    expected = pooled(x[None], "Max", 2, 2, 0, 1, False, False)[0]
    np.testing.assert_array_equal(output, expected.astype(np.float32))


def test_power_pool_keeps_signs_of_odd_powers() -> None:
    x = np.array([[[1, 2, 3, 4, -1, -1]]], np.float32)
    (output,) = one_op("nn.LPPool1d", [x], "norm_type=3.0 kernel_size=2 stride=2 ceil_mode=False")
    np.testing.assert_allclose(output, [[[9 ** (1 / 3), 91 ** (1 / 3), np.nan]]], rtol=1e-5)


def bins(size: int, count: int) -> list[slice]:
    """torch's bins of an axis."""
    return [slice(n * size // count, -(-(n + 1) * size // count)) for n in range(count)]


@pytest.mark.parametrize("kind", ["avg", "max"])
def test_adaptive_pools_of_volumes(kind: str) -> None:
    x = noise(2, 3, 5, 6, 4)
    count = (2, 4, 3)
    result = np.empty((2, 3, *count))
    for a, b, c in itertools.product(*map(range, count)):
        d, h, w = (bins(size, n)[at] for size, n, at in zip(x.shape[2:], count, (a, b, c), strict=True))
        window = x[:, :, d, h, w]
        result[:, :, a, b, c] = (np.mean if kind == "avg" else np.max)(window, (2, 3, 4))
    (output,) = one_op(f"F.adaptive_{kind}_pool3d", [x], "output_size=(2,4,3)")
    np.testing.assert_allclose(output, result, rtol=1e-5, atol=1e-6)
    if kind == "max":
        maxima, indices = one_op(
            "F.adaptive_max_pool3d", [x], "output_size=(2,4,3) return_indices=True", outputs=2
        )
        flat = np.take_along_axis(x.reshape(2, 3, -1), indices.reshape(2, 3, -1), 2)
        np.testing.assert_array_equal(flat.reshape(maxima.shape), maxima)
