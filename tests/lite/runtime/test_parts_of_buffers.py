"""Values that lie in the buffer of the value they are cut from."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lite.runtime.run_text import runtime_of

X = np.arange(1, 13, dtype=np.float32).reshape(3, 4)


def steps(text: str, x: np.ndarray) -> int:
    return len(runtime_of(text).prepare([x]).steps)


ROWS = """
graph main(%x: float32[?,4]) {
  %i = const int64[] [1]
  %a = scale(X=%x) {scale=2.0} : float32[?,4]
  %r = gather(X=%a, Index=%i) {axis=0} : float32[4]
  %s = slice(Input=%a) {axes=[0], starts=[-1], ends=[9]} : float32[1,4]
  %b = exp(X=%r) : float32[4]
  %c = elementwise_add(X=%s, Y=%b) : float32[1,4]
  %y = scale(X=%c) {scale=1.0, bias=1.0} : float32[1,4]
  return %y
}
"""


@pytest.mark.parametrize("memory", ["compact", "plain"])
def test_rows_of_a_buffer_are_not_copied(memory: str) -> None:
    runtime = runtime_of(ROWS, memory)
    for x in (X, 3 * X[:2], X):
        np.testing.assert_array_equal(runtime.run([x])[0][0], 2 * x[-1:] + np.exp(2 * x[1]) + 1)
    assert len(runtime.prepare([X]).steps) == 4


COLUMNS = """
graph main(%x: float32[?,3,2]) {
  %i = const int64[] [1]
  %a = scale(X=%x) {scale=2.0} : float32[?,3,2]
  %r = gather(X=%a, Index=%i) {axis=1} : float32[?,2]
  %y = scale(X=%r) {scale=1.0, bias=1.0} : float32[?,2]
  return %y
}
"""


def test_a_slice_is_copied_where_it_is_not_contiguous() -> None:
    runtime = runtime_of(COLUMNS)
    for count, expected in ((1, 2), (2, 3), (1, 2)):
        x = np.arange(6 * count, dtype=np.float32).reshape(count, 3, 2)
        np.testing.assert_array_equal(runtime.run([x])[0][0], 2 * x[:, 1] + 1)
        assert len(runtime.prepare([x]).steps) == expected


UNIT_AXES = """
graph main(%x: float32[?,3]) {
  %a = scale(X=%x) {scale=2.0} : float32[?,3]
  %t = transpose2(X=%a) {axis=[1, 0]} : float32[3,?]
  %y = scale(X=%t) {scale=1.0, bias=1.0} : float32[3,?]
  return %y
}
"""


def test_a_transpose_is_not_copied_where_only_axes_of_one_element_move() -> None:
    runtime = runtime_of(UNIT_AXES)
    for count, expected in ((1, 2), (2, 3), (1, 2)):
        x = np.arange(3 * count, dtype=np.float32).reshape(count, 3)
        np.testing.assert_array_equal(runtime.run([x])[0][0], 2 * x.T + 1)
        assert len(runtime.prepare([x]).steps) == expected


WRITTEN_OVER = """
graph main(%x: float32[3,4]) {
  %a = scale(X=%x) {scale=2.0} : float32[3,4]
  %r = slice(Input=%a) {axes=[0], starts=[0], ends=[2]} : float32[2,4]
  %b = tanh(X=%a) : float32[3,4]
  %s = slice(Input=%b) {axes=[0], starts=[1], ends=[3]} : float32[2,4]
  %c = elementwise_add(X=%r, Y=%s) : float32[2,4]
  %y = scale(X=%c) {scale=1.0, bias=1.0} : float32[2,4]
  return %y
}
"""


def test_no_op_overwrites_a_buffer_of_which_a_part_is_read_later() -> None:
    expected = 2 * X[:2] + np.tanh(2 * X[1:]) + 1
    np.testing.assert_allclose(runtime_of(WRITTEN_OVER).run([X])[0][0], expected, rtol=1e-6)


PART_WRITTEN_OVER = """
graph main(%x: float32[2,4]) {
  %a = scale(X=%x) {scale=2.0} : float32[2,4]
  %r = slice(Input=%a) {axes=[0], starts=[0], ends=[1]} : float32[1,4]
  %b = scale(X=%r) {scale=5.0} : float32[1,4]
  %c = elementwise_add(X=%a, Y=%b) : float32[2,4]
  %y = scale(X=%c) {scale=1.0, bias=1.0} : float32[2,4]
  return %y
}
"""


def test_no_op_overwrites_a_part_of_a_buffer_that_is_read_later() -> None:
    np.testing.assert_array_equal(
        runtime_of(PART_WRITTEN_OVER).run([X[:2]])[0][0], 2 * X[:2] + 10 * X[:1] + 1
    )


READ_BESIDE = """
graph main(%x: float32[2,4]) {
  %a = scale(X=%x) {scale=2.0} : float32[2,4]
  %r = slice(Input=%a) {axes=[0], starts=[0], ends=[1]} : float32[1,4]
  %c = elementwise_add(X=%a, Y=%r) : float32[2,4]
  %y = scale(X=%c) {scale=1.0, bias=1.0} : float32[2,4]
  return %y
}
"""


def test_no_op_overwrites_a_buffer_of_which_it_reads_a_part() -> None:
    np.testing.assert_array_equal(runtime_of(READ_BESIDE).run([X[:2]])[0][0], 2 * X[:2] + 2 * X[:1] + 1)


NESTED = """
graph main(%x: float32[4,2,2]) {
  %a = scale(X=%x) {scale=2.0} : float32[4,2,2]
  %p, %q = split(X=%a) {axis=0, num=2} : float32[2,2,2], float32[2,2,2]
  %v = reshape2(X=%q) {shape=[4,2]} : float32[4,2]
  %r = slice(Input=%v) {axes=[0], starts=[3], ends=[4]} : float32[1,2]
  %b = elementwise_add(X=%p, Y=%r) : float32[2,2,2]
  %y = scale(X=%b) {scale=1.0, bias=1.0} : float32[2,2,2]
  return %y
}
"""


def test_parts_of_parts() -> None:
    x = np.arange(16, dtype=np.float32).reshape(4, 2, 2)
    np.testing.assert_array_equal(runtime_of(NESTED).run([x])[0][0], 2 * x[:2] + 2 * x[3, 1] + 1)
    assert steps(NESTED, x) == 3


RESULT = """
graph main(%x: float32[3,4]) {
  %a = scale(X=%x) {scale=2.0} : float32[3,4]
  %y = slice(Input=%a) {axes=[0], starts=[0], ends=[1]} : float32[1,4]
  return %y
}
"""


def test_a_result_has_memory_of_its_own() -> None:
    runtime = runtime_of(RESULT)
    first = runtime.run([X])[0][0]
    runtime.run([3 * X])
    np.testing.assert_array_equal(first, 2 * X[:1])


LONG_LIVED = """
graph main(%x: float32[64]) {
  %a = scale(X=%x) {scale=2.0} : float32[64]
  %r = slice(Input=%a) {axes=[0], starts=[0], ends=[1]} : float32[1]
  %b = tanh(X=%x) : float32[64]
  %c = scale(X=%x) {scale=3.0} : float32[64]
  %d = matmul_v2(X=%b, Y=%c) : float32[]
  %e = elementwise_add(X=%r, Y=%d) : float32[1]
  %y = scale(X=%e) {scale=1.0, bias=1.0} : float32[1]
  return %y
}
"""


def test_a_small_part_does_not_keep_a_buffer_where_the_peak_would_grow() -> None:
    x = np.linspace(-1, 1, 64, dtype=np.float32)
    runtime = runtime_of(LONG_LIVED)
    np.testing.assert_allclose(runtime.run([x])[0][0], 2 * x[:1] + np.tanh(x) @ (3 * x) + 1, rtol=1e-5)
    assert runtime.prepare([x]).arena_bytes < 3 * x.nbytes
