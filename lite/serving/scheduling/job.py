"""A request in a queue, and its outcome."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import field

from lite.dataclass import dataclass
from lite.serving.models.model_value import Value


@dataclass(frozen=True)
class Times:
    """Nanoseconds of a request: in the queue, joining inputs, running, dividing outputs.

    `start` is when it was queued, by the clock of `Job.enqueued`.
    """

    queue: int = 0
    input: int = 0
    infer: int = 0
    output: int = 0
    start: int = 0

    @property
    def stages(self) -> tuple[tuple[str, int], ...]:
        """The stages in their order, each with its time."""
        return (("queue", self.queue), ("input", self.input), ("infer", self.infer), ("output", self.output))


@dataclass(frozen=True)
class Outcome:
    """The outputs of a request, or the error; `batch` is the number of rows that ran together."""

    outputs: Mapping[str, Value] | None
    error: Exception | None
    times: Times
    batch: int = 1
    first: bool = True
    """Whether this is the first request of its batch, so that executions are counted once."""
    steps: tuple[StepOutcome, ...] = ()
    """The models that an ensemble ran, in the order in which they ended."""


@dataclass(frozen=True)
class StepOutcome:
    """A model that an ensemble ran, from `start_ns` to `end_ns` by the clock of `Job.enqueued`."""

    model: str
    start_ns: int
    end_ns: int
    outcome: Outcome


@dataclass(eq=False)
class Job:
    """A request that waits for an instance of its model.

    `rows` is the size of axis 0.  Jobs with equal `key` may run together; None never does.  `priority` 1 runs
    first.  `deadline` is a time of `time.monotonic`.  `done` is called once, by the thread that ran the job.
    """

    inputs: Mapping[str, Value]
    done: Callable[[Outcome], None]
    rows: int = 1
    key: Hashable | None = None
    priority: int = 0
    deadline: float | None = None
    cancelled: bool = False
    enqueued: int = field(default_factory=time.perf_counter_ns)

    @property
    def expired(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline is not None and time.monotonic() >= self.deadline
