"""Runs of a segment without the search for it: equal to general runs, left where they do not apply."""

from __future__ import annotations

import numpy as np
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


def test_data_dependent_sizes_take_the_general_way() -> None:
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
    for numbers_given in ([1, 0, 2], [0, 0, 3], [1, 1, 1]):
        result = own.run([np.array(numbers_given)])["y"]
        np.testing.assert_array_equal(result, np.argwhere(numbers_given))
        assert own._runs._short is None
