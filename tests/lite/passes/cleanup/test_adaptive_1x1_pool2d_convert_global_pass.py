"""Adaptive pooling to one pixel."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.text import parse_graph
from tests.lite.passes.check import check, check_unchanged, run_pass
from tests.lite.passes.fuse.equal import feeds_of
from tests.support.interpreter.tensors import run_graph

PASS = "adaptive_1x1_pool2d_convert_global_pass"

TEXT = """
graph main(%x: float32[2,3,4,5]) {
  %y = pool2d(X=%x) {pooling_type="avg", ksize=[1, 1], adaptive=true} : float32[2,3,1,1]
  return out=%y
}
"""


def test_adaptive_average_to_one_pixel_becomes_global() -> None:
    attrs = 'pooling_type="avg", ksize=[1, 1], adaptive=false, global_pooling=true, paddings=[0, 0]'
    check(PASS, TEXT, TEXT.replace('pooling_type="avg", ksize=[1, 1], adaptive=true', attrs))


def test_result_of_global_pooling_is_the_same() -> None:
    graph = parse_graph(TEXT)
    feeds = feeds_of(graph)
    before = run_graph(graph, feeds)["out"]

    assert run_pass(PASS, graph)
    np.testing.assert_allclose(run_graph(graph, feeds)["out"], before, rtol=1e-5)


@pytest.mark.parametrize(
    ("old", "new"), [('"avg"', '"max"'), ("[1, 1]", "[2, 1]"), ("adaptive=true", "adaptive=false")]
)
def test_other_poolings_are_unchanged(old: str, new: str) -> None:
    assert old in TEXT
    check_unchanged(PASS, TEXT.replace(old, new))
