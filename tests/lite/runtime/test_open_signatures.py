"""Arguments whose sizes change from run to run share a segment, with the same results."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.ir.types import DType
from lite.runtime.open_signatures import EXACT, OpenSignatures
from tests.lite.runtime.run_text import runtime_of

NONE: Any = ()


def key(*shapes: tuple[int, ...]) -> list[Any]:
    return [(shape, np.dtype(np.float32), NONE) for shape in shapes]


def test_sizes_that_change_become_unknown() -> None:
    signatures = OpenSignatures()

    found = [signatures.sizes(key((1, n, 8), (4,))) for n in range(EXACT + 2)]

    assert found == [None] * EXACT + [((1, None, 8), (4,))] * 2


def test_other_ranks_and_lods_are_followed_apart() -> None:
    signatures = OpenSignatures()
    for n in range(EXACT + 1):
        signatures.sizes(key((n,)))

    assert signatures.sizes(key((2, 3))) is None
    assert signatures.sizes([((2,), np.dtype(np.float32), ((0, 2),))]) is None


def test_a_closed_kind_stays_exact() -> None:
    signatures = OpenSignatures()
    for n in range(EXACT):
        signatures.sizes(key((n,)))
    assert signatures.sizes(key((90,))) == ((None,),)

    signatures.close(key((90,)))

    assert signatures.sizes(key((91,))) is None


PAST = """
graph main(%past: float32[?,4], %new: float32[1,4]) {
  %present = concat(X=[%past, %new]) {axis=0} : float32[?,4]
  %scores = matmul_v2(X=%new, Y=%present) {trans_y=true} : float32[1,?]
  %shares = softmax(X=%scores) {axis=-1} : float32[1,?]
  %y = matmul_v2(X=%shares, Y=%present) : float32[1,4]
  %z = relu(X=%y) : float32[1,4]
  return present=%present, z=%z
}
"""


def test_a_growing_past_is_bound_a_few_times() -> None:
    runtime = runtime_of(PAST)
    rng = np.random.default_rng(0)
    past = np.zeros((0, 4), np.float32)
    for _ in range(3 * EXACT):
        new = rng.standard_normal((1, 4)).astype(np.float32)
        (present, z), _ = runtime.run([past, new])
        expected = np.concatenate([past, new])
        np.testing.assert_array_equal(present, expected)
        shares = np.exp(new @ expected.T)
        np.testing.assert_allclose(z, np.maximum(shares / shares.sum() @ expected, 0), rtol=1e-5, atol=1e-6)
        assert not np.shares_memory(present, past)
        past = present

    assert len(list(runtime.segments())) == EXACT + 1


POSITIONS = """
graph main(%mask: float32[?]) {
  %zero = const int32[1] [0]
  %one = const int32[1] [1]
  %size = shape(Input=%mask) : int32[1]
  %end = elementwise_add(X=%size, Y=%one) : int32[1]
  %numbers = range(Start=%zero, End=%end, Step=%one) : int32[?]
  %y = elementwise_mul(X=%numbers, Y=%numbers) : int32[?]
  return y=%y
}
"""


def test_a_range_up_to_a_growing_size_is_bound_a_few_times() -> None:
    runtime = runtime_of(POSITIONS)
    for length in range(3 * EXACT):
        (squares,), _ = runtime.run([np.zeros(length, np.float32)])
        np.testing.assert_array_equal(squares, np.arange(length + 1) ** 2)

    assert len(list(runtime.segments())) == EXACT + 1


WEIGHTS = """
graph main(%x: float32[?,4]) {
  %w = const float32[4,2] [1,2,3,4,5,6,7,8] : float32[4,2]
  %y = mul(X=%x, Y=%w) : float32[?,2]
  return %y
}
"""


def test_products_with_weights_are_bound_exactly() -> None:
    runtime = runtime_of(WEIGHTS)
    for n in range(1, EXACT + 4):
        x = np.full((n, 4), n, np.float32)
        [y], _ = runtime.run([x])
        np.testing.assert_array_equal(y, x @ np.arange(1, 9, dtype=np.float32).reshape(4, 2))

    assert len(list(runtime.segments())) == EXACT + 3


SIZES = """
graph main(%m: float32[1,?], %k: float32[1,1,1,?]) {
  %w = const float32[1,2] [3,4] : float32[1,2]
  %s = shape(Input=%k) : int32[4]
  %r = reshape2(X=%m, Shape=%s) {shape=[0]} : float32[?,?,?,?]
  %t = reduce_sum(X=%r) {dim=[3]} : float32[?,?,?]
  %f = reshape2(X=%t) {shape=[-1,1]} : float32[?,1]
  %y = mul(X=%f, Y=%w) : float32[?,2]
  return %y
}
"""


def test_the_known_sizes_of_a_shape_stay_known() -> None:
    runtime = runtime_of(SIZES)
    for n in range(1, EXACT + 4):
        m = np.full((1, n), 2, np.float32)
        [y], _ = runtime.run([m, np.zeros((1, 1, 1, n), np.float32)])
        np.testing.assert_array_equal(y, [[6 * n, 8 * n]])

    assert len(list(runtime.segments())) == EXACT + 1


def test_strings_of_known_sizes() -> None:
    string, int64 = DType.STRING.code, DType.INT64.code
    runtime = runtime_of(
        f"""
        graph main(%x: float32[?,4], %i: int64[2]) {{
          %y = relu(X=%x) : float32[?,4]
          %t = cast(X=%i) {{in_dtype={int64}, out_dtype={string}}} : string[2]
          return t=%t, y=%y
        }}
        """
    )
    for n in range(1, EXACT + 4):
        (t, y), _ = runtime.run([np.full((n, 4), -1, np.float32), np.array([n, 2])])
        assert t.tolist() == [str(n), "2"]
        np.testing.assert_array_equal(y, np.zeros((n, 4)))


LOOP = """
graph main(%x: float32[?,2], %i: int64[1], %n: int64[1]) {
  %c = less_than(X=%i, Y=%n) : bool[1]
  %c#1, %x#1, %i#1 = while(Condition=%c, X=[%x, %i, %n]) {carried=3} : bool[1], float32[?,2], int64[1]
    graph block1(%c: bool[1], %x: float32[?,2], %i: int64[1], %n: int64[1]) {
      %m = reduce_sum(X=%x) {dim=[0], keep_dim=true} : float32[1,2]
      %x#1 = concat(X=[%x, %m]) {axis=0} : float32[?,2]
      %i#1 = increment(X=%i) {step=1.0} : int64[1]
      %c#1 = less_than(X=%i#1, Y=%n) : bool[1]
      return c=%c#1, x=%x#1, i=%i#1
    }
  return x=%x#1
}
"""


def test_a_loop_that_grows_a_value() -> None:
    runtime = runtime_of(LOOP)
    expected = np.array([[1, -1]], np.float32)
    for _ in range(20):
        expected = np.concatenate([expected, expected.sum(0, keepdims=True)])

    for _ in range(2):
        [x], _ = runtime.run([expected[:1], np.array([0]), np.array([20])])
        np.testing.assert_array_equal(x, expected)


BRANCH = """
graph main(%x: float32[?,3], %other: float32[?]) {
  %three = const int32[1] [3] : int32[1]
  %s = shape(Input=%WHICH) : int32[RANK]
  %n = slice(Input=%s) {axes=[0], starts=[0], ends=[1]} : int32[1]
  %p = equal(X=%n, Y=%three) : bool[1]
  %not = logical_not(X=%p) : bool[1]
  %a = conditional_block(Cond=%p, Input=%x) {carried=0, is_scalar_condition=true} : float32[?,3]
    graph block1(%x: float32[?,3]) {
      %a = relu(X=%x) : float32[?,3]
      return %a
    }
  %b = conditional_block(Cond=%not, Input=%x) {carried=0, is_scalar_condition=true} : float32[?,3]
    graph block2(%x: float32[?,3]) {
      %b = scale(X=%x) {scale=-1.0} : float32[?,3]
      return %b
    }
  %mask = cast(X=%p) {in_dtype=0, out_dtype=2} : int32[1]
  %y = select_input(X=[%b, %a], Mask=%mask) : float32[?,3]
  return %y
}
"""


def test_branches_that_do_not_depend_on_the_changing_size_share_a_runtime() -> None:
    runtime = runtime_of(BRANCH.replace("WHICH", "other").replace("RANK", "1"))
    for rows in range(1, 3 * EXACT):
        x = np.linspace(-1, 1, 3 * rows, dtype=np.float32).reshape(rows, 3)
        np.testing.assert_array_equal(runtime.run([x, x[0]])[0][0], np.maximum(x, 0))

    assert len(runtime.inlined) == EXACT + 1


def test_branches_that_depend_on_the_changing_size_are_resolved_for_each() -> None:
    runtime = runtime_of(BRANCH.replace("WHICH", "x").replace("RANK", "2"))
    for rows in [*range(5, 3 * EXACT), 3, 4, 3]:
        x = np.linspace(-1, 1, 3 * rows, dtype=np.float32).reshape(rows, 3)
        np.testing.assert_array_equal(runtime.run([x, x[0]])[0][0], np.maximum(x, 0) if rows == 3 else -x)


DECODER = """
graph main(%x: float32[?,?], %h: float32[?,?]) {
  %none = const float32[1] [0.0] : float32[1]
  %total = reduce_sum(X=%h) {dim=[0, 1], keep_dim=false} : float32[*]
  %flat = reshape2(X=%total) {shape=[1]} : float32[1]
  %go = greater_than(X=%flat, Y=%none) : bool[1]
  %w = const float32[4,6] random(1) : float32[4,6]
  %sizes = const int64[2] [4, 2] : int64[2]
  %zero = const int64[] [0] : int64[]
  %one = const int64[] [1] : int64[]
  %four = const int32[1] [4] : int32[1]
  %g = matmul_v2(X=%h, Y=%w) : float32[?,?]
  %parts = split_to_array(X=%g, Split=%sizes) {axis=1} : tensor_array float32[*]
  %first = array_element(X=%parts, Position=%zero) : float32[*]
  %second = array_element(X=%parts, Position=%one) : float32[*]
  %rest = reduce_sum(X=%second) {dim=[1], keep_dim=true} : float32[*]
  %sum = elementwise_add(X=%first, Y=%rest) : float32[*]
  %next = tanh(X=%sum) : float32[*]
  %s = shape(Input=%next) : int32[?]
  %columns = slice(Input=%s) {axes=[0], starts=[1], ends=[2]} : int32[1]
  %is_wide = equal(X=%columns, Y=%four) : bool[1]
  %is_narrow = logical_not(X=%is_wide) : bool[1]
  %a = conditional_block(Cond=%is_wide, Input=%next) {carried=0, is_scalar_condition=true} : float32[*]
    graph block1(%next: float32[*]) {
      %a = assign(X=%next) : float32[*]
      return %a
    }
  %b = conditional_block(Cond=%is_narrow, Input=%next) {carried=0, is_scalar_condition=true} : float32[*]
    graph block2(%next: float32[*]) {
      %b = scale(X=%next) {scale=-1.0} : float32[*]
      return %b
    }
  %which = cast(X=%is_wide) {in_dtype=0, out_dtype=2} : int32[1]
  %row = select_input(X=[%b, %a], Mask=%which) : float32[*]
  %stop = logical_not(X=%go) : bool[1]
  %c = conditional_block(Cond=%go, Input=%row) {carried=0, is_scalar_condition=true} : float32[*]
    graph block3(%row: float32[*]) {
      %c = relu(X=%row) : float32[*]
      return %c
    }
  %d = conditional_block(Cond=%stop, Input=%row) {carried=0, is_scalar_condition=true} : float32[*]
    graph block4(%row: float32[*]) {
      %d = scale(X=%row) {scale=3.0} : float32[*]
      return %d
    }
  %taken = cast(X=%go) {in_dtype=0, out_dtype=2} : int32[1]
  %new = select_input(X=[%d, %c], Mask=%taken) : float32[*]
  %y = concat(X=[%x, %new]) {axis=0} : float32[*]
  return y=%y, h=%next
}
"""


def test_a_decoder_of_parts_with_a_branch_by_data_is_bound_a_few_times() -> None:
    runtime = runtime_of(DECODER)
    rng = np.random.default_rng(0)
    weights = next(array for array in runtime.state.constants.values() if array.shape == (4, 6))
    expected = x = np.zeros((1, 4), np.float32)
    for _ in range(4 * EXACT):
        h = rng.standard_normal((1, 4)).astype(np.float32)
        g = h @ weights
        new = np.tanh(g[:, :4] + g[:, 4:].sum(1, keepdims=True))
        expected = np.concatenate([expected, np.maximum(new, 0) if h.sum() > 0 else 3 * new])
        (x, following), _ = runtime.run([x, h])
        np.testing.assert_allclose(x, expected, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(following, new, rtol=1e-5, atol=1e-6)

    assert len(runtime.inlined) == EXACT + 1
    assert len(list(runtime.inlined[-1].segments())) == 1
