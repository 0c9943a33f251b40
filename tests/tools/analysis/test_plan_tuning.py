"""PlanTuner chooses by the shortest runs, measured at scripted times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.session.predictor import Predictor
from lite.tools.analysis.plan_tuning import LONG_TURN_SECONDS, PlanTuner
from tests.support.fake_device import fake_device
from tests.support.small_convnet import convnet

FEEDS = {"x": np.ones((1, 3, 6, 6), np.float32)}

Script = Callable[[str, int], float]
"""The seconds of a run of a placement by its name, or "mixed", and the number of the long turn.

The number is 0 in short turns.
"""


@pytest.fixture
def tuned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Script], str]]:
    """Tunes for the devices one and two; returns the name of the chosen placement."""
    lite.save_program(convnet(), tmp_path / "net")

    def choose(script: Script) -> str:
        turns: dict[str, int] = {}

        def turn(tuner: PlanTuner, predictor: Predictor, seconds: float) -> float:
            each = next(each for each in tuner.alternatives if each.predictor is predictor)
            name = each.name if each.is_single else "mixed"
            if seconds != LONG_TURN_SECONDS:
                return script(name, 0)
            turns[name] = turns.get(name, 0) + 1
            return script(name, turns[name])

        monkeypatch.setattr(PlanTuner, "_turn", turn)
        config = lite.Config(
            tmp_path / "net", devices=["one", "two"], input_shapes={"x": (1, 3, 6, 6)}, cache_dir=tmp_path
        )
        best = PlanTuner(config, FEEDS, {}, budget=0.5).run()
        return best.name if best.is_single else "mixed"

    with fake_device("conv2d", "relu", name="one"), fake_device("reduce_mean", "matmul_v2", name="two"):
        yield choose


TIMES = {"host": 1.0, "one": 1.2, "two": 1.5}


@pytest.mark.parametrize(("mixed", "chosen"), [(0.9, "mixed"), (0.97, "host")])
def test_a_mixed_placement_must_save_a_few_percent(
    tuned: Callable[[Script], str], mixed: float, chosen: str
) -> None:
    assert tuned(lambda name, _: TIMES.get(name, mixed)) == chosen


def test_a_place_that_is_slow_for_a_while_is_chosen_by_its_earlier_runs(
    tuned: Callable[[Script], str],
) -> None:
    def script(name: str, turn: int) -> float:
        return 2.0 if name == "host" and not 0 < turn <= 20 else TIMES.get(name, 1.4)

    assert tuned(script) == "host"


def test_a_mixed_placement_that_is_fast_in_short_turns_only_is_not_chosen(
    tuned: Callable[[Script], str],
) -> None:
    assert tuned(lambda name, turn: TIMES.get(name, 0.5 if turn == 0 else 1.0)) == "host"


@pytest.mark.parametrize(("device", "chosen"), [(0.99, "host"), (0.98, "one")])
def test_the_host_is_chosen_if_it_is_as_fast(
    tuned: Callable[[Script], str], device: float, chosen: str
) -> None:
    assert tuned(lambda name, _: {**TIMES, "one": device}.get(name, 1.4)) == chosen


def test_nearly_equal_places_are_compared_for_longer(tuned: Callable[[Script], str]) -> None:
    def script(name: str, turn: int) -> float:
        if name == "one":
            return 0.97 if turn > 40 else 1.02
        return TIMES.get(name, 1.4)

    assert tuned(script) == "one"
