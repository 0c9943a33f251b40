"""stored_fc of the target cpu: products with float16, bfloat16 and int8 weights in float32."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array, DType
from lite.plugin.kernel.run_context import run_context
from tests.kernels.cpu.bound import floats, run
from tests.kernels.cpu.split_work import split_work

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

CONSTANTS = ("W", "Scale", "Bias")
SHAPES = [(1, 40, 70), (3, 33, 5), (40, 300, 24)]


def check(x: Array, weights: Array, scale: Array | None, activation: str = "") -> None:
    channels = weights.shape[1]
    real = weights.astype(np.float32)
    if scale is not None:
        blocks = scale.reshape(-1, channels)
        real = real * (blocks.repeat(len(real) // len(blocks), 0) if len(blocks) > 1 else blocks)
    bias = floats(3, channels)
    inputs: dict[str, Array] = {"Input": x, "W": weights, "Bias": bias}
    if scale is not None:
        inputs["Scale"] = scale
    [y], is_compiled = run("stored_fc", inputs, {"activation": activation}, CONSTANTS)
    expected = x.astype(np.float64) @ real.astype(np.float64) + bias
    assert is_compiled
    if activation == "relu":
        expected = np.maximum(expected, 0)
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize(("rows", "depth", "channels"), SHAPES)
@pytest.mark.parametrize("dtype", [DType.FLOAT16, DType.BFLOAT16])
def test_small_floats(rows: int, depth: int, channels: int, dtype: DType) -> None:
    check(floats(1, rows, depth), floats(2, depth, channels).astype(dtype.numpy), None, "relu")


@pytest.mark.parametrize(("rows", "depth", "channels"), SHAPES)
@pytest.mark.parametrize("blocks", [1, 3])
def test_integers(rows: int, depth: int, channels: int, blocks: int) -> None:
    random = np.random.default_rng(4)
    depth = depth // blocks * blocks
    weights = random.integers(-128, 128, (depth, channels), np.int8)
    scale = random.random((blocks, channels)).astype(np.float32) / 100
    check(floats(1, rows, depth), weights, scale if blocks > 1 else scale[0])


@pytest.mark.parametrize(("rows", "depth", "channels"), SHAPES)
@pytest.mark.parametrize("blocks", [1, 3])
def test_integers_of_4_bits(rows: int, depth: int, channels: int, blocks: int) -> None:
    random = np.random.default_rng(4)
    depth = depth // blocks * blocks
    numbers = random.integers(0, 16, (depth + depth % 2, channels), np.uint8)
    scale = random.random((blocks, channels)).astype(np.float32) / 100
    zeros = random.integers(0, 16, (blocks, channels)).astype(np.float32)
    x, bias = floats(1, rows, depth), floats(3, channels)
    inputs = {
        "Input": x, "W": numbers[::2] | numbers[1::2] << 4, "Scale": scale, "ZeroPoint": zeros, "Bias": bias,
    }  # fmt: skip
    [y], is_compiled = run("stored_fc", inputs, {}, (*CONSTANTS, "ZeroPoint"))
    spread = [each.repeat(depth // blocks, 0).astype(np.float64) for each in (zeros, scale)]
    expected = x.astype(np.float64) @ ((numbers[:depth] - spread[0]) * spread[1]) + bias
    assert is_compiled
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


def test_threads_share_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    with run_context(2):
        split_work(monkeypatch)
        check(floats(1, 90, 40), floats(2, 40, 70).astype(np.float16), None)


def test_float16_numbers_of_all_sizes_are_exact() -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)][: 63 * 1000].reshape(63, 1000)
    inputs: dict[str, Array] = {"Input": np.eye(63, dtype=np.float32), "W": finite}
    [y], is_compiled = run("stored_fc", inputs, {}, CONSTANTS)
    assert is_compiled
    np.testing.assert_array_equal(y, finite.astype(np.float32))
