"""Loops that add an element to tensor arrays in each iteration are launched, and equal ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import pytest

import lite
from lite.errors import ExecutionError
from lite.ir.limits import Limits
from lite.ir.types import Array
from lite.plugin.kernel.compilation import NotCompiledError
from lite.runtime.block_run import BlockRun
from lite.runtime.collected import collected_body
from tests.lite.runtime.run_text import runtime_of

pytest.importorskip("numba", reason="only compiled kernels launch")
onnxruntime = pytest.importorskip("onnxruntime")

HEAD = '<ir_version: 8, opset_import: ["" : 17]>'

SCAN = """agraph (float[t, 2, 3] x, float[2, 3] start)
    => (float[2, 3] last, float[t, 2, 3] y, float[2, t] z) {
  last, y, z = Scan <num_scan_inputs = 1, scan_output_axes = [0, 1], scan_output_directions = [0, 1],
    body = body (float[2, 3] h, float[2, 3] row) => (float[2, 3] g, float[2, 3] same, float[2] m) {
      s = Add (h, row)
      g = Tanh (s)
      same = Identity (g)
      m = ReduceMax <axes = [1], keepdims = 0> (s)
    }
  > (start, x)
}"""

GROWING = """agraph (float[t, 2, 3] x, float[2, k, 3] before, int64 n, float least)
    => (float[2, a, 3] y, float[b, 3] z, int64[c] w)
  <int64[1] top = {0}, int64[1] one = {1}, bool true = {1}, float[1, 3] first = {1, 2, 3}> {
  none = Slice (one, one, one)
  y, z, w = Loop (n, true, before, first, none) <
    body = body (int64 i, bool go, float[2, k, 3] p, float[m, 3] q, int64[r] u)
        => (bool on, float[2, k1, 3] p1, float[m1, 3] q1, int64[r1] u1) {
      row = Gather <axis = 0> (x, i)
      middle = Unsqueeze (row, one)
      p1 = Concat <axis = 1> (p, middle)
      sum = ReduceSum <keepdims = 1> (row, top)
      q1 = Concat <axis = 0> (sum, q)
      number = Unsqueeze (i, top)
      u1 = Concat <axis = 0> (u, number)
      total = ReduceMax <keepdims = 0> (row)
      on = Less (total, least)
    }
  >
}"""

READ = """agraph (float[t, 3] x, int64 n) => (float[a, 3] y)
  <int64[1] top = {0}, bool true = {1}, float[1, 3] first = {1, 2, 3}> {
  y = Loop (n, true, first) <
    body = body (int64 i, bool go, float[m, 3] q) => (bool on, float[m1, 3] q1) {
      sum = ReduceSum <keepdims = 1> (q, top)
      half = Tanh (sum)
      q1 = Concat <axis = 0> (q, half)
      on = Identity (go)
    }
  >
}"""

CHOSEN = """agraph (float[t, 2, 3] x, float[2, k, 3] before, int64 n, float least)
    => (float[2, a, 3] y, float[t, 1] z)
  <int64[1] top = {0}, int64[1] one = {1}, bool true = {1}> {
  y, z = Loop (n, true, before) <
    body = body (int64 i, bool go, float[2, k, 3] p) => (bool on, float[2, k1, 3] p1, float[1] total) {
      row = Gather <axis = 0> (x, i)
      max = ReduceMax <keepdims = 0> (row)
      total = Unsqueeze (max, top)
      low = Less (max, least)
      p1 = If (low) <
        then_branch = then () => (float[2, k1, 3] same) { same = Identity (p) },
        else_branch = else () => (float[2, k2, 3] longer) {
          middle = Unsqueeze (row, one)
          longer = Concat <axis = 1> (p, middle)
        }
      >
      on = Identity (go)
    }
  >
}"""

TAKE = """agraph (float[4, 3] x, int64[5] which, int64 n) => (float[m, 3] y)
  <bool true = {1}> {
  y = Loop (n, true) <
    body = body (int64 i, bool go) => (bool on, float[3] row) {
      at = Gather <axis = 0> (which, i)
      row = Gather <axis = 0> (x, at)
      on = Identity (go)
    }
  >
}"""


def model_of(text: str) -> bytes:
    return onnx.parser.parse_model(f"{HEAD} {text}").SerializeToString()


def predictor(text: str, **settings: Any) -> lite.Predictor:
    return lite.create_predictor(lite.Config(model_buffer=model_of(text), compilation="wait", **settings))


def numbers(*shape: int) -> Array:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def check(text: str, cases: Sequence[Mapping[str, Array]]) -> None:
    """Assert the results of ONNX Runtime, one case after the other."""
    session = onnxruntime.InferenceSession(model_of(text))
    tested = predictor(text)
    names = [output.name for output in session.get_outputs()]
    for feeds in cases:
        results = tested.run(feeds)
        for name, expected in zip(names, session.run(None, feeds), strict=True):
            assert results[name].dtype == expected.dtype
            np.testing.assert_allclose(results[name], expected, rtol=1e-5, atol=1e-6)


def growing(count: int, n: int, least: float = 99, before: int = 2) -> Mapping[str, Array]:
    x = numbers(count, 2, 3)
    return {"x": x, "before": numbers(2, before, 3), "n": np.array(n), "least": np.array(least, np.float32)}


@pytest.mark.parametrize("counts", [(1, 2, 3, 40, 2), (2500, 1100)], ids=["short", "several launches"])
def test_outputs_of_a_scan(counts: Sequence[int]) -> None:
    check(SCAN, [{"x": numbers(count, 2, 3), "start": numbers(2, 3)} for count in counts])


def test_tensors_that_grow_at_both_ends() -> None:
    cases = [growing(6, 6), growing(9, 0), growing(9, 1), growing(9, 9, before=0), growing(30, 30, 2.0)]

    check(GROWING, [*cases, *cases[::-1]])


def test_a_tensor_that_grows_in_some_iterations() -> None:
    cases = [growing(9, 9, least) for least in (-9, 0.5, 1, 9)] + [
        growing(3, 0),
        growing(30, 30, 1, before=0),
    ]

    check(CHOSEN, [*cases, *cases[::-1]])


def test_a_tensor_that_an_iteration_reads() -> None:
    check(READ, [{"x": numbers(n, 3), "n": np.array(n)} for n in (3, 0, 12)])


@pytest.mark.parametrize(
    ("text", "feeds"),
    [
        (SCAN, {"x": numbers(50, 2, 3), "start": numbers(2, 3)}),
        (GROWING, growing(50, 50)),
        (CHOSEN, growing(50, 50, 1)),
    ],
    ids=["scan", "growing", "chosen"],
)
def test_iterations_run_without_python(
    monkeypatch: pytest.MonkeyPatch, text: str, feeds: Mapping[str, Array]
) -> None:
    tested = predictor(text)
    expected = {name: result.copy() for name, result in tested.run(feeds).items()}

    def fail(*_: object) -> None:
        raise AssertionError("Python runs an iteration")

    monkeypatch.setattr(BlockRun, "__call__", fail)
    results = tested.run(feeds)

    for name, result in results.items():
        np.testing.assert_array_equal(result, expected[name])


def test_a_loop_that_is_not_compiled_yet_is_launched_later(monkeypatch: pytest.MonkeyPatch) -> None:
    tested, feeds = predictor(SCAN), {"x": numbers(9, 2, 3), "start": numbers(2, 3)}

    def refuse(*_: object) -> None:
        raise NotCompiledError("launch_list.run_loop")

    with monkeypatch.context() as patch:
        patch.setattr("lite.kernels.cpu.native.launch_target.loop", refuse)
        expected = {name: result.copy() for name, result in tested.run(feeds).items()}
    tested.run(feeds)
    monkeypatch.setattr(BlockRun, "__call__", refuse)

    for name, result in tested.run(feeds).items():
        np.testing.assert_array_equal(result, expected[name])


def test_an_error_in_an_iteration() -> None:
    tested = predictor(TAKE)
    x, which = numbers(4, 3), np.array([0, 1, 2, 3, 9])
    for _ in range(3):
        [result] = tested.run({"x": x, "which": which, "n": np.array(4)}).values()
        np.testing.assert_array_equal(result, x)
        with pytest.raises(ExecutionError, match="Index: expected -4 to 3"):
            tested.run({"x": x, "which": which, "n": np.array(5)})


def test_the_limit_of_iterations() -> None:
    tested = predictor(SCAN, limits=Limits(iterations=30))
    for _ in range(2):
        tested.run({"x": numbers(30, 2, 3), "start": numbers(2, 3)})
        with pytest.raises(ExecutionError, match="did not end after 30 iterations"):
            tested.run({"x": numbers(31, 2, 3), "start": numbers(2, 3)})


def test_what_a_watched_run_computes() -> None:
    tested, feeds = predictor(SCAN), {"x": numbers(5, 2, 3), "start": numbers(2, 3)}
    expected = {name: result.copy() for name, result in tested.run(feeds).items()}
    written: list[str] = []

    results = tested.observe(lambda each: written.append(each.op), feeds)

    assert written.count("write_to_array") == 10
    for name, result in results.items():
        np.testing.assert_array_equal(result, expected[name])


WRITES = """
graph main(%x: float32[2], %i: int64[1], %n: int64[1]) {
  %list = create_array() : tensor_array float32[*]
  %c = less_than(X=%i, Y=%n) : bool[1]
  %c#1, %list#1, %x#1, %i#1 = while(Condition=%c, X=[%list, %x, %i, %n]) {carried=4}
        : bool[1], tensor_array float32[*], float32[2], int64[1]
    graph block1(%c: bool[1], %list: tensor_array float32[*], %x: float32[2], %i: int64[1], %n: int64[1]) {
      %x#1 = scale(X=%x) {scale=2.0} : float32[2]
      %list#1 = write_to_array(X=%x#1, I=%i, Array=%list) : tensor_array float32[*]
      %i#1 = increment(X=%i) {step=STEP} : int64[1]
      %c#1 = less_than(X=%i#1, Y=%n) : bool[1]
      return c=%c#1, list=%list#1, x=%x#1, i=%i#1
    }
  %length = lod_array_length(X=%list#1) : int64[1]
  %two = const int64[1] [2]
  %third = read_from_array(X=%list#1, I=%two) : float32[?]
  return %length, %third
}
"""


@pytest.mark.parametrize(("step", "factor"), [(1, 8), (2, 4)])
@pytest.mark.parametrize("target", ["host", "cpu"])
def test_elements_written_to_other_places(target: str, step: int, factor: int) -> None:
    """The array gets empty elements between them."""
    runtime = runtime_of(WRITES.replace("STEP", f"{step}.0"), target=target)
    x = np.array([1, -1], np.float32)
    for n in (5, 7, 5):
        (length, third), _ = runtime.run([x, np.array([0]), np.array([n])])
        np.testing.assert_array_equal(length, [n])
        np.testing.assert_array_equal(third, factor * x)


def test_elements_with_a_lod_keep_it() -> None:
    text = WRITES.replace("STEP", "1.0").replace(
        "%list#1 = write_to_array(X=%x#1,",
        "%r = lod_reset(X=%x#1) {target_lod=[0, 1, 2]} : float32[2]\n      %list#1 = write_to_array(X=%r,",
    )
    runtime = runtime_of(text)
    for n in (5, 3):
        (_, third), lods = runtime.run([np.array([1, -1], np.float32), np.array([0]), np.array([n])])
        np.testing.assert_array_equal(third, [8, -8])
        assert lods[1] == ((0, 1, 2),)


def test_a_body_that_reads_its_array_keeps_it() -> None:
    text = WRITES.replace("STEP", "1.0")
    loop = next(item for item in runtime_of(text).state.blocks if item)
    assert collected_body(loop[0], 4) is not None
    reads = text.replace(
        "%c#1 = less_than(X=%i#1, Y=%n)",
        "%k = lod_array_length(X=%list#1) : int64[1]\n      %c#1 = less_than(X=%k, Y=%n)",
    )
    loop = next(item for item in runtime_of(reads).state.blocks if item)

    assert collected_body(loop[0], 4) is None
