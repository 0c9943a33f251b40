"""layer_norm of a sum of embeddings becomes one op."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.text import parse_graph
from lite.ir.types import Array
from tests.lite.passes.check import check, check_unchanged, run_pass
from tests.support.interpreter.tensors import run_graph

PASS = "embedding_eltwise_layernorm_fuse_pass"

TEXT = """
graph main(%i: int64[?,5], %j: int64[1,5], %k: int64[?,5], %t: float32[?,5,4]) {
  %u = const float32[9,4] random(1)
  %v = const float32[7,4] random(2)
  %p = const float32[3,4] random(3)
  %w = const float32[4] random(4)
  %b = const float32[4] random(5)
  %a = lookup_table_v2(Ids=%i, W=%u) {padding_idx=-1} : float32[?,5,4]
  %c = lookup_table_v2(Ids=%j, W=%v) {padding_idx=-1} : float32[1,5,4]
  %d = lookup_table_v2(Ids=%k, W=%p) {padding_idx=-1} : float32[?,5,4]
  %e = elementwise_add(X=%a, Y=%c) : float32[?,5,4]
  %s = elementwise_add(X=%e, Y=%d) : float32[?,5,4]
  Y=%y = layer_norm(X=%s, Scale=%w, Bias=%b) {epsilon=0.25, begin_norm_axis=2} : float32[?,5,4]
  return out=%y
}
"""


def test_lookups_sum_and_norm_become_one_op() -> None:
    check(
        PASS,
        TEXT,
        """
        graph main(%i: int64[?,5], %j: int64[1,5], %k: int64[?,5], %t: float32[?,5,4]) {
          %u = const float32[9,4] random(1)
          %v = const float32[7,4] random(2)
          %p = const float32[3,4] random(3)
          %w = const float32[4] random(4)
          %b = const float32[4] random(5)
          %y = fused_embedding_eltwise_layernorm(SLOTS) {epsilon=0.25} : float32[?,5,4]
          return out=%y
        }
        """.replace("SLOTS", "Ids=[%i, %j, %k], Embs=[%u, %v, %p], Scale=%w, Bias=%b"),
    )


def test_fused_graph_computes_the_same() -> None:
    graph = parse_graph(TEXT)
    generator = np.random.default_rng(0)
    feeds: dict[str, Array] = {
        "i": generator.integers(0, 9, (2, 5)),
        "j": generator.integers(0, 7, (1, 5)),
        "k": generator.integers(0, 3, (2, 5)),
        "t": np.zeros((2, 5, 4), np.float32),
    }
    before = run_graph(graph, feeds)

    assert run_pass(PASS, graph)
    after = run_graph(graph, feeds)
    np.testing.assert_allclose(after["out"], before["out"], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%y", "return out=%y, %s"),
        ("return out=%y", "return out=%y, %a"),
        ("return out=%y", "%z = relu(X=%e)\nreturn out=%y, %z"),
        ("W=%v) {padding_idx=-1}", "W=%v) {padding_idx=0}"),
        ("Y=%d", "Y=%t"),
        ("begin_norm_axis=2", "begin_norm_axis=1"),
        ("Y=%c) :", "Y=%c) {axis=0} :"),
    ],
)
def test_other_graphs_are_not_fused(old: str, new: str) -> None:
    text = TEXT.replace("return", "%held = no_such_op(X=[%u, %v, %p, %w, %b])\n  return")
    text = text.replace("%w = const float32[4]", "%w = const float32[SIZE]").replace(
        "%b = const float32[4]", "%b = const float32[SIZE]"
    )
    text = text.replace("SIZE", "20" if "axis=1" in new else "4")

    assert old in text
    check_unchanged(PASS, text.replace(old, new))


def test_a_single_lookup_is_not_fused() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%i: int64[2,5]) {
          %u = const float32[9,4] random(1)
          %a = lookup_table_v2(Ids=%i, W=%u) {padding_idx=-1} : float32[2,5,4]
          Y=%y = layer_norm(X=%a) {epsilon=0.25, begin_norm_axis=2} : float32[2,5,4]
          return %y
        }
        """,
    )
