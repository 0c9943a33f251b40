"""A slice of one computed position is a gather."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ExecutionError
from lite.ir.text import parse_graph, print_graph
from tests.lite.passes.check import check_unchanged, run_pass
from tests.lite.runtime.run_text import runtime_of

PASS = "item_slice_to_gather_pass"

SLICE = """
graph main(%x: float32[2,3,2], %i: int64[]) {
  %next = scale(X=%i) {scale=1.0, bias=1.0} : int64[]
  %s = unsqueeze2(X=%i) {axes=[0]} : int64[1]
  %e = reshape2(X=%next) {shape=[1]} : int64[1]
  %y = slice(Input=%x, StartsTensor=%s, EndsTensor=%e) {axes=[1], decrease_axis=[1]} : float32[2,2]
  return %y
}
"""

ADD = """%one = const int64[] [1] : int64[]
  %next = elementwise_add(X=%i, Y=%one) {axis=-1}"""


@pytest.mark.parametrize(
    "text",
    [
        SLICE,
        SLICE.replace("scale(X=%i) {scale=1.0, bias=1.0}", "increment(X=%i) {step=1.0}"),
        SLICE.replace("%next = scale(X=%i) {scale=1.0, bias=1.0}", ADD),
        SLICE.replace("StartsTensor=%s, EndsTensor=%e", "StartsTensorList=[%s], EndsTensorList=[%e]"),
        SLICE.replace("StartsTensor=%s, EndsTensor=%e", "StartsTensorList=[%i], EndsTensorList=[%next]"),
    ],
    ids=["scale", "increment", "add", "lists", "lists of scalars"],
)
def test_one_position(text: str) -> None:
    graph = parse_graph(text)
    x = np.arange(12, dtype=np.float32).reshape(2, 3, 2)

    assert run_pass(PASS, graph)

    assert "slice" not in [node.op for node in graph]
    assert not run_pass(PASS, graph)
    before, after = runtime_of(text), runtime_of(print_graph(graph))
    for position in range(-1, 3):
        args = [x, np.array(position)]
        [[expected], _], [[result], _] = before.run(args), after.run(args)
        np.testing.assert_array_equal(result, expected)
    for position in (3, 9, -4):
        for runtime in (before, after):
            with pytest.raises(ExecutionError):
                runtime.run([x, np.array(position)])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("bias=1.0", "bias=2.0"),
        ("scale=1.0", "scale=-1.0"),
        ("scale(X=%i) {scale=1.0, bias=1.0}", "negative(X=%i)"),
        ("decrease_axis=[1]} : float32[2,2]", "decrease_axis=[]} : float32[2,?,2]"),
        ("reshape2(X=%next) {shape=[1]}", "fill_any_like(X=%s) {value=3.0, dtype=-1}"),
        ("int64[]", "int64[1]"),
    ],
    ids=["two positions", "another factor", "another op", "keeps the axis", "another end", "not a scalar"],
)
def test_other_slices_stay(old: str, new: str) -> None:
    text = SLICE.replace(old, new).replace("unsqueeze2(X=%i) {axes=[0]}", "reshape2(X=%i) {shape=[1]}")
    check_unchanged(PASS, text)
