"""Counts and durations of a served model."""

from __future__ import annotations

import threading
import time
from collections import Counter
from dataclasses import field

from lite.dataclass import dataclass
from lite.serving.scheduling.job import Outcome

BUCKETS_US = (
    250,
    500,
    1000,
    2500,
    5000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    5_000_000,
)
"""Upper bounds of the latency histogram, in microseconds."""


@dataclass
class Duration:
    """How often something happened, and the nanoseconds that it took."""

    count: int = 0
    ns: int = 0

    def add(self, ns: int) -> None:
        """Count one more."""
        self.count += 1
        self.ns += ns


@dataclass
class BatchStatistics:
    """The executions of one batch size."""

    input: Duration = field(default_factory=Duration)
    infer: Duration = field(default_factory=Duration)
    output: Duration = field(default_factory=Duration)


class ModelStatistics:
    """What happened to the requests of one version of a model; safe in all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.last_ms = 0
        self.inferences = 0
        self.executions = 0
        self.success = Duration()
        self.fail = Duration()
        self.queue = Duration()
        self.input = Duration()
        self.infer = Duration()
        self.output = Duration()
        self.batches: dict[int, BatchStatistics] = {}
        self.failures: Counter[str] = Counter()
        """Failed requests by the name of their status."""
        self.latency = [0] * (len(BUCKETS_US) + 1)

    def succeeded(self, outcome: Outcome, total_ns: int, output_ns: int) -> None:
        """Count a request that was answered; `output_ns` is the time to select and encode its outputs."""
        times = outcome.times
        with self._lock:
            self.last_ms = time.time_ns() // 1_000_000
            self.inferences += 1
            self.success.add(total_ns)
            self.queue.add(times.queue)
            self.input.add(times.input)
            self.infer.add(times.infer)
            self.output.add(times.output + output_ns)
            self.latency[_bucket(total_ns)] += 1
            if outcome.first:
                self.executions += 1
                batch = self.batches.setdefault(outcome.batch, BatchStatistics())
                batch.input.add(times.input)
                batch.infer.add(times.infer)
                batch.output.add(times.output + output_ns)

    def failed(self, status: str, total_ns: int) -> None:
        """Count a request that was refused or failed."""
        with self._lock:
            self.fail.add(total_ns)
            self.failures[status] += 1

    def document(self, name: str, version: str) -> dict[str, object]:
        """The entry of `model_stats` in the protocol's answer."""
        with self._lock:
            return {
                "name": name,
                "version": version,
                "last_inference": self.last_ms,
                "inference_count": self.inferences,
                "execution_count": self.executions,
                "inference_stats": {
                    "success": vars(self.success).copy(),
                    "fail": vars(self.fail).copy(),
                    "queue": vars(self.queue).copy(),
                    "compute_input": vars(self.input).copy(),
                    "compute_infer": vars(self.infer).copy(),
                    "compute_output": vars(self.output).copy(),
                    "cache_hit": {"count": 0, "ns": 0},
                    "cache_miss": {"count": 0, "ns": 0},
                },
                "batch_stats": [
                    {
                        "batch_size": size,
                        "compute_input": vars(batch.input).copy(),
                        "compute_infer": vars(batch.infer).copy(),
                        "compute_output": vars(batch.output).copy(),
                    }
                    for size, batch in sorted(self.batches.items())
                ],
            }

    def quantile_us(self, share: float) -> float | None:
        """The upper bound of the bucket with this quantile of the latency; None before the first request."""
        with self._lock:
            counts = list(self.latency)
        total = sum(counts)
        if not total:
            return None
        seen = 0
        for count, bound in zip(counts, (*BUCKETS_US, float("inf")), strict=True):
            seen += count
            if seen >= share * total:
                return bound
        return None


def _bucket(ns: int) -> int:
    us = ns // 1000
    for number, bound in enumerate(BUCKETS_US):
        if us <= bound:
            return number
    return len(BUCKETS_US)
