"""Runs of a segment without the search for it: equal to general runs, left where they do not apply."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

import lite
from lite.errors import ExecutionError, InputError
from lite.ir.program import Program
from lite.ir.types import NO_LOD, Array, DType
from lite.runtime.block_run import BlockRun
from lite.runtime.stepped_run import SteppedRun
from tests.lite.runtime.run_text import runtime_of
from tests.support.small_programs import make_program


def rows() -> Program:
    """``y = |x[k]|, z = x·x`` of int64[?, 3], for computed rows k: ops that no compiled kernel runs."""
    return make_program(
        {"x": (DType.INT64, (-1, 3)), "k": (DType.INT64, (-1,))},
        {},
        [
            ("gather", {"X": ["x"], "Index": ["k"]}, {"Out": ["a"]}, {"axis": 0}),
            ("abs", {"X": ["a"]}, {"Out": ["y"]}, {}),
            ("elementwise_mul", {"X": ["x"], "Y": ["x"]}, {"Out": ["z"]}, {"axis": -1}),
        ],
        ["y", "z"],
    )


def predictor(program: Program | None = None) -> lite.Predictor:
    config = lite.Config("unused", threads=1, valid_places=["host"])
    return lite.Predictor.of_program(program or rows(), config)


def numbers(count: int, seed: int = 0) -> dict[str, Array]:
    generator = np.random.default_rng(seed)
    return {"x": generator.integers(-9, 9, (count, 3)), "k": generator.integers(0, count, 4)}


def check(results: dict[str, Array], inputs: dict[str, Array]) -> None:
    np.testing.assert_array_equal(results["y"], abs(inputs["x"][inputs["k"]]))
    np.testing.assert_array_equal(results["z"], inputs["x"] ** 2)


def test_results_are_those_of_general_runs() -> None:
    own = predictor()
    kept = []
    for seed, count in enumerate((5, 5, 5, 2, 5, 2, 2, 7, 7)):
        inputs = numbers(count, seed)
        kept.append((own.run(inputs if seed % 2 else list(inputs.values())), inputs))
        assert isinstance(own._runs._short, SteppedRun)
        np.testing.assert_array_equal(own.get_output("z").numpy(), inputs["x"] ** 2)
    for results, inputs in kept:
        check(results, inputs)


def test_the_short_way_stays_the_same() -> None:
    own = predictor()
    own.run(numbers(5))
    way = own._runs._short
    for seed in range(3):
        inputs = numbers(5, seed)
        check(own.run(inputs), inputs)
        assert own._runs._short is way


@pytest.mark.parametrize("is_first", [False, True])
def test_an_error_is_that_of_a_general_run(is_first: bool) -> None:
    own, inputs = predictor(), numbers(5)
    if not is_first:
        own.run(inputs)

    with pytest.raises(ExecutionError, match=r"op 0: gather\(.* on host.* failed: IndexError"):
        own.run({**inputs, "k": np.array([0, 1, 99, 2])})

    check(own.run(inputs), inputs)


def test_inputs_that_do_not_fit_are_an_error() -> None:
    own, inputs = predictor(), numbers(5)
    own.run(inputs)

    with pytest.raises(InputError):
        own.run({**inputs, "x": inputs["x"].astype(np.float64)})
    with pytest.raises(InputError):
        own.run({"x": inputs["x"]})

    transposed = {**inputs, "x": np.asfortranarray(inputs["x"])}
    check(own.run(transposed), inputs)


def test_outputs_are_written_by_a_general_run() -> None:
    own, inputs = predictor(), numbers(5)
    own.run(inputs)
    squares = np.empty((5, 3), np.int64)

    results = own.run(inputs, outputs={"z": squares})

    assert results["z"] is squares
    check(results, inputs)


def test_a_sub_block_takes_the_short_way() -> None:
    block = BlockRun(
        runtime_of("graph main(%x: int64[?, 8]) {\n  %y = abs(X=%x) : int64[?, 8]\n  return y=%y\n}\n")
    )
    for seed in range(4):
        x = np.random.default_rng(seed).integers(-9, 9, (3, 8))
        [result], lods = block([x], [NO_LOD])
        np.testing.assert_array_equal(result, abs(x))
        assert lods == [NO_LOD]
        assert [isinstance(way, SteppedRun) for way in block._ways.values()] == [seed >= 1]


def test_sizes_that_depend_on_data() -> None:
    program = make_program(
        {"x": (DType.INT64, (-1,))},
        {},
        [
            ("where_index", {"Condition": ["x"]}, {"Out": ["i"]}, {}),
            ("abs", {"X": ["i"]}, {"Out": ["y"]}, {}),
        ],
        ["y"],
    )
    own = predictor(program)
    for numbers_given in ([1, 0, 2], [0, 0, 3], [1, 1, 1], [0, 0, 0], [2, 0, 1]):
        result = own.run([np.array(numbers_given)])["y"]
        np.testing.assert_array_equal(result, np.argwhere(numbers_given))
        assert isinstance(own._runs._short, SteppedRun)


BRANCH = """<ir_version: 8, opset_import: ["" : 17]>
agraph (int64[n, 3] x, int64 k) => (int64[m, 3] y) <int64 two = {2}, int64[1] top = {0}, int64[1] one = {1}> {
  is_large = Greater (k, two)
  z = If (is_large) <
    then_branch = then () => (int64[n, 3] a) { a = Mul (x, x) },
    else_branch = else () => (int64[n, 3] b) { b = Abs (x) }
  >
  total = ReduceSum <keepdims = 0> (z, one)
  kept = Greater (total, two)
  places = NonZero (kept)
  rows = Squeeze (places, top)
  y = Gather <axis = 0> (z, rows)
}"""


def test_elements_that_decide_on_a_branch() -> None:
    """A short run is for the elements of the run before; sizes after the branch depend on data."""
    model = onnx.parser.parse_model(BRANCH).SerializeToString()
    own = lite.create_predictor(lite.Config(model_buffer=model, threads=1, valid_places=["host"]))
    shorts = []
    for seed, k in enumerate((1, 1, 3, 3, 1, 2, 9, 9)):
        x = np.random.default_rng(seed).integers(-2, 3, (5, 3))
        result = own.run({"x": x, "k": np.array(k)})["y"]
        z = x * x if k > 2 else abs(x)
        np.testing.assert_array_equal(result, z[z.sum(1) > 2])
        shorts.append(own._runs._short)
        assert isinstance(shorts[-1], SteppedRun)
    assert shorts[0] is shorts[1]
    assert shorts[2] is shorts[3] is not shorts[1]


def test_a_loop_takes_the_short_way() -> None:
    model = onnx.parser.parse_model(
        """<ir_version: 8, opset_import: ["" : 17]>
agraph (int64[3] x, int64 n) => (int64[3] y) <bool true = {1}> {
  y = Loop (n, true, x) <
    body = body (int64 i, bool go, int64[3] a) => (bool on, int64[3] b) {
      on = Identity (go)
      c = Mod <fmod = 0> (a, n)
      b = Add (c, i)
    }
  >
}"""
    ).SerializeToString()
    own = lite.create_predictor(lite.Config(model_buffer=model, threads=1, valid_places=["host"]))
    for n in (3, 5, 0, 2):
        x = np.arange(3) + n
        result = own.run({"x": x, "n": np.array(n)})["y"]
        for i in range(n):
            x = x % n + i
        np.testing.assert_array_equal(result, x)
        assert isinstance(own._runs._short, SteppedRun)


def test_a_lod_of_a_result_needs_a_general_run() -> None:
    program = make_program(
        {"x": (DType.FLOAT32, (4,))},
        {},
        [("lod_reset", {"X": ["x"]}, {"Out": ["y"]}, {"target_lod": [0, 1, 4]})],
        ["y"],
    )
    own, x = predictor(program), np.arange(4, dtype=np.float32)
    for _ in range(3):
        np.testing.assert_array_equal(own.run([x])["y"], x)
        assert own.get_output("y").lod() == ((0, 1, 4),)
        assert own._runs._short is None
