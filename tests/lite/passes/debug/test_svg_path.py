"""Paths of arrows."""

from __future__ import annotations

import pytest

from lite.passes.debug.sheet import Bend
from lite.passes.debug.svg_path import number_text, path_data


def test_a_straight_path_is_one_line() -> None:
    assert path_data([Bend(5, 0, 1), Bend(5, 10, 20), Bend(5, 30, 31)]) == "M5 0V31"


def test_a_curve_between_layers_ends_upright() -> None:
    path = path_data([Bend(5, 0, 10), Bend(25, 40, 60), Bend(25, 80, 90)])
    assert path == "M5 0V10C5 25 25 25 25 40V90"


def test_the_head_has_room_at_the_end() -> None:
    assert path_data([Bend(0, 0, 0), Bend(10, 20, 20)]) == "M0 0C0 6.5 10 6.5 10 13V20"


def test_upwards() -> None:
    assert path_data([Bend(0, 20, 20), Bend(10, 0, 0)]) == "M0 20C0 13.5 10 13.5 10 7V0"


@pytest.mark.parametrize(("number", "text"), [(0.0, "0"), (-0.01, "0"), (1.26, "1.3"), (-2.0, "-2")])
def test_numbers(number: float, text: str) -> None:
    assert number_text(number) == text
