"""The table of tuned placements."""

from __future__ import annotations

import math

import pytest

from lite.tools.bench.placement import Row, page, single_place

SLOWER = Row("a", "openvino", 1, {"tuned": 2.0, "host": 1.0, "openvino": 4.0, "HETERO": 3.0}, "openvino 2")
FASTER = Row("b", "openvino", 1, {"tuned": 1.0, "host": 2.0, "openvino": 4.0}, "openvino 2, openvino 3")
BROKEN = Row("c", "openvino", 2, {}, "", error="the model does not load")


def test_a_gain_is_relative_to_the_best_single_place() -> None:
    assert SLOWER.ratio() == 0.5
    assert SLOWER.ratio("HETERO", "AUTO") == 1.5
    assert math.isnan(FASTER.ratio("HETERO", "AUTO"))


@pytest.mark.parametrize(
    ("tuned", "expected"),
    [
        ([], "host"),
        ([("openvino", "0:conv2d", "0:relu")], "openvino"),
        ([("openvino", "0:conv2d")], None),
    ],
)
def test_the_choice_of_one_place_is_recognised_by_its_regions(
    tuned: list[tuple[str, ...]], expected: str | None
) -> None:
    regions: list[tuple[str, ...]] = [("openvino", "0:conv2d", "0:relu")]
    placements = {"tuned": tuned, "host": [], "openvino": regions}

    assert single_place(placements, ("host", "openvino")) == expected


def test_the_page_lists_groups_gains_and_models_that_were_left_out() -> None:
    lines = page([SLOWER, FASTER, BROKEN]).split("\n")

    row_of_a = "| a | openvino | 1 | 2.000 | 1.000 | 4.000 | – | 3.000 | – | 0.500 | openvino 2 |"
    row_of_b = "| b | openvino | 1 | 1.000 | 2.000 | 4.000 | – | – | – | 2.000 | openvino 2, openvino 3 |"
    assert "| openvino | 1 | 2 | 1.000 | 0.500 | 1 | 1 | 1.50 |" in lines
    assert [line for line in lines if line.startswith(("| a ", "| b "))] == [row_of_b, row_of_a, row_of_b]
    assert lines[-2] == "- c, openvino: the model does not load"
