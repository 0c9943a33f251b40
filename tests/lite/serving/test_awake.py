"""An event loop that stays awake, on a clock of the test."""

from __future__ import annotations

import asyncio

import pytest

from lite.serving.awake import Awake


@pytest.fixture
def polls(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The times at which the clock was read; each reading takes a second."""
    times: list[float] = []

    def clock() -> float:
        times.append(float(len(times)))
        return times[-1]

    monkeypatch.setattr("lite.serving.awake.time.perf_counter", clock)
    return times


async def turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


def test_the_loop_polls_for_its_time_and_then_sleeps(polls: list[float]) -> None:
    async def run() -> None:
        Awake(3.0).extend()
        await turns(20)

    asyncio.run(run())
    assert polls == [0.0, 1.0, 2.0, 3.0]


def test_a_second_answer_extends_the_time_and_does_not_poll_twice(polls: list[float]) -> None:
    async def run() -> None:
        loop = Awake(3.0)
        loop.extend()
        loop.extend()
        await turns(20)
        assert polls == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
        loop.extend()
        await turns(20)

    asyncio.run(run())
    assert len(polls) == 10


def test_without_a_time_the_loop_sleeps(polls: list[float]) -> None:
    async def run() -> None:
        Awake(0.0).extend()
        await turns(20)

    asyncio.run(run())
    assert polls == [0.0]
