"""SingleFlight: values are made once, by one of several threads."""

from __future__ import annotations

import functools
import threading

import pytest

from lite.errors import CompileError
from lite.runtime.regions.single_flight import SingleFlight


def test_each_value_is_made_once() -> None:
    squared: list[int] = []
    flight: SingleFlight[int] = SingleFlight()

    def square(n: int) -> int:
        squared.append(n)
        return n * n

    assert [flight.get(n, functools.partial(square, n)) for n in (2, 3, 2)] == [4, 9, 4]
    assert (squared, flight.done) == ([2, 3], [4, 9])


def test_a_compile_error_is_remembered_with_a_constant_traceback() -> None:
    flight: SingleFlight[int] = SingleFlight()
    calls: list[int] = []

    def fails() -> int:
        calls.append(1)
        raise CompileError("no", "y")

    depths = []
    for _ in range(3):
        with pytest.raises(CompileError, match="no") as caught:
            flight.get("key", fails)
        depths.append(len(caught.traceback))
    assert (calls, flight.done) == ([1], [])
    assert depths[1] == depths[2]


def test_other_errors_are_forgotten() -> None:
    flight: SingleFlight[int] = SingleFlight()

    def interrupted() -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        flight.get("key", interrupted)
    assert flight.done == []
    assert flight.get("key", lambda: 5) == 5


def test_a_thread_that_waits_for_an_interrupted_one_makes_the_value() -> None:
    flight: SingleFlight[str] = SingleFlight()
    started, go_on = threading.Event(), threading.Event()
    values: list[str] = []

    def interrupted() -> str:
        started.set()
        go_on.wait()
        raise KeyboardInterrupt

    def first() -> None:
        with pytest.raises(KeyboardInterrupt):
            flight.get("key", interrupted)

    threads = [threading.Thread(target=first)]
    threads[0].start()
    started.wait()
    threads += [
        threading.Thread(target=lambda name=name: values.append(flight.get("key", lambda: name)))
        for name in ("second", "third")
    ]
    for thread in threads[1:]:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join()
    assert values in (["second"] * 2, ["third"] * 2)
