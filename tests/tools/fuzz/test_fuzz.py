"""Random graphs of fixed seeds equal ONNX Runtime in all configurations; failing ones become small."""

from __future__ import annotations

import random

import numpy as np
import pytest
from click.testing import CliRunner

from lite.tools.fuzz.__main__ import main
from lite.tools.fuzz.configurations import CONFIGURATIONS
from lite.tools.fuzz.draw import ROWS
from lite.tools.fuzz.graph import Case, generate
from lite.tools.fuzz.judge import check, difference
from lite.tools.fuzz.minimise import minimise
from lite.tools.fuzz.worker import check_seed

FIRST_SEED, GRAPHS, PART = 2_000_000, 60, 10
"""About a minute on one core."""


@pytest.mark.parametrize("first", range(FIRST_SEED, FIRST_SEED + GRAPHS, PART))
def test_random_graphs_equal_onnxruntime_in_all_configurations(first: int) -> None:
    for engine in ("onnxruntime", "openvino", "numba"):
        pytest.importorskip(engine)

    failures = [check_seed(seed, -1, None) for seed in range(first, first + PART)]

    assert failures == [""] * PART


def test_equal_seeds_draw_equal_graphs() -> None:
    pytest.importorskip("onnxruntime")
    first, second = (generate(random.Random(7), "7") for _ in range(2))

    assert first is not None
    assert second is not None
    assert first.model == second.model


def test_most_graphs_are_also_run_on_other_elements_of_the_same_sizes() -> None:
    pytest.importorskip("onnxruntime")
    cases = [case for seed in range(30) if (case := generate(random.Random(seed), str(seed))) is not None]

    moved = [
        case
        for case in cases
        if any(
            all(feeds[key].shape == array.shape for key, array in case.feeds.items())
            and not all(np.array_equal(feeds[key], array) for key, array in case.feeds.items())
            for feeds, _ in case.others
        )
    ]

    assert len(moved) > len(cases) / 2


def test_a_failing_graph_is_reduced_to_the_op_that_fails() -> None:
    pytest.importorskip("onnxruntime")
    case = next(
        case
        for seed in range(1000)
        if (case := generate(random.Random(seed), str(seed), rows=["Relu", "Tanh"])) is not None
        and {node.op_type for node in case.model.graph.node} == {"Relu", "Tanh"}
    )

    def fails(smaller: Case) -> bool:
        """A fault of every model with a Tanh."""
        return any(node.op_type == "Tanh" for node in smaller.model.graph.node)

    small = minimise(case, fails)

    assert [node.op_type for node in small.model.graph.node if node.op_type != "Constant"] == ["Tanh"]
    wrong = {name: array + 1 for name, array in small.outputs.items()}
    assert "relative error" in (difference(wrong, small.outputs, 1e-3) or "")
    assert check(small, CONFIGURATIONS["host"]) is None


def test_an_unknown_row_is_refused_with_the_rows() -> None:
    result = CliRunner().invoke(main, ["--row", "Reluu"])

    assert result.exit_code == 2
    assert "no row is called 'Reluu'" in result.output
    assert "Relu" in ROWS
