"""The runs that count and the order of engines, with a fake clock."""

from __future__ import annotations

import gc
from collections.abc import Sequence

import pytest

from lite.ir.types import Array
from lite.tools.bench.peers.turns import Turns


class Clock:
    """A clock that advances only while an engine runs."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Engine:
    """An engine whose runs take a fixed time and are logged."""

    def __init__(self, name: str, seconds: float, log: list[str], clock: Clock) -> None:
        self.name, self.each, self.log, self.clock = name, seconds, log, clock
        self.collecting: list[bool] = []

    def answers(self) -> Sequence[Array]:
        return []

    def seconds(self) -> float:
        self.clock.now += self.each
        self.log.append(self.name)
        self.collecting.append(gc.isenabled())
        return self.each

    def close(self) -> None:
        pass


def engine(seconds: float) -> Engine:
    return Engine("a", seconds, [], Clock())


def test_a_fast_engine_settles_by_time() -> None:
    fast = engine(0.03)

    times = Turns(settling_seconds=0.25, settling_runs=3, counted=5).take(fast, fast.clock)

    assert times == [0.03] * 5
    assert len(fast.log) == 9 + 5


def test_a_slow_engine_settles_by_number() -> None:
    slow = engine(2.0)

    times = Turns(settling_seconds=0.25, settling_runs=3, counted=5).take(slow, slow.clock)

    assert times == [2.0] * 5
    assert len(slow.log) == 3 + 5


def test_garbage_collection_is_disabled_while_runs_count() -> None:
    fast = engine(1.0)

    Turns(settling_runs=2, counted=3).take(fast, fast.clock)

    assert fast.collecting == [True, True, False, False, False]
    assert gc.isenabled()


def test_garbage_collection_is_enabled_after_a_failure() -> None:
    failing = engine(1.0)
    failing.log = [""] * 7

    def fail() -> float:
        failing.log.pop()
        if not failing.log:
            raise RuntimeError("seven runs")
        return 1.0

    failing.seconds = fail  # type: ignore[method-assign]
    with pytest.raises(RuntimeError, match="seven runs"):
        Turns(settling_seconds=0, settling_runs=3, counted=5).take(failing)
    assert gc.isenabled()


def test_every_engine_has_its_turns_and_the_order_changes() -> None:
    log: list[str] = []
    clock = Clock()
    models = {
        name: Engine(name, seconds, log, clock) for name, seconds in (("a", 1.0), ("b", 2.0), ("c", 3.0))
    }
    turns = Turns(rounds=6, settling_seconds=0, settling_runs=1, counted=2)
    advanced: list[int] = []

    times = turns.interleave(models, lambda: advanced.append(len(log)))

    assert times == {"a": [1.0] * 12, "b": [2.0] * 12, "c": [3.0] * 12}
    assert advanced == list(range(3, 6 * 3 * 3 + 1, 3))
    orders = ["".join(log[n : n + 9 : 3]) for n in range(0, len(log), 9)]
    assert all(sorted(order) == ["a", "b", "c"] for order in orders)
    assert len(set(orders)) > 1


def test_without_engines_there_are_no_times() -> None:
    assert Turns().interleave({}) == {}
