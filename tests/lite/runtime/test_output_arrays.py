"""Output arrays of the caller: any layout, shared with inputs, and several for one value."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.lite.runtime.run_text import runtime_of

VIEWED = """
graph main(%x: float32[2,3]) {
  %a = scale(X=%x) {scale=2.0} : float32[2,3]
  %v = reshape2(X=%a) {shape=[6]} : float32[6]
  %b = elementwise_add(X=%a, Y=%x) : float32[2,3]
  return %a, %v, %b, %x
}
"""
X = np.arange(6, dtype=np.float32).reshape(2, 3)
EXPECTED = [2 * X, (2 * X).reshape(6), 3 * X, X]


class Marked(np.ndarray):
    """A subclass of ndarray."""


def check(results: list[Array]) -> None:
    for number, (result, expected) in enumerate(zip(results, EXPECTED, strict=True)):
        np.testing.assert_array_equal(result, expected)
        assert not any(np.may_share_memory(result, other) for other in results[:number])


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((2, 3), np.float32),
        np.zeros((2, 6), np.float32)[:, ::2],
        np.zeros((3, 2), np.float32).T,
        np.zeros((2, 3), np.float32)[::-1],
        np.zeros(25, np.uint8)[1:].view(np.float32).reshape(2, 3),
        np.zeros((2, 3), np.float32).view(Marked),
    ],
    ids=["plain", "gaps", "transposed", "backwards", "unaligned", "subclass"],
)
def test_an_array_of_any_layout_takes_a_result(array: Array) -> None:
    results, _ = runtime_of(VIEWED).run([X], outputs={0: array})
    assert results[0] is array
    check(results)


def test_an_output_array_may_be_an_input() -> None:
    x = X.copy()
    results, _ = runtime_of(VIEWED).run([x], outputs={0: x})
    assert results[0] is x
    check(results)


def test_a_value_returned_twice_is_written_to_two_arrays() -> None:
    runtime = runtime_of(
        "graph main(%x: float32[2]) { %a = scale(X=%x) {scale=2.0} : float32[2] return %a, again=%a }"
    )
    first, second = np.zeros(2, np.float32), np.zeros(2, np.float32)
    for outputs in ({0: first}, {1: second}, {0: first, 1: second}):
        results, _ = runtime.run([np.array([1, 2], np.float32)], outputs=outputs)
        assert [result.tolist() for result in results] == [[2, 4], [2, 4]]
        assert not np.may_share_memory(*results)
