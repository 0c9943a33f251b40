"""Runs the jobs of all models on a fixed number of threads, and shares these fairly among the models."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor

from lite.errors import ExecutionError, LiteError
from lite.serving.models.model import Run
from lite.serving.models.model_value import Value
from lite.serving.protocol.status import RequestError, Status
from lite.serving.scheduling.batches import divide, join
from lite.serving.scheduling.job import Job, Outcome, Times
from lite.serving.scheduling.model_queue import ModelQueue, now_ns

Later = Callable[[float, Callable[[], None]], object]
"""Calls a function after some seconds; every thread may use it."""

RETRY_AFTER = 1
"""Seconds after which a client may repeat a request that found a full queue."""


class Scheduler:
    """Queues of models, and `workers` threads that run their jobs.

    While several models have jobs, the next is one of the model that has used least time by its weight.
    """

    def __init__(self, workers: int, later: Later) -> None:
        self.workers = workers
        self._later = later
        self._lock = threading.Lock()
        self._idle = threading.Condition(self._lock)
        self._queues: list[ModelQueue] = []
        self._busy = 0
        self._used = 0.0
        self._pool = ThreadPoolExecutor(workers, "litebridge-run")

    def open(self, queue: ModelQueue) -> None:
        """Accept the jobs of a model."""
        with self._lock:
            self._queues.append(queue)

    def close(self, queue: ModelQueue) -> None:
        """Refuse new jobs of a model, and wait until those it has are done."""
        with self._lock:
            queue.closed = True
        self._dispatch()
        with self._idle:
            self._idle.wait_for(lambda: not queue.jobs and not queue.running)
            if queue in self._queues:
                self._queues.remove(queue)

    def stop(self) -> None:
        """End the threads after the jobs that run now."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def submit(self, queue: ModelQueue, job: Job, *, limited: bool = True) -> None:
        """Queue a job; raises `RequestError` if the queue is full or closed.

        The steps of an ensemble are not `limited`: the ensemble's own queue is.
        """
        with self._lock:
            if queue.closed:
                raise RequestError(Status.UNAVAILABLE, f"model {queue.name!r} is being unloaded", RETRY_AFTER)
            if limited and len(queue.jobs) >= queue.limit:
                raise RequestError(
                    Status.BUSY,
                    f"model {queue.name!r}: {queue.limit} requests wait already; try again later",
                    RETRY_AFTER,
                )
            if not queue.jobs and not queue.running:
                queue.used = max(queue.used, self._used)
            queue.add(job)
        self._dispatch()

    def run_now(
        self, queue: ModelQueue, inputs: Mapping[str, Value], deadline: float | None
    ) -> Outcome | None:
        """Run a model in this thread if no other job runs or waits; else None.

        After the deadline it does not run, either: `submit` says so.
        """
        if deadline is not None and time.monotonic() >= deadline:
            return None
        start = now_ns()
        with self._lock:
            waiting = any(each.jobs for each in self._queues)
            if self._busy or waiting or queue.closed or not queue.idle:
                return None
            self._busy += 1
            queue.used = self._used = max(queue.used, self._used)
            run = queue.idle.pop()
        try:
            return _alone(queue, run, inputs, start)
        except Exception as error:  # noqa: BLE001 - as of a job in a thread: what no model should raise
            return _failed(queue, error)
        finally:
            with self._idle:
                self._release(queue, run, (now_ns() - start) * 1e-9)
                waiting = any(each.jobs for each in self._queues)
            if waiting:
                self._dispatch()

    def cancel(self, queue: ModelQueue, job: Job) -> None:
        """A job that has not begun does not run; its `done` is not called."""
        with self._idle:
            job.cancelled = True
            if queue.remove(job):
                self._idle.notify_all()

    def waiting(self, queue: ModelQueue) -> int:
        """The number of jobs in a queue."""
        return len(queue.jobs)

    def _dispatch(self) -> None:
        """Start all batches that can run now."""
        dropped: list[Job] = []
        batches: list[_Batch] = []
        with self._lock:
            while self._busy < self.workers:
                queue, wait = self._next()
                if queue is None:
                    if wait is not None:
                        self._later(wait, self._dispatch)
                    break
                jobs = []
                for job in queue.take():
                    if job.expired:
                        dropped.append(job)
                    elif not job.cancelled:
                        jobs.append(job)
                if not jobs:
                    self._idle.notify_all()
                    continue
                self._busy += 1
                self._used = queue.used
                batches.append(_Batch(self, queue, queue.idle.pop(), jobs))
        # Without the lock: a batch that has run already is finished in this thread.
        for batch in batches:
            self._pool.submit(batch.run).add_done_callback(batch.finish)
        for job in dropped:
            error = RequestError(Status.EXPIRED, "the deadline passed before the request could run")
            job.done(Outcome(None, error, Times(queue=now_ns() - job.enqueued)))

    def _next(self) -> tuple[ModelQueue | None, float | None]:
        """The queue whose batch runs next, or the seconds until one may run; None if no queue has one."""
        now = now_ns()
        waits = [(wait, queue) for queue in self._queues if (wait := queue.ready_in(now)) is not None]
        ready = [queue for wait, queue in waits if wait <= 0]
        if ready:
            return min(ready, key=lambda queue: queue.used), None
        return None, min((wait for wait, _ in waits), default=None)

    def finish(self, queue: ModelQueue, run: Run, seconds: float, deliver: Callable[[], None]) -> None:
        """Give back an instance, deliver the outcomes of its batch, and start what waits for it.

        A client that has its answer finds the instance idle.
        """
        with self._idle:
            self._release(queue, run, seconds)
        deliver()
        self._dispatch()

    def _release(self, queue: ModelQueue, run: Run, seconds: float) -> None:
        queue.idle.append(run)
        queue.used += seconds / queue.weight
        self._busy -= 1
        self._idle.notify_all()


class _Batch:
    """Jobs that run together on an instance."""

    def __init__(self, scheduler: Scheduler, queue: ModelQueue, run: Run, jobs: list[Job]) -> None:
        self._scheduler = scheduler
        self._queue = queue
        self._run = run
        self._jobs = jobs
        self._start = now_ns()

    def run(self) -> list[Outcome]:
        """The outcomes; one job at fault does not spoil the answers of the others."""
        if len(self._jobs) > 1:
            try:
                return _together(self._queue, self._run, self._jobs)
            except LiteError:
                pass
        return [_alone(self._queue, self._run, job.inputs, job.enqueued, job.rows) for job in self._jobs]

    def finish(self, future: Future[list[Outcome]]) -> None:
        """Deliver the outcomes, also if the model raised what no model should raise."""
        seconds = (now_ns() - self._start) * 1e-9
        failure = future.exception()
        outcomes = future.result() if failure is None else [_failed(self._queue, failure) for _ in self._jobs]

        def deliver() -> None:
            for job, outcome in zip(self._jobs, outcomes, strict=True):
                if not job.cancelled:
                    job.done(outcome)

        self._scheduler.finish(self._queue, self._run, seconds, deliver)


def _failed(queue: ModelQueue, failure: BaseException) -> Outcome:
    return Outcome(None, ExecutionError(f"model {queue.name!r} raised {failure!r}"), Times())


def _alone(queue: ModelQueue, run: Run, given: Mapping[str, Value], enqueued: int, rows: int = 1) -> Outcome:
    start = now_ns()
    waited = start - enqueued
    try:
        inputs = join(queue.batching, [given])
        joined = now_ns()
        outputs = run(inputs)
    except LiteError as error:
        return Outcome(None, error, Times(waited, start=enqueued))
    end = now_ns()
    queue.note(given, end - joined)
    return Outcome(outputs, None, Times(waited, joined - start, end - joined, 0, enqueued), rows)


def _together(queue: ModelQueue, run: Run, jobs: list[Job]) -> list[Outcome]:
    start = now_ns()
    inputs = join(queue.batching, [job.inputs for job in jobs])
    joined = now_ns()
    outputs = run(inputs)
    ran = now_ns()
    parts = divide(outputs, [job.rows for job in jobs])
    end = now_ns()
    rows = sum(job.rows for job in jobs)
    return [
        Outcome(
            part,
            None,
            Times(start - job.enqueued, joined - start, ran - joined, end - ran, job.enqueued),
            rows,
            first=number == 0,
        )
        for number, (job, part) in enumerate(zip(jobs, parts, strict=True))
    ]
