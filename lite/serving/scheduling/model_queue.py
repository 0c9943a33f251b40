"""The queue of one model: its waiting jobs, its idle instances, and which jobs run next."""

from __future__ import annotations

import bisect
import time
from collections.abc import Mapping, Sequence

import numpy as np

from lite.serving.models.model import Run
from lite.serving.models.model_value import Value
from lite.serving.scheduling.batches import Batching
from lite.serving.scheduling.job import Job

_LAST = 2**63
"""The place of jobs without a priority: after all others."""

_SHORT_NS = 1_000_000
"""A run that takes less is short: handing it to another thread would take a good part of it."""

_MOST_SIGNATURES = 64
"""The most shapes of inputs whose times are kept."""

Signature = tuple[tuple[str, tuple[int, ...]], ...]
"""The names and shapes of inputs."""


class ModelQueue:
    """Jobs of one model, in the order of priority and arrival.  The scheduler guards it with its lock.

    limit: most waiting jobs.
    weight: the model's share of the workers while several models have jobs.
    on_host: whether the model is one of the engine without devices: what was short once will be again.
    """

    def __init__(
        self,
        name: str,
        instances: Sequence[Run],
        batching: Batching,
        limit: int = 128,
        weight: float = 1.0,
        on_host: bool = False,
    ) -> None:
        self.name = name
        self.batching = batching
        self.limit = limit
        self.weight = weight
        self.idle = list(instances)
        self.count = len(instances)
        self.jobs: list[Job] = []
        self.used = 0.0
        """Seconds of the workers that the model has used, divided by its weight."""
        self.closed = False
        self._on_host = on_host
        self._longest: dict[Signature, int] = {}
        """The longest of the last runs in nanoseconds; older ones count less and less."""

    def is_short(self, inputs: Mapping[str, Value]) -> bool:
        """Whether a run of inputs of these shapes takes less than a millisecond, by the last runs."""
        if not self._on_host or self.batching.delay_us > 0:
            return False
        return self._longest.get(_signature(inputs), _SHORT_NS) < _SHORT_NS

    def note(self, inputs: Mapping[str, Value], taken: int) -> None:
        """Keep the time of a run, in nanoseconds."""
        if not self._on_host:
            return
        signature = _signature(inputs)
        if len(self._longest) >= _MOST_SIGNATURES and signature not in self._longest:
            self._longest.clear()
        self._longest[signature] = max(taken, self._longest.get(signature, 0) * 9 // 10)

    @property
    def running(self) -> int:
        """The number of busy instances."""
        return self.count - len(self.idle)

    def add(self, job: Job) -> None:
        """Put a job into its place."""
        bisect.insort(self.jobs, job, key=_order)

    def remove(self, job: Job) -> bool:
        """Take a job out; returns whether it was there."""
        try:
            self.jobs.remove(job)
        except ValueError:
            return False
        return True

    def ready_in(self, now: int) -> float | None:
        """Seconds until the next batch may run; 0 for now, None without jobs or idle instances."""
        if not self.jobs or not self.idle:
            return None
        batching = self.batching
        if batching.delay_us <= 0 or self.closed or self.jobs[0].key is None:
            return 0.0
        rows = sum(job.rows for job in self._mates())
        if rows >= batching.max_size or rows in batching.preferred:
            return 0.0
        waited = now - min(job.enqueued for job in self.jobs)
        return max(0.0, batching.delay_us * 1e-6 - waited * 1e-9)

    def take(self) -> list[Job]:
        """Remove and return the jobs of the next batch."""
        mates = self._mates()
        self._prefer(mates)
        taken = set(map(id, mates))
        self.jobs = [job for job in self.jobs if id(job) not in taken]
        return mates

    def _mates(self) -> list[Job]:
        """The first job, and those after it that fit into a batch with it."""
        first = self.jobs[0]
        if first.key is None:
            return [first]
        mates, rows = [first], first.rows
        for job in self.jobs[1:]:
            if job.key == first.key and rows + job.rows <= self.batching.max_size:
                mates.append(job)
                rows += job.rows
        return mates

    def _prefer(self, mates: list[Job]) -> None:
        """Leave out the last jobs if the batch then has the greatest preferred size."""
        sizes = [0]
        for job in mates:
            sizes.append(sizes[-1] + job.rows)
        for number in range(len(mates), 0, -1):
            if sizes[number] in self.batching.preferred:
                del mates[number:]
                return


def _signature(inputs: Mapping[str, Value]) -> Signature:
    return tuple((name, np.shape(value)) for name, value in inputs.items())


def _order(job: Job) -> tuple[int, int]:
    return (job.priority or _LAST, job.enqueued)


def now_ns() -> int:
    """The clock of `Job.enqueued`."""
    return time.perf_counter_ns()
