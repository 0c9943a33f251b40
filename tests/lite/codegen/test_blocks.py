"""Loops and branches in C, with sanitizers, against the engine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lite.config import Config
from lite.errors import CompileError
from lite.ir.types import Array
from lite.session.predictor import create_predictor
from tests.support.compiled_c import CompiledModel, compile_model

onnx = pytest.importorskip("onnx")

PAIRS = """
<ir_version: 8, opset_import: ["" : 17]>
pairs (int64[1] n, bool[1] go, float[2,3] x, float[3] step) => (float[2,3] a, float[2,3] b, float[2,3] kept) {
  a, b, kept = Loop <body = one
    (int64 i, bool c, float[2,3] p, float[2,3] q, float[2,3] same) =>
    (bool next, float[2,3] q2, float[2,3] sum, float[2,3] same2) {
      next = Identity (c)
      q2 = Identity (q)
      moved = Add (p, q)
      sum = Add (moved, step)
      same2 = Identity (same)
    }> (n, go, x, x, x)
}
"""
"""Two carried values change places, and a third stays."""

CHOICE = """
<ir_version: 8, opset_import: ["" : 17]>
choice (int64[1] n, float[4] x, float[4] other) => (float[4] y, int64[1] count)
<bool[1] go = {1}, int64[1] zero = {0}, int64[1] one = {1}, float limit = {100.0}, float few = {10.0}> {
  y, count = Loop <body = step
    (int64 i, bool c, float[4] p, int64[1] ones) => (bool next, float[4] q, int64[1] ones2) {
      total = ReduceSum <keepdims = 0> (p)
      next = Less (total, limit)
      small = Less (total, few)
      squared = Mul (p, p)
      q, ones2 = If <
        then_branch = low () => (float[4] r, int64[1] m) { r = Add (p, other)  m = Add (ones, one) },
        else_branch = high () => (float[4] r2, int64[1] m2) { r2 = Identity (squared)  m2 = Identity (ones) }
      > (small)
    }> (n, go, x, zero)
}
"""
"""A loop that ends by its condition, with a branch inside that reads values from around it."""

GROWING = """
<ir_version: 8, opset_import: ["" : 17]>
growing (int64[1] n, float[4] x) => (float[m] y, float[4] first) <bool[1] go = {1}> {
  first = Abs (x)
  y = Loop <body = step (int64 i, bool c, float[k] p) => (bool next, float[l] q) {
      next = Identity (c)
      q = Concat <axis = 0> (p, p)
    }> (n, go, first)
}
"""

UNKNOWN = """
<ir_version: 8, opset_import: ["" : 17]>
unknown (int64[1] n, float[4] x) => (float[4] y, float[4] first) <bool[1] go = {1}> {
  first = Abs (x)
  y = Loop <body = step (int64 i, bool c, float[4] p) => (bool next, float[4] q) {
      next = Identity (c)
      q = Bernoulli (p)
    }> (n, go, first)
}
"""


def compiled(text: str, folder: Path) -> tuple[Config, CompiledModel]:
    model = onnx.parser.parse_model(text)
    config = Config(model_buffer=model.SerializeToString())
    return config, compile_model(config, folder / "c")


def check(config: Config, model: CompiledModel, feeds: dict[str, Array]) -> None:
    expected = create_predictor(config).run(feeds)
    for argument, result in zip(model.export.outputs, model.run(feeds), strict=True):
        np.testing.assert_allclose(result, expected[argument.name], rtol=1e-6, atol=1e-6)


def test_carried_values_that_change_places(tmp_path: Path) -> None:
    config, model = compiled(PAIRS, tmp_path)
    x, step = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([1, -1, 0.5], np.float32)

    for n in (0, 1, 2, 5):
        for go in (True, False):
            check(config, model, {"n": np.array([n]), "go": np.array([go]), "x": x, "step": step})


def test_a_branch_in_a_loop_that_ends_by_its_condition(tmp_path: Path) -> None:
    config, model = compiled(CHOICE, tmp_path)
    other = np.array([0.5, 1.0, -0.25, 2.0], np.float32)

    for x in (np.zeros(4, np.float32), np.full(4, 2.0, np.float32), np.full(4, 40.0, np.float32)):
        for n in (0, 1, 3, 20):
            check(config, model, {"n": np.array([n]), "x": x, "other": other})


@pytest.mark.parametrize("text", [GROWING, UNKNOWN])
def test_what_a_loop_cannot_do_in_c_is_named_with_the_nearest_cut(text: str, tmp_path: Path) -> None:
    with pytest.raises(CompileError, match=r"1 op cannot be written as C:(.|\n)*--output first"):
        compiled(text, tmp_path)

    assert not (tmp_path / "c").exists()
