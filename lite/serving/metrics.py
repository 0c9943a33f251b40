"""The metrics of a server in Prometheus's text format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from lite.serving.repository.served import Served
from lite.serving.service import Service
from lite.serving.statistics import BUCKETS_US

Labels = Mapping[str, str]
Sample = tuple[str, Labels, float]
"""The suffix of the metric's name, labels and the value."""


def metrics_text(service: Service) -> str:
    """All metrics; durations are in seconds."""
    served = service.repository.served()
    lines: list[str] = []
    for name, kind, text, samples in (
        ("ready", "gauge", "1 if all models are ready.", [("", {}, float(service.ready))]),
        ("requests_total", "counter", "Requests by result.", _each(served, _requests)),
        ("executions_total", "counter", "Runs; a batch is one.", _each(served, _executions)),
        ("batch_runs_total", "counter", "Runs by rows.", _each(served, _batches)),
        ("stage_seconds_total", "counter", "Time of answered requests by stage.", _each(served, _stages)),
        ("latency_seconds", "histogram", "Time of answered requests.", _each(served, _latency)),
        ("queue_length", "gauge", "Waiting requests.", _each(served, _waiting)),
        ("running", "gauge", "Busy instances.", _each(served, _running)),
        ("fallback_regions", "gauge", "Regions that the host runs for a device.", _each(served, _fallbacks)),
    ):
        lines += (f"# HELP litebridge_{name} {text}", f"# TYPE litebridge_{name} {kind}")
        lines += [
            f"litebridge_{name}{suffix}{_text(labels)} {value:.10g}" for suffix, labels, value in samples
        ]
    return "\n".join(lines) + "\n"


def _each(served: Iterable[Served], samples: Callable[[Served], Iterator[Sample]]) -> Iterator[Sample]:
    for each in served:
        labels = {"model": each.name, "version": str(each.version)}
        for suffix, more, value in samples(each):
            yield suffix, {**labels, **more}, value


def _requests(served: Served) -> Iterator[Sample]:
    yield "", {"result": "OK"}, served.statistics.success.count
    for status, count in sorted(served.statistics.failures.items()):
        yield "", {"result": status}, count


def _executions(served: Served) -> Iterator[Sample]:
    yield "", {}, served.statistics.executions


def _batches(served: Served) -> Iterator[Sample]:
    for size, batch in sorted(served.statistics.batches.items()):
        yield "", {"rows": str(size)}, batch.infer.count


def _stages(served: Served) -> Iterator[Sample]:
    statistics = served.statistics
    for stage in ("queue", "input", "infer", "output"):
        yield "", {"stage": stage}, vars(statistics)[stage].ns * 1e-9


def _latency(served: Served) -> Iterator[Sample]:
    statistics = served.statistics
    seen = 0
    for count, bound in zip(statistics.latency, (*BUCKETS_US, None), strict=True):
        seen += count
        yield "_bucket", {"le": "+Inf" if bound is None else f"{bound * 1e-6:g}"}, seen
    yield "_sum", {}, statistics.success.ns * 1e-9
    yield "_count", {}, seen


def _waiting(served: Served) -> Iterator[Sample]:
    yield "", {}, len(served.queue.jobs)


def _running(served: Served) -> Iterator[Sample]:
    yield "", {}, served.queue.running


def _fallbacks(served: Served) -> Iterator[Sample]:
    fallbacks = {} if served.model is None else served.model.placement()["fallbacks"]
    if isinstance(fallbacks, Mapping):
        for device, count in sorted(fallbacks.items()):
            yield "", {"device": str(device)}, float(count)


def _text(labels: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
