"""quantized_fc of the target cpu against its definition in integers."""

from __future__ import annotations

import numpy as np
import pytest

from lite.plugin.kernel.run_context import run_context
from tests.kernels.cpu.bound import floats, run
from tests.kernels.cpu.split_work import split_work

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

CONSTANTS = ("W", "Scale", "Bias")


@pytest.mark.parametrize(
    ("rows", "depth", "columns"), [(1, 4, 1), (7, 36, 30), (33, 128, 65), (5, 13, 20), (1, 2, 3)]
)
@pytest.mark.parametrize("activation", ["", "relu", "swish"])
def test_rows_are_multiplied_by_the_weights(rows: int, depth: int, columns: int, activation: str) -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 256, (2, rows, depth), np.uint8)
    w = rng.integers(-128, 128, (depth, columns), np.int8)
    scale, bias = (rng.random(columns) * 1e-3).astype(np.float32), floats(2, columns)
    attrs = {"in_num_col_dims": 2, "zero_point": 9, "activation": activation}
    if activation == "swish":
        attrs["activation_params"] = [1.0]
    [y], is_compiled = run(
        "quantized_fc", {"Input": x, "W": w, "Scale": scale, "Bias": bias}, attrs, CONSTANTS
    )
    v = (x.astype(np.int64) - 9) @ w.astype(np.int64) * scale.astype(np.float64) + bias
    expected = {"": v, "relu": np.maximum(v, 0), "swish": v / (1 + np.exp(-v))}[activation]
    assert is_compiled
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-6 * max(np.abs(v).max(), 1))


@pytest.mark.parametrize("activation", ["", "swish"])
def test_threads_share_the_columns(activation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    x, w = rng.integers(0, 256, (5, 40), np.uint8), rng.integers(-128, 128, (40, 700), np.int8)
    scale = (rng.random(700) * 1e-3).astype(np.float32)
    attrs = {"zero_point": 9, "activation": activation, "activation_params": [1.0] if activation else []}
    with run_context(2):
        split_work(monkeypatch)
        [y], _ = run("quantized_fc", {"Input": x, "W": w, "Scale": scale}, attrs, ["W", "Scale"])
    v = (x.astype(np.int64) - 9) @ w.astype(np.int64) * scale.astype(np.float64)
    expected = v / (1 + np.exp(-v)) if activation else v
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-6 * max(np.abs(v).max(), 1))


def test_threads_share_the_columns_of_bytes_and_of_lookups(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    x, w = rng.integers(0, 256, (5, 16), np.uint8), rng.integers(-128, 128, (16, 700), np.int8)
    scale, table = np.array([2**-9], np.float32), rng.permutation(256).astype(np.uint8)
    inputs = {"Input": x, "W": w, "Scale": scale, "Table": table}
    attrs = {"out_scale": 0.5, "out_zero_point": 100}
    with run_context(2):
        split_work(monkeypatch)
        [y], is_compiled = run("quantized_fc", inputs, attrs, ["W", "Scale", "Table"])
    codes = np.clip(np.rint(x.astype(np.int64) @ w.astype(np.int64) * 2.0**-8) + 100, 0, 255)
    assert is_compiled
    np.testing.assert_array_equal(y, table[codes.astype(np.uint8)])


def test_results_may_be_bytes() -> None:
    rng = np.random.default_rng(1)
    x, w = rng.integers(0, 256, (5, 16), np.uint8), rng.integers(-128, 128, (16, 24), np.int8)
    scale = np.array([2**-9], np.float32)
    attrs = {"out_scale": 0.5, "out_zero_point": 100}
    [y], is_compiled = run("quantized_fc", {"Input": x, "W": w, "Scale": scale}, attrs, ["W", "Scale"])
    # The scales are powers of two, so that no rounding but the last one happens.
    codes = np.rint(x.astype(np.int64) @ w.astype(np.int64) * 2.0**-8) + 100
    assert is_compiled
    np.testing.assert_array_equal(y, np.clip(codes, 0, 255).astype(np.uint8))
