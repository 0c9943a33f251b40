"""What is made once."""

from __future__ import annotations

import functools
import threading

import pytest

from lite.errors import CompileError
from lite.runtime.regions.single_flight import SingleFlight


def test_each_key_is_made_once() -> None:
    made: list[int] = []
    flight: SingleFlight[int] = SingleFlight()

    def square(n: int) -> int:
        made.append(n)
        return n * n

    assert [flight.get(n, functools.partial(square, n)) for n in (2, 3, 2)] == [4, 9, 4]
    assert (made, flight.done) == ([2, 3], [4, 9])


def test_a_compile_error_is_remembered_and_does_not_grow() -> None:
    flight: SingleFlight[int] = SingleFlight()
    asked: list[int] = []

    def fails() -> int:
        asked.append(1)
        raise CompileError("no", "y")

    depths = []
    for _ in range(3):
        with pytest.raises(CompileError, match="no") as caught:
            flight.get("key", fails)
        depths.append(len(caught.traceback))
    assert (asked, flight.done) == ([1], [])
    assert depths[1] == depths[2]


def test_other_errors_are_forgotten() -> None:
    flight: SingleFlight[int] = SingleFlight()

    def interrupted() -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        flight.get("key", interrupted)
    assert flight.done == []
    assert flight.get("key", lambda: 5) == 5


def test_who_waits_for_one_that_was_interrupted_makes_it() -> None:
    flight: SingleFlight[str] = SingleFlight()
    begun, go_on = threading.Event(), threading.Event()
    found: list[str] = []

    def interrupted() -> str:
        begun.set()
        go_on.wait()
        raise KeyboardInterrupt

    def first() -> None:
        with pytest.raises(KeyboardInterrupt):
            flight.get("key", interrupted)

    threads = [threading.Thread(target=first)]
    threads[0].start()
    begun.wait()
    threads += [
        threading.Thread(target=lambda name=name: found.append(flight.get("key", lambda: name)))
        for name in ("second", "third")
    ]
    for thread in threads[1:]:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join()
    assert found in (["second"] * 2, ["third"] * 2)
