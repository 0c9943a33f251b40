"""`memory_optimize_pass{order=least}` lowers the arena without a change of results."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import lite
from lite.config import Config
from lite.ir.types import DType
from lite.memory import STRATEGIES
from lite.passes.pipelines import default_pipeline
from tests.lite.runtime.test_random_graphs import PROMISED, run_all
from tests.suite.test_random_devices import drawn
from tests.support.random_programs.builder import Case
from tests.support.random_programs.tensor_ops import cases, feeds
from tests.support.small_programs import make_program

X = np.arange(12, dtype=np.float32).reshape(3, 4)


def passes(order: str) -> list[str]:
    name = "memory_optimize_pass"
    return [f"{name}{{order={order}}}" if each == name else each for each in default_pipeline()]


def branches() -> Any:
    """Two products that are much larger than what is read of them, written before they are read."""
    weights = {"v": np.ones((4, 500), np.float32), "w": np.full((4, 500), 2, np.float32)}
    ops: list[Any] = [
        ("matmul_v2", {"X": ["x"], "Y": ["v"]}, {"Out": ["a"]}, {}),
        ("matmul_v2", {"X": ["x"], "Y": ["w"]}, {"Out": ["b"]}, {}),
        ("reduce_sum", {"X": ["a"]}, {"Out": ["c"]}, {"dim": [1], "keep_dim": True}),
        ("reduce_max", {"X": ["b"]}, {"Out": ["d"]}, {"dim": [1], "keep_dim": True}),
        ("elementwise_add", {"X": ["c"], "Y": ["d"]}, {"Out": ["y"]}, {"axis": -1}),
    ]
    return make_program({"x": (DType.FLOAT32, (-1, 4))}, weights, ops, ["y"])


@pytest.mark.parametrize("shapes", [{}, {"x": (3, 4)}], ids=["open batch", "known sizes"])
def test_a_branch_is_finished_before_the_next_one_begins(shapes: dict[str, Any]) -> None:
    sizes, results = [], []
    for order in ("model", "least"):
        config = Config(model_buffer=b"m", passes=passes(order), input_shapes=shapes, valid_places=["host"])
        predictor = lite.Predictor.of_program(branches(), config)
        results.append(predictor.run([X])["y"])
        sizes.append(sum(arena.size for arena in predictor.memory().arenas))
    np.testing.assert_array_equal(results[0], results[1])
    assert sizes[0] >= 2 * 3 * 500 * 4
    assert sizes[1] < 0.6 * sizes[0]


@pytest.mark.parametrize("shapes", [{"x": ("n", "m")}])
def test_an_order_of_unknown_sizes_is_left_alone(shapes: dict[str, Any]) -> None:
    program = make_program(
        {"x": (DType.FLOAT32, (-1, -1))},
        {},
        [("relu", {"X": ["x"]}, {"Out": ["a"]}, {}), ("tanh", {"X": ["a"]}, {"Out": ["y"]}, {})],
        ["y"],
    )
    config = Config(model_buffer=b"m", passes=passes("least"), input_shapes=shapes)
    predictor = lite.Predictor.of_program(program, config)
    records = {record.name: record.changed for record in predictor.pass_records}
    assert records["memory_optimize_pass"] is False


@drawn(40)
@given(case=cases())
def test_random_programs_need_no_more_memory_and_give_the_same_results(case: Case) -> None:
    runs = [feeds(3, (2, 3), seed) for seed in range(2)]
    run_all(Config("random", passes=passes("least"), input_shapes=PROMISED, debug=True), case, runs)
    sizes = []
    for order in ("model", "least"):
        config = Config("random", passes=passes(order), input_shapes=PROMISED, valid_places=["host"])
        predictor = lite.Predictor.of_program(copy.deepcopy(case.program), config)
        predictor.run(runs[0][0], lods=runs[0][1])
        sizes.append(sum(arena.size for arena in predictor.memory().arenas))
    assert sizes[1] <= sizes[0]


def test_an_unknown_strategy_is_an_error() -> None:
    config = Config(model_buffer=b"m", passes=["memory_optimize_pass{strategy=compactt}"])
    with pytest.raises(lite.PassError, match="no memory strategy is called 'compactt'"):
        lite.Predictor.of_program(branches(), config)
    assert "compact" in STRATEGIES
