"""Size tensors of reshape2 become attributes."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.text import parse_graph
from tests.lite.passes.check import check, check_unchanged, run_pass
from tests.support.interpreter.tensors import run_graph

PASS = "reshape_sizes_fold_pass"

TEXT = """
graph main(%x: float32[?,?,6], %t: int32[1]) {
  %six = const int32[1] [6]
  %two = const int32[1] [2]
  %three = const int32[1] [3]
  %held = no_such_op(X=[%six, %two, %three])
  %s = shape(Input=%x) : int32[3]
  %n = slice(Input=%s) {axes=[0], starts=[0], ends=[1], decrease_axis=[0]} : int32[]
  %m = slice(Input=%s) {axes=[0], starts=[1], ends=[2]} : int32[1]
  BODY
  return %y, %held
}
"""


def text_of(*lines: str) -> str:
    return TEXT.replace("BODY", "\n  ".join(f"{line} : {kind}" for line, kind in map(typed, lines)))


def typed(line: str) -> tuple[str, str]:
    body, _, kind = line.partition(" : ")
    return body, kind or "float32[*]"


@pytest.mark.parametrize(
    ("slot", "shape"),
    [
        ("ShapeTensor=[%n, %m, %two, %three]", "[0, 0, 2, 3]"),
        ("ShapeTensor=[%n, %six, %m]", "[0, 6, -1]"),
        ("ShapeTensor=[%two, %three, %m]", "[2, 3, -1]"),
        ("Shape=%s", "[0, 0, 6]"),
    ],
)
def test_sizes_become_an_attribute(slot: str, shape: str) -> None:
    before = text_of(f"%y = reshape2(X=%x, {slot})")
    check(PASS, before, text_of(f"%y = reshape2(X=%x) {{shape={shape}}}"))


@pytest.mark.parametrize(
    "slot", ["ShapeTensor=[%m, %n, %six]", "ShapeTensor=[%n, %t, %six]", "ShapeTensor=[%six, %six, %t]"]
)
def test_sizes_that_are_not_known_remain_tensors(slot: str) -> None:
    check_unchanged(PASS, text_of(f"%y = reshape2(X=%x, {slot})"))


def test_sizes_are_tracked_from_op_to_op() -> None:
    ops = (
        "%a = relu(X=%x) : float32[?,?,6]",
        "%b = transpose2(X=%a) {axis=[0, 2, 1]} : float32[?,6,?]",
        "%c = cast(X=%m) {out_dtype=3} : int64[1]",
        "%d = concat(X=[%six, %c, %two]) {axis=0} : int64[3]",
        "%e = slice(Input=%d) {axes=[0], starts=[1], ends=[2]} : int64[1]",
    )
    before = text_of(*ops, "%y = reshape2(X=%b, ShapeTensor=[%n, %two, %three, %e])")
    check(PASS, before, text_of(*ops, "%y = reshape2(X=%b) {shape=[0, 2, 3, -1]}"))


def test_a_folded_reshape_makes_the_next_one_foldable() -> None:
    before = text_of(
        "%a = reshape2(X=%x, ShapeTensor=[%n, %m, %two, %three])",
        "%y = reshape2(X=%a, ShapeTensor=[%n, %m, %six])",
    )
    after = text_of("%a = reshape2(X=%x) {shape=[0, 0, 2, 3]}", "%y = reshape2(X=%a) {shape=[0, 0, 6]}")
    check(PASS, before, after)


@pytest.mark.parametrize("batch", [0, 1, 5])
def test_the_folded_graph_computes_the_same(batch: int) -> None:
    graph = parse_graph(
        """
        graph main(%x: float32[?,?,6]) {
          %six = const int32[1] [6]
          %s = shape(Input=%x) : int32[3]
          %n = slice(Input=%s) {axes=[0], starts=[0], ends=[1]} : int32[1]
          %m = slice(Input=%s) {axes=[0], starts=[1], ends=[2]} : int32[1]
          %y = reshape2(X=%x, ShapeTensor=[%n, %six, %m]) : float32[?,6,?]
          return %y
        }
        """
    )
    x = np.random.default_rng(0).standard_normal((batch, 4, 6)).astype(np.float32)
    before = run_graph(graph, {"x": x})["y"]

    assert run_pass(PASS, graph)
    np.testing.assert_array_equal(run_graph(graph, {"x": x})["y"], before)
    assert before.shape == (batch, 6, 4)
