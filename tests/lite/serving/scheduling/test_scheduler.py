"""Queues: order, limits, deadlines, batches, fairness, failures."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from lite.errors import ExecutionError, InputError
from lite.serving.models.model_value import Value
from lite.serving.protocol.status import RequestError, Status
from lite.serving.scheduling.batches import Batching, Padding, divide, join
from lite.serving.scheduling.job import Job, Outcome
from lite.serving.scheduling.model_queue import ModelQueue
from lite.serving.scheduling.scheduler import Scheduler

Inputs = Mapping[str, Value]


class Gate:
    """A model that waits for `opened`, and remembers what it ran."""

    def __init__(self) -> None:
        self.opened = threading.Event()
        self.begun = threading.Semaphore(0)
        self.seen: list[Any] = []

    def __call__(self, inputs: Inputs) -> Inputs:
        self.begun.release()
        assert self.opened.wait(30)
        self.seen.append(np.asarray(inputs["x"]).tolist())
        return {"y": np.asarray(inputs["x"]) * 2}


class Asked:
    """Jobs, and their outcomes by number."""

    def __init__(self, scheduler: Scheduler, queue: ModelQueue) -> None:
        self.scheduler = scheduler
        self.queue = queue
        self.outcomes: dict[int, Outcome] = {}
        self._arrived = threading.Condition()

    def submit(self, *values: float, **options: Any) -> Job:
        number = int(values[0])

        def done(outcome: Outcome) -> None:
            with self._arrived:
                self.outcomes[number] = outcome
                self._arrived.notify_all()

        inputs = {"x": np.array([[value] for value in values], np.float32)}
        rows, key = self.queue.batching.key(inputs)
        job = Job(inputs, done, rows, key, **options)
        self.scheduler.submit(self.queue, job)
        return job

    def wait(self, count: int) -> dict[int, Outcome]:
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(self.outcomes) >= count, 30)
        return self.outcomes


def later(seconds: float, call: Callable[[], None]) -> None:
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()


@pytest.fixture
def scheduler() -> Iterator[Scheduler]:
    made = Scheduler(1, later)
    yield made
    made.stop()


def opened(scheduler: Scheduler, run: Any, batching: Batching | None = None, **options: Any) -> Asked:
    queue = ModelQueue("m", [run], batching or Batching(), **options)
    scheduler.open(queue)
    return Asked(scheduler, queue)


def values(outcome: Outcome) -> Any:
    assert outcome.error is None
    return np.asarray((outcome.outputs or {})["y"]).ravel().tolist()


def test_jobs_run_by_priority_and_then_in_order(scheduler: Scheduler) -> None:
    gate = Gate()
    asked = opened(scheduler, gate)
    asked.submit(0)
    assert gate.begun.acquire(timeout=30)
    asked.submit(1)
    asked.submit(2, priority=2)
    asked.submit(3, priority=1)
    asked.submit(4)
    gate.opened.set()

    outcomes = asked.wait(5)

    assert gate.seen == [[[0]], [[3]], [[2]], [[1]], [[4]]]
    assert {number: values(outcome) for number, outcome in outcomes.items()} == {n: [2 * n] for n in range(5)}


def test_a_full_queue_refuses_and_names_a_time(scheduler: Scheduler) -> None:
    gate = Gate()
    asked = opened(scheduler, gate, limit=1)
    asked.submit(0)
    assert gate.begun.acquire(timeout=30)
    asked.submit(1)

    with pytest.raises(RequestError) as caught:
        asked.submit(2)

    assert (caught.value.status, caught.value.retry_after) == (Status.BUSY, 1)
    gate.opened.set()
    assert set(asked.wait(2)) == {0, 1}


def test_a_job_whose_deadline_has_passed_does_not_run(scheduler: Scheduler) -> None:
    gate = Gate()
    asked = opened(scheduler, gate)
    asked.submit(0)
    assert gate.begun.acquire(timeout=30)
    asked.submit(1, deadline=time.monotonic())
    asked.submit(2, deadline=time.monotonic() + 60)
    gate.opened.set()

    outcomes = asked.wait(3)

    error = outcomes[1].error
    assert isinstance(error, RequestError)
    assert error.status is Status.EXPIRED
    assert gate.seen == [[[0]], [[2]]]


def test_a_cancelled_job_does_not_run(scheduler: Scheduler) -> None:
    gate = Gate()
    asked = opened(scheduler, gate)
    asked.submit(0)
    assert gate.begun.acquire(timeout=30)
    asked.scheduler.cancel(asked.queue, asked.submit(1))
    asked.submit(2)
    gate.opened.set()

    assert set(asked.wait(2)) == {0, 2}
    assert gate.seen == [[[0]], [[2]]]


def test_waiting_jobs_of_equal_shapes_run_together(scheduler: Scheduler) -> None:
    gate = Gate()
    asked = opened(scheduler, gate, Batching(max_size=4))
    asked.submit(0)
    assert gate.begun.acquire(timeout=30)
    for number in (1, 3):
        asked.submit(number, number + 1)
    asked.submit(5)
    gate.opened.set()

    outcomes = asked.wait(4)

    assert gate.seen == [[[0]], [[1], [2], [3], [4]], [[5]]]
    assert [values(outcomes[number]) for number in (1, 3, 5)] == [[2, 4], [6, 8], [10]]
    assert [(outcomes[n].batch, outcomes[n].first) for n in (1, 3, 5)] == [(4, True), (4, False), (1, True)]


def test_a_batch_waits_for_more_jobs_at_most_its_delay(scheduler: Scheduler) -> None:
    gate = Gate()
    gate.opened.set()
    asked = opened(scheduler, gate, Batching(max_size=3, delay_us=200_000))
    for number in range(3):
        asked.submit(number)
    asked.wait(3)
    asked.submit(9)
    asked.wait(4)

    assert gate.seen == [[[0], [1], [2]], [[9]]]


def test_a_preferred_size_does_not_wait(scheduler: Scheduler) -> None:
    gate = Gate()
    gate.opened.set()
    asked = opened(scheduler, gate, Batching(max_size=8, delay_us=60_000_000, preferred=(2,)))
    asked.submit(0)
    asked.submit(1)

    asked.wait(2)

    assert gate.seen == [[[0], [1]]]


def test_one_bad_job_does_not_spoil_its_batch(scheduler: Scheduler) -> None:
    entered, opening = threading.Event(), threading.Event()

    def run(inputs: Inputs) -> Inputs:
        entered.set()
        assert opening.wait(30)
        x = np.asarray(inputs["x"])
        if (x == 2).any():
            raise InputError("two")
        return {"y": x}

    asked = opened(scheduler, run, Batching(max_size=4))
    asked.submit(0)
    assert entered.wait(30)
    for number in (1, 2, 3):
        asked.submit(number)
    opening.set()

    outcomes = asked.wait(4)

    assert [outcomes[n].error is None for n in range(4)] == [True, True, False, True]


def test_a_model_that_raises_anything_keeps_its_thread(scheduler: Scheduler) -> None:
    def run(inputs: Inputs) -> Inputs:
        if np.asarray(inputs["x"]).item() == 0:
            raise ZeroDivisionError
        return {"y": np.asarray(inputs["x"])}

    asked = opened(scheduler, run)
    asked.submit(0)
    asked.submit(1)

    outcomes = asked.wait(2)

    assert isinstance(outcomes[0].error, ExecutionError)
    assert values(outcomes[1]) == [1]


def test_models_share_the_workers_by_weight(scheduler: Scheduler) -> None:
    order: list[str] = []
    start = threading.Event()

    def model(name: str) -> Callable[[Inputs], Inputs]:
        def run(inputs: Inputs) -> Inputs:
            assert start.wait(30)
            order.append(name)
            time.sleep(0.01)
            return {"y": np.asarray(inputs["x"])}

        return run

    heavy, light = (
        opened(scheduler, model(name), weight=weight) for name, weight in (("a", 3.0), ("b", 1.0))
    )
    for number in range(30):
        heavy.submit(number)
        light.submit(number)
    start.set()
    heavy.wait(30)

    share = order[:20].count("a")
    assert 12 <= share <= 18


def test_closing_waits_for_what_runs_and_refuses_the_rest(scheduler: Scheduler) -> None:
    gate = Gate()
    asked = opened(scheduler, gate)
    asked.submit(0)
    assert gate.begun.acquire(timeout=30)
    closing = threading.Thread(target=scheduler.close, args=[asked.queue])
    closing.start()
    while not asked.queue.closed:
        time.sleep(0.001)

    with pytest.raises(RequestError) as caught:
        asked.submit(1)

    assert caught.value.status is Status.UNAVAILABLE
    assert closing.is_alive()
    gate.opened.set()
    closing.join(30)
    assert values(asked.wait(1)[0]) == [0]


def test_padding_joins_unlike_lengths() -> None:
    batching = Batching(max_size=4, pad={"x": Padding(axis=1, multiple=4, value=-1)})
    requests = [{"x": np.ones((1, 3), np.float32)}, {"x": np.ones((2, 5), np.float32)}]

    assert batching.key(requests[0])[1] == batching.key(requests[1])[1]
    joined = np.asarray(join(batching, requests)["x"])

    assert joined.shape == (3, 8)
    assert (joined == 1).sum(axis=1).tolist() == [3, 5, 5]
    assert set(joined[joined != 1]) == {-1}
    assert np.asarray(join(batching, requests[:1])["x"]).shape == (1, 4)


def test_unlike_requests_are_not_joined() -> None:
    batching = Batching(max_size=4)
    first = batching.key({"x": np.ones((1, 3), np.float32)})[1]
    others = (
        np.ones((1, 4), np.float32),
        np.ones((1, 3), np.float64),
        np.ones((4, 3), np.float32),
        np.float32(1) * np.ones(()),
    )

    assert first is not None
    assert all(batching.key({"x": other})[1] != first for other in others)
    assert batching.key({"x": np.ones((1, 3)), "z": np.ones((2, 3))})[1] is None
    assert Batching().key({"x": np.ones((1, 3))}) == (1, None)


def test_outputs_without_the_rows_of_the_batch_are_not_divided() -> None:
    with pytest.raises(ExecutionError, match="expected 3 rows"):
        divide({"y": np.ones((2, 1))}, [1, 2])


def test_a_lone_job_can_run_in_the_thread_that_asks(scheduler: Scheduler) -> None:
    threads: list[threading.Thread] = []

    def run(inputs: Inputs) -> Inputs:
        threads.append(threading.current_thread())
        return {"y": np.asarray(inputs["x"]) * 2}

    asked = opened(scheduler, run)
    outcome = run_now(scheduler, asked.queue, 4)

    assert outcome is not None
    assert (values(outcome), threads) == ([8], [threading.current_thread()])
    asked.submit(1)
    assert values(asked.wait(1)[1]) == [2]


def test_no_job_runs_here_while_another_runs_or_waits_or_must_not(scheduler: Scheduler) -> None:
    gate = Gate()
    asked, other = opened(scheduler, gate), opened(scheduler, gate)
    asked.submit(0)
    assert gate.begun.acquire(timeout=30)
    assert run_now(scheduler, other.queue, 1) is None
    gate.opened.set()
    asked.wait(1)
    scheduler.close(asked.queue)

    assert run_now(scheduler, asked.queue, 1) is None
    assert run_now(scheduler, other.queue, 1, deadline=time.monotonic()) is None
    outcome = run_now(scheduler, other.queue, 1)
    assert outcome is not None
    assert values(outcome) == [2]


def test_a_job_that_fails_here_gives_back_its_instance(scheduler: Scheduler) -> None:
    def run(inputs: Inputs) -> Inputs:
        raise InputError("no") if np.asarray(inputs["x"]).size == 1 else ZeroDivisionError("x")

    asked = opened(scheduler, run)
    outcomes = [run_now(scheduler, asked.queue, *numbers) for numbers in ((1,), (1, 2), (1,))]

    errors = [outcome.error for outcome in outcomes if outcome is not None]
    assert [type(error) for error in errors] == [InputError, ExecutionError, InputError]
    assert "ZeroDivisionError" in str(errors[1])


def run_now(
    scheduler: Scheduler, queue: ModelQueue, *numbers: float, deadline: float | None = None
) -> Outcome | None:
    return scheduler.run_now(queue, {"x": np.array([[number] for number in numbers], np.float32)}, deadline)


def test_a_run_is_short_after_short_runs_of_the_same_shapes() -> None:
    x, longer = {"x": np.zeros((1, 2))}, {"x": np.zeros((2, 2))}
    queue = ModelQueue("m", [], Batching(), on_host=True)
    assert not queue.is_short(x), "it did not run yet"
    queue.note(x, 100_000)
    assert (queue.is_short(x), queue.is_short(longer)) == (True, False)
    queue.note(x, 2_000_000)
    queue.note(x, 100_000)
    assert not queue.is_short(x), "one of the last runs was long"
    for _ in range(10):
        queue.note(x, 100_000)
    assert queue.is_short(x)


def test_no_run_is_short_on_a_device_or_while_requests_are_collected() -> None:
    x = {"x": np.zeros((1, 2))}
    for queue in (
        ModelQueue("m", [], Batching()),
        ModelQueue("m", [], Batching(8, delay_us=100), on_host=True),
    ):
        queue.note(x, 1000)
        assert not queue.is_short(x)


def test_the_times_of_many_shapes_are_forgotten() -> None:
    queue = ModelQueue("m", [], Batching(), on_host=True)
    for size in range(1000):
        queue.note({"x": np.zeros(size)}, 1000)
    assert sum(queue.is_short({"x": np.zeros(size)}) for size in range(1000)) < 100
