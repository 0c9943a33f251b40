"""Spans of inference requests and of their stages, sent to a collector by OpenTelemetry."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lite.errors import ConfigError
from lite.serving.ended_request import EndedRequest
from lite.serving.protocol.messages import InferRequest
from lite.serving.scheduling.job import StepOutcome, Times

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span
    from opentelemetry.util.types import Attributes

SERVICE = "litebridge"
"""The service's name, unless the environment variable OTEL_SERVICE_NAME has another."""

CONTEXT_HEADERS = ("traceparent", "tracestate")
"""The headers of W3C Trace Context by which a request belongs to the caller's trace."""


def with_context(request: InferRequest, headers: Iterable[tuple[str, str | bytes]]) -> InferRequest:
    """The request with those of the headers (names in lower case) that name the caller's trace."""
    trace = {name: str(value) for name, value in headers if name in CONTEXT_HEADERS}
    return dataclasses.replace(request, trace=trace) if trace else request


class RequestTraces:
    """Makes the spans of a request when it has ended.

    A request is a span of the kind server, with the attributes ``litebridge.model``, ``.version``,
    ``.request_id`` and ``.batch``.  Its stages are children of it; those of an ensemble's steps are children
    of the step's span.  A request with the header ``traceparent`` continues its caller's trace.
    """

    def __init__(self, provider: TracerProvider) -> None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._provider = provider
        self._propagator = TraceContextTextMapPropagator()
        self._tracer = provider.get_tracer(SERVICE)

    @classmethod
    def to(cls, collector: str) -> RequestTraces:
        """Send spans to a collector by OTLP over HTTP, such as ``http://localhost:4318``.

        OpenTelemetry's environment variables set headers, certificates, resource attributes, and the
        sampling.  Raises `ConfigError` if its packages are missing, and for another kind of address.
        """
        if not collector.startswith(("http://", "https://")):
            raise ConfigError(
                f"--traces: expected an address such as http://localhost:4318, got {collector!r}"
            )
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
        except ModuleNotFoundError as error:
            raise ConfigError(
                f"the package {error.name} is not installed; run: pip install 'litebridge[traces]'"
            ) from error
        # The SDK's own default, which OTEL_SERVICE_NAME replaces, is unknown_service.
        found = Resource.create()
        named = str(found.attributes.get("service.name", "")).partition(":")[0] != "unknown_service"
        resource = found if named else found.merge(Resource({"service.name": SERVICE}))
        provider = TracerProvider(resource=resource)
        address = f"{collector.rstrip('/')}/v1/traces"
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=address)))
        return cls(provider)

    def add(self, ended: EndedRequest) -> None:
        """Make the spans of a request."""
        from opentelemetry.trace import SpanKind, Status, StatusCode

        served, request, outcome = ended.served, ended.request, ended.outcome
        epoch = time.time_ns() - time.perf_counter_ns()
        span = self._tracer.start_span(
            f"infer {served.name}",
            self._propagator.extract(request.trace),
            SpanKind.SERVER,
            {
                "litebridge.model": served.name,
                "litebridge.version": served.version,
                "litebridge.request_id": request.id,
            },
            start_time=epoch + ended.start_ns,
        )
        if outcome is None:
            span.set_status(Status(StatusCode.ERROR, ended.status))
        else:
            span.set_attribute("litebridge.batch", outcome.batch)
            self._add_steps(span, outcome.steps, epoch)
            if not outcome.steps:
                self._add_stages(span, outcome.times, epoch + outcome.times.start)
        span.end(epoch + ended.end_ns)

    def _add_steps(self, parent: Span, steps: tuple[StepOutcome, ...], epoch: int) -> None:
        for step in steps:
            attributes: Attributes = {"litebridge.model": step.model, "litebridge.batch": step.outcome.batch}
            begin = epoch + step.start_ns
            span = self._tracer.start_span(
                f"step {step.model}", _below(parent), attributes=attributes, start_time=begin
            )
            self._add_stages(span, step.outcome.times, begin)
            span.end(epoch + step.end_ns)

    def _add_stages(self, parent: Span, times: Times, begin: int) -> None:
        for stage, took in times.stages:
            self._tracer.start_span(stage, _below(parent), start_time=begin).end(begin + took)
            begin += took

    def close(self) -> None:
        """Send what was not sent yet."""
        self._provider.shutdown()


def _below(parent: Span) -> Context:
    from opentelemetry.trace import set_span_in_context

    return set_span_in_context(parent)
