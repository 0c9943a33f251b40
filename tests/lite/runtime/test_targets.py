"""Runs across targets with their own memory, other dtypes, and images in NHWC."""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

import lite
from lite.errors import ExecutionError
from lite.ir.text import parse_graph
from lite.ir.types import Array, DType, Layout, Place
from lite.passes.base import PassContext
from lite.passes.manager import PassManager
from lite.passes.pipelines import TAIL
from lite.plugin.kernel import kernel, unregister
from lite.runtime import PlanState, Runtime
from lite.session.predictor import Predictor
from tests.support.fake_targets import FakeTensor, fake_target, movable_ops
from tests.support.small_programs import affine, affine_reference, make_program

MEM = Place("fakemem")
HALF = Place("fakehalf", DType.FLOAT16)
NHWC = Place("fakenhwc", None, Layout.NHWC)
EVERYTHING = Place("fakeall", DType.FLOAT16, Layout.NHWC)


def state_of(text: str, *places: Place) -> PlanState:
    """The state of a graph's plan, made by all mandatory passes."""
    ctx = PassContext(places)
    PassManager(TAIL, debug=True).run(parse_graph(text), ctx)
    assert ctx.results.plan is not None
    return PlanState(ctx.results.plan)


def run(text: str, args: Sequence[Array], *places: Place) -> list[Array]:
    """The results of a graph, which must be equal in two runs."""
    runtime = Runtime(state_of(text, *places))
    first, second = (runtime.run(args)[0] for _ in range(2))
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)
    return first


def ops_of(state: PlanState) -> list[str]:
    """The instructions of a plan."""
    return [item.op for item in state.plan.instructions]


CHAIN = """
graph main(%x: float32[?,2]) {
  %w = const float32[2] [1.0, -2.0]
  %a = elementwise_add(X=%x, Y=%w) {axis=-1} : float32[?,2]
  %b = relu(X=%a) : float32[?,2]
  %c = reshape2(X=%b) {shape=[-1]} : float32[?]
  %d = elementwise_mul(X=%b, Y=%w) {axis=-1} : float32[?,2]
  return %c, %d
}
"""
X = np.array([[1, 5], [-3, 4]], np.float32)
SUM = np.array([[2, 3], [0, 2]], np.float32)


@pytest.mark.parametrize("ops", [["elementwise_add", "relu", "reshape2", "elementwise_mul"], ["relu"]])
@pytest.mark.parametrize(("place", "own_memory"), [(MEM, True), (HALF, False), (EVERYTHING, True)])
def test_a_chain_of_ops_on_another_target_has_the_same_results(
    ops: list[str], place: Place, own_memory: bool
) -> None:
    with fake_target(place, ops, own_memory=own_memory) as calls:
        c, d = run(CHAIN, [X], place)

    assert {array.dtype.name for array in (c, d)} == {"float32"}
    np.testing.assert_array_equal(c, SUM.reshape(-1))
    np.testing.assert_array_equal(d, SUM * [1, -2])
    assert {op: calls[op] for op in ops} == dict.fromkeys(ops, 2)


def test_constants_are_copied_once_for_all_runs_signatures_and_runtimes() -> None:
    with fake_target(MEM, ["elementwise_add", "relu", "elementwise_mul"], own_memory=True) as calls:
        state = state_of(CHAIN, MEM)
        for runtime in (Runtime(state), Runtime(state)):
            for rows in (1, 2, 1):
                runtime.run([X[:rows]])

    assert calls["io_copy_once"] == 1
    assert calls["io_copy"] == 6 * 3


def test_clones_of_a_predictor_share_copied_constants() -> None:
    with fake_target(MEM, movable_ops(), own_memory=True) as calls:
        program = affine()
        config = lite.Config(program.source, valid_places=["fakemem"], passes=[])
        predictor = Predictor.of_program(program, config)
        x = np.arange(8, dtype=np.float32).reshape(2, 4) - 4
        for one in (predictor, predictor.clone()):
            np.testing.assert_array_equal(one.run({"x": x})["y"], affine_reference(x))

    assert calls["io_copy_once"] == 2


def test_objects_are_released_after_their_last_use() -> None:
    alive: list[int] = []

    def exp(X: Array) -> Array:
        alive.append(FakeTensor.alive)
        return np.exp(X)

    text = """
    graph main(%x: float32[2]) {
      %a = relu(X=%x) : float32[2]
      %b = relu(X=%a) : float32[2]
      %c = relu(X=%b) : float32[2]
      %d = exp(X=%c) : float32[2]
      return %d
    }
    """
    kernel("exp", "lib")(exp)
    try:
        with fake_target(MEM, ["relu"], own_memory=True):
            gc.collect()
            before = FakeTensor.alive
            run(text, [X[0]], MEM, Place("lib"))
    finally:
        unregister("exp", Place("lib"))

    assert alive == [before, before]
    assert FakeTensor.alive == before


def test_data_dependent_shapes_are_known_after_the_copy_to_the_host() -> None:
    text = """
    graph main(%x: float32[?]) {
      %a = where_index(Condition=%x) : int64[?,1]
      %b = cast(X=%a) {in_dtype=3, out_dtype=5} : float32[?,1]
      %c = relu(X=%b) : float32[?,1]
      %d = scale(X=%c) {scale=2.0} : float32[?,1]
      return %d
    }
    """
    x = np.array([0, 1, 0, 2, 3], np.float32)
    with fake_target(MEM, ["where_index", "cast", "relu"], own_memory=True):
        state = state_of(text, MEM)
        runtime = Runtime(state)
        for values in (x, x[::-1].copy(), x[:3], np.zeros(4, np.float32)):
            [result], _ = runtime.run([values])
            np.testing.assert_array_equal(result, 2 * np.flatnonzero(values).reshape(-1, 1))

    assert ops_of(state) == ["io_copy", "where_index", "cast", "relu", "io_copy", "scale"]


def test_elements_of_shapes_are_known_to_rules_on_other_targets() -> None:
    text = """
    graph main(%x: float32[?,4]) {
      %s = shape(Input=%x) : int32[2]
      %y = reshape2(X=%x, Shape=%s) : float32[?,?]
      %z = relu(X=%y) : float32[?,?]
      return %z
    }
    """
    x = np.arange(8, dtype=np.float32).reshape(2, 4) - 3
    for ops in (["shape"], ["reshape2"], ["shape", "reshape2", "relu"]):
        with fake_target(MEM, ops, own_memory=True):
            [result] = run(text, [x], MEM)
        np.testing.assert_array_equal(result, np.maximum(x, 0))


def loop() -> str:
    """Adds 1 until a limit.  The sum is carried, so each iteration passes it into and out of the block."""
    return """
    graph main(%x: float32[2], %n: float32[1]) {
      %one = const float32[1] [1.0]
      %c = less_than(X=%one, Y=%n) {axis=-1} : bool[1]
      %i = assign(X=%one) : float32[1]
      %c#1, %i#1, %x#1 = while(Condition=%c, X=[%i, %x, %n]) {carried=3} : bool[1], float32[1], float32[2]
        graph block1(%c: bool[1], %i: float32[1], %x: float32[2], %n: float32[1]) {
          %one = const float32[1] [1.0]
          %i#1 = elementwise_add(X=%i, Y=%one) {axis=-1} : float32[1]
          %x#1 = elementwise_add(X=%x, Y=%i) {axis=-1} : float32[2]
          %c#1 = less_than(X=%i#1, Y=%n) {axis=-1} : bool[1]
          return c=%c#1, i=%i#1, x=%x#1
        }
      %y = relu(X=%x#1) : float32[2]
      return %y
    }
    """


@pytest.mark.parametrize(
    "ops", [["elementwise_add", "relu", "assign", "less_than"], ["elementwise_add"], ["relu"]]
)
@pytest.mark.parametrize(("place", "own_memory"), [(MEM, True), (HALF, False), (EVERYTHING, True)])
@pytest.mark.parametrize(("limit", "added"), [(0, 0), (4, 6)])
def test_a_loop_on_another_target_has_the_same_results(
    ops: list[str], place: Place, own_memory: bool, limit: int, added: int
) -> None:
    with fake_target(place, ops, own_memory=own_memory):
        [result] = run(loop(), [X[1], np.array([limit], np.float32)], place)

    np.testing.assert_array_equal(result, np.maximum(X[1] + added, 0))


def test_outputs_of_a_block_that_did_not_run_are_not_copied() -> None:
    text = """
    graph main(%c: bool[1], %x: float32[2]) {
      %n = logical_not(X=%c) : bool[1]
      %a = conditional_block(Cond=%c, Input=%x) {carried=0, is_scalar_condition=true} : float32[2]
        graph block1(%x: float32[2]) {
          %y = relu(X=%x) : float32[2]
          return %y
        }
      %b = conditional_block(Cond=%n, Input=%x) {carried=0, is_scalar_condition=true} : float32[2]
        graph block2(%x: float32[2]) {
          %y = exp(X=%x) : float32[2]
          return %y
        }
      %m = cast(X=%c) {in_dtype=0, out_dtype=2} : int32[1]
      %y = select_input(X=[%b, %a], Mask=%m) : float32[2]
      return %y
    }
    """
    for place, own_memory in ((MEM, True), (HALF, False), (EVERYTHING, True)):
        with fake_target(place, ["relu", "exp", "select_input"], own_memory=own_memory):
            [chosen] = run(text, [np.array([True]), X[1]], place)
            [other] = run(text, [np.array([False]), X[1]], place)
        np.testing.assert_array_equal(chosen, np.maximum(X[1], 0))
        np.testing.assert_allclose(other, np.exp(X[1]), rtol=1e-3)


def test_nhwc_kernels_and_attributes_for_nchw_have_the_same_results() -> None:
    text = """
    graph main(%x: float32[1,4,3,2]) {
      %f = const float32[3,4,1,1] random(2)
      Output=%a = conv2d(Input=%x, Filter=%f) : float32[1,3,3,2]
      %b = relu(X=%a) : float32[1,3,3,2]
      %c = softmax(X=%b) {axis=1} : float32[1,3,3,2]
      %d = concat(X=[%c, %a]) {axis=1} : float32[1,6,3,2]
      %e = reshape2(X=%d) {shape=[0, -1]} : float32[1,36]
      return %e, %b
    }
    """
    x = np.random.default_rng(3).standard_normal((1, 4, 3, 2)).astype(np.float32)
    expected = run(text, [x])
    for ops in (["conv2d"], ["conv2d", "softmax"], ["softmax", "concat"], ["conv2d", "concat", "reshape2"]):
        with fake_target(NHWC, ops) as calls:
            results = run(text, [x], NHWC)
        assert all(calls[op] == 2 for op in ops if op != "reshape2")
        for one, other in zip(results, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6)


def test_each_read_of_a_rewritten_variable_gets_its_version() -> None:
    program = make_program(
        {"x": (DType.FLOAT32, (2,))},
        {},
        [
            ("relu", {"X": ["x"]}, {"Out": ["v"]}, {}),
            ("exp", {"X": ["v"]}, {"Out": ["a"]}, {}),
            ("scale", {"X": ["x"]}, {"Out": ["v"]}, {"scale": 3.0}),
            ("exp", {"X": ["v"]}, {"Out": ["b"]}, {}),
        ],
        ["a", "b", "v"],
    )
    x = np.array([-1, 2], np.float32)
    for ops in (["exp"], ["relu"], ["relu", "exp"], ["scale"]):
        with fake_target(MEM, ops, own_memory=True):
            config = lite.Config(program.source, valid_places=["fakemem"], passes=[])
            outputs = Predictor.of_program(program, config).run({"x": x})
        expected: Mapping[str, Array] = {"a": np.exp(np.maximum(x, 0)), "b": np.exp(3 * x), "v": 3 * x}
        for name, array in expected.items():
            np.testing.assert_allclose(outputs[name], array, rtol=1e-6)


def test_a_kernel_error_names_the_target_and_its_objects() -> None:
    def relu(X: FakeTensor) -> FakeTensor:
        raise ValueError("no space left")

    with fake_target(MEM, ["exp"], own_memory=True):
        kernel("relu", "fakemem")(relu)
        try:
            with pytest.raises(
                ExecutionError, match=r"relu\(X=x\.fakemem FakeTensor\) on fakemem.*no space left"
            ):
                run("graph main(%x: float32[2]) { %y = relu(X=%x) : float32[2] return %y }", [X[0]], MEM)
        finally:
            unregister("relu", MEM)


def test_no_copies_are_inserted_for_the_host_alone() -> None:
    assert ops_of(state_of(CHAIN)) == ["elementwise_add", "relu", "reshape2", "elementwise_mul"]


def test_a_cast_of_a_weight_that_fails_when_the_model_is_loaded_is_an_error_of_litebridge() -> None:
    text = """
graph main(%x: float32[2]) {
  %w = const float32[2] [1.0, -2.0]
  %b = calib_once(X=%w) {in_dtype=5, out_dtype=0, scale=[1.0], zero_point=[], axis=0} : bool[2]
  return %b, %x
}
"""
    with pytest.raises(
        ExecutionError, match=r"op 0: calib_once\(X=float32\[2\]\) on host.* failed: ValueError"
    ):
        run(text, [np.ones(2, np.float32)])
