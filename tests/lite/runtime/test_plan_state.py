"""What instructions pack is shared where they pack the same, and read where it is contiguous."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from lite.ir.types import Array
from lite.runtime import PlanState, Runtime
from tests.lite.runtime.run_text import runtime_of

pytest.importorskip("numba", reason="only compiled kernels pack these weights")

LAYERS = """
graph main(%x: float32[2, 8]) {{
  %w = const float32[8, 8] {w} : float32[8, 8]
  %v = const float32[8, 8] {v} : float32[8, 8]
  %b = const float32[8] [1, 2, 3, 4, 5, 6, 7, 8] : float32[8]
  %c = const float32[8] [0, 0, 0, 0, 0, 0, 0, 1] : float32[8]
  %1 = fc(Input=%x, W=%w, Bias=%b) {{in_num_col_dims=1, activation="relu"}} : float32[2, 8]
  %2 = fc(Input=%1, W=%w, Bias=%b) {{in_num_col_dims=1, activation="relu"}} : float32[2, 8]
  %3 = fc(Input=%2, W=%w, Bias=%c) {{in_num_col_dims=1, activation="relu"}} : float32[2, 8]
  %4 = fc(Input=%3, W=%v, Bias=%b) {{in_num_col_dims=1, activation="relu"}} : float32[2, 8]
  %5 = fc(Input=%4, W=%w, Bias=%b) {{in_num_col_dims=1, activation="relu6"}} : float32[2, 8]
  return %5
}}
"""


def numbers(seed: int) -> Array:
    return np.random.default_rng(seed).integers(-2, 3, (8, 8)).astype(np.float32)


def test_layers_with_the_same_weights_share_what_they_pack() -> None:
    w, v = numbers(0), numbers(1)
    text = LAYERS.format(**{name: str(array.reshape(-1).tolist()) for name, array in (("w", w), ("v", v))})
    runtime = runtime_of(text, target="cpu")
    x = numbers(2)[:2]
    b, c = np.arange(1, 9, dtype=np.float32), np.eye(8, dtype=np.float32)[7]
    expected = x
    for weight, bias, most in ((w, b, None), (w, b, None), (w, c, None), (v, b, None), (w, b, 6)):
        expected = np.clip(expected @ weight + bias, 0, most)
    np.testing.assert_array_equal(runtime.run([x])[0][0], expected)
    packed = [name.partition(" ")[0] for name, _ in runtime.state.prepared_arrays()]
    assert sorted(set(packed)) == ["0", "2", "3", "4"]


def test_a_constant_that_is_not_contiguous_is_copied_once_to_be_read() -> None:
    runtime = runtime_of(
        """
        graph main(%x: float32[2, 3]) {
          %w = const float32[2, 3] [1, 2, 3, 4, 5, 6] : float32[2, 3]
          %y = elementwise_add(X=%x, Y=%w) {axis=-1} : float32[2, 3]
          return %y
        }
        """,
        target="cpu",
    )
    [index] = runtime.plan.constants
    array = np.array([[1, 4], [2, 5], [3, 6]], np.float32).T
    state = PlanState(dataclasses.replace(runtime.plan, constants={index: array}))
    x = np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(Runtime(state).run([x])[0][0], x + array)
    assert state.aligned(index).flags.c_contiguous
    assert state.aligned(index) is state.aligned(index)
    assert state.copied_bytes == array.nbytes
