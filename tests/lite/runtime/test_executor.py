"""Runtime: results, arguments that stay unchanged, and reuse of memory."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ExecutionError, GraphError, InputError
from tests.lite.runtime.run_text import runtime_of

CHAIN = """
graph main(%x: float32[?,4]) {
  %w = const float32[4] [1.0, 2.0, 3.0, 4.0]
  %a = elementwise_mul(X=%x, Y=%w) : float32[?,4]
  %b = relu(X=%a) : float32[?,4]
  %c = elementwise_add(X=%b, Y=%w) : float32[?,4]
  %y = tanh(X=%c) : float32[?,4]
  return %y
}
"""
W = np.array([1, 2, 3, 4], np.float32)


def chain(x: np.ndarray) -> np.ndarray:
    return np.tanh(np.maximum(x * W, 0) + W)


@pytest.mark.parametrize("memory", ["compact", "plain"])
def test_runs_with_different_inputs_and_shapes_do_not_disturb_each_other(memory: str) -> None:
    runtime = runtime_of(CHAIN, memory)
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal((n, 4)).astype(np.float32) for n in (3, 1, 3, 0, 7, 3)]
    results = [runtime.run([x])[0][0] for x in inputs]
    for x, y in zip(inputs, results, strict=True):
        np.testing.assert_allclose(y, chain(x), rtol=1e-6)
        assert y.dtype == np.float32
        assert y.flags.writeable


def test_read_only_and_non_contiguous_inputs_are_accepted_and_unchanged() -> None:
    x = np.arange(24, dtype=np.float32).reshape(4, 6)[:, ::-1].T[:5]
    x = x[:, :4]
    x.flags.writeable = False
    before = x.copy()
    np.testing.assert_allclose(runtime_of(CHAIN).run([x])[0][0], chain(before), rtol=1e-6)
    np.testing.assert_array_equal(x, before)


def test_one_buffer_serves_a_chain_of_inplace_ops() -> None:
    runtime = runtime_of(CHAIN)
    segment = runtime.prepare([np.zeros((16, 4), np.float32)])
    assert segment.arena_bytes == 16 * 4 * 4
    plain = runtime_of(CHAIN, "plain").prepare([np.zeros((16, 4), np.float32)])
    assert (
        plain.arena_bytes == segment.arena_bytes
    )  # in-place reuse comes from the plan, not from the strategy


def test_a_value_that_is_read_later_is_not_overwritten() -> None:
    runtime = runtime_of(
        """
        graph main(%x: float32[4]) {
          %a = scale(X=%x) {scale=2.0} : float32[4]
          %b = relu(X=%a) : float32[4]
          %c = elementwise_add(X=%a, Y=%b) : float32[4]
          %y = scale(X=%c) {scale=1.0, bias=1.0} : float32[4]
          return %y
        }
        """
    )
    x = np.array([-1, 2, -3, 4], np.float32)
    np.testing.assert_array_equal(runtime.run([x])[0][0], 2 * x + np.maximum(2 * x, 0) + 1)


def test_a_view_of_a_buffer_keeps_it_alive() -> None:
    runtime = runtime_of(
        """
        graph main(%x: float32[2,3]) {
          %a = scale(X=%x) {scale=2.0} : float32[2,3]
          %v = reshape2(X=%a) {shape=[6]} : float32[6]
          %b = scale(X=%x) {scale=3.0} : float32[2,3]
          %c = scale(X=%b) {scale=1.0} : float32[2,3]
          %d = reshape2(X=%c) {shape=[6]} : float32[6]
          %y = elementwise_sub(X=%d, Y=%v) : float32[6]
          return %y
        }
        """
    )
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(runtime.run([x])[0][0], x.reshape(6))


def test_results_belong_to_the_caller_whatever_they_are_computed_from() -> None:
    runtime = runtime_of(
        """
        graph main(%x: float32[2,3]) {
          %w = const float32[2] [1.0, 2.0]
          %v = reshape2(X=%x) {shape=[6]} : float32[6]
          %s = shape(Input=%x) : int32[2]
          %a = scale(X=%x) {scale=2.0} : float32[2,3]
          %r = reshape2(X=%a) {shape=[3,2]} : float32[3,2]
          return %x, %w, %v, %s, %a, %r, again=%a
        }
        """
    )
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    expected = [
        x.copy(), np.array([1, 2], np.float32), x.reshape(6).copy(), np.array([2, 3], np.int32),
        2 * x, (2 * x).reshape(3, 2), 2 * x,
    ]  # fmt: skip
    results, _ = runtime.run([x])
    for number, (result, array) in enumerate(zip(results, expected, strict=True)):
        np.testing.assert_array_equal(result, array)
        assert not any(np.shares_memory(result, other) for other in results[:number])
        assert not np.shares_memory(result, x)
    for result in results:
        result[...] = -1
    later, _ = runtime.run([x])
    for result, array in zip(later, expected, strict=True):
        np.testing.assert_array_equal(result, array)


def test_values_that_follow_from_shapes_are_computed_at_binding() -> None:
    runtime = runtime_of(
        """
        graph main(%x: float32[?,?]) {
          %s = shape(Input=%x) : int32[2]
          %n = slice(Input=%s) {axes=[0], starts=[1], ends=[2]} : int32[1]
          %z = fill_constant(ShapeTensor=%n) {dtype=5, value=3.0} : float32[?]
          %y = elementwise_add(X=%x, Y=%z) : float32[?,?]
          return %y
        }
        """
    )
    for shape in ((2, 3), (1, 5)):
        x = np.ones(shape, np.float32)
        np.testing.assert_array_equal(runtime.run([x])[0][0], np.full(shape, 4, np.float32))
        assert len(runtime.prepare([x]).steps) == 1


LIKE = """
graph main(%x: float32[?,3]) {
  %h = fill_constant_batch_size_like(Input=%x)
    {shape=[1, -1, 2], dtype=5, value=0.5, input_dim_idx=0, output_dim_idx=1} : float32[1,?,2]
  %o = fill_any_like(X=%x) {value=2.0, dtype=-1} : float32[?,3]
  %y = elementwise_mul(X=%x, Y=%o) : float32[?,3]
  %z = scale(X=%h) {scale=2.0} : float32[1,?,2]
  return %y, %z
}
"""


def test_one_number_in_the_shape_of_a_value_is_written_at_binding() -> None:
    runtime = runtime_of(LIKE)
    for count in (2, 0, 3, 2):
        x = np.arange(3 * count, dtype=np.float32).reshape(count, 3)
        y, z = runtime.run([x])[0]
        np.testing.assert_array_equal(y, 2 * x)
        np.testing.assert_array_equal(z, np.ones((1, count, 2), np.float32))
    # Only the product is left: what follows from numbers alone is folded, too.
    assert len(runtime.prepare([np.ones((2, 3), np.float32)]).steps) == 1


def test_data_dependent_shapes_split_the_plan_and_are_bound_once_each() -> None:
    runtime = runtime_of(
        """
        graph main(%n: int64[1], %x: float32[1]) {
          %zero = const int64[1] [0]
          %one = const int64[1] [1]
          %r = range(Start=%zero, End=%n, Step=%one) : int64[?]
          %f = cast(X=%r) {in_dtype=3, out_dtype=5} : float32[?]
          %y = elementwise_add(X=%f, Y=%x) : float32[?]
          return %y
        }
        """
    )
    x = np.array([0.5], np.float32)
    for n in (3, 0, 5, 3):
        y = runtime.run([np.array([n]), x])[0][0]
        np.testing.assert_array_equal(y, np.arange(n, dtype=np.float32) + np.float32(0.5))
    first, *others = runtime.segments()
    assert all(segment.key[0] is first for segment in others)
    assert sorted(str(segment.metas[runtime.plan.results[0]]) for segment in others) == [
        "float32[0]", "float32[3]", "float32[5]",
    ]  # fmt: skip


def test_output_arrays_are_written_in_place() -> None:
    runtime = runtime_of(CHAIN)
    x, y = np.ones((2, 4), np.float32), np.zeros((2, 4), np.float32)
    results, _ = runtime.run([x], outputs={0: y})
    assert results[0] is y
    np.testing.assert_allclose(y, chain(x), rtol=1e-6)


def test_an_output_array_for_an_argument_gets_a_copy() -> None:
    runtime = runtime_of("graph main(%x: float32[2]) { return %x }")
    x, y = np.ones(2, np.float32), np.zeros(2, np.float32)
    assert runtime.run([x], outputs={0: y})[0][0] is y
    np.testing.assert_array_equal(y, x)


def test_an_output_array_of_another_shape_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"output array for 'y' is float32\[2, 5\], the result is float32\[2, 4\]"
    ):
        runtime_of(CHAIN).run([np.ones((2, 4), np.float32)], outputs={0: np.zeros((2, 5), np.float32)})


def test_shapes_that_do_not_fit_are_an_error_that_names_the_op() -> None:
    with pytest.raises(
        GraphError, match=r"op 0 \(elementwise_mul -> a\): elementwise_mul: .*broadcast"
    ) as caught:
        runtime_of(CHAIN).run([np.ones((2, 5), np.float32)])
    caught.match(r"; perhaps the model does not take inputs of these sizes: x \[2,5\]$")


def test_a_kernel_error_names_op_shapes_and_place() -> None:
    runtime = runtime_of(
        """
        graph main(%ids: int64[?]) {
          %w = const float32[2,1] [1.0, 2.0]
          %y = lookup_table_v2(Ids=%ids, W=%w) : float32[?,1]
          return %y
        }
        """
    )
    with pytest.raises(
        ExecutionError, match=r"op 0: lookup_table_v2\(Ids=ids int64\[1\]; W=w float32\[2, 1\]\) on host"
    ):
        runtime.run([np.array([7])])
