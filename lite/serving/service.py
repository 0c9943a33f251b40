"""The operations of the protocol, independent of HTTP, gRPC and Ray."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from lite.errors import GraphError, InputError, LiteError, suggest
from lite.serving.awake import Awake
from lite.serving.ended_request import EndedRequest, Observer
from lite.serving.models.ensemble import RunStep, run_ensemble
from lite.serving.models.model_value import Value
from lite.serving.models.tensors import check_inputs
from lite.serving.protocol.classification import classify
from lite.serving.protocol.datatypes import array_datatype, to_bytes
from lite.serving.protocol.limits import RequestLimits
from lite.serving.protocol.messages import InferRequest, InferResponse, RequestedOutput, ResultTensor
from lite.serving.protocol.status import RequestError, Status, bad_request
from lite.serving.repository.repository import Repository
from lite.serving.repository.served import Served
from lite.serving.scheduling.job import Job, Outcome, StepOutcome, Times
from lite.serving.scheduling.model_queue import ModelQueue
from lite.serving.scheduling.scheduler import Scheduler
from lite.serving.shared_memory import SharedMemory


class Service:
    """Answers requests; belongs to one event loop.

    explicit: whether clients may load and unload models.
    awake: seconds for which the event loop stays awake after the last request that is under way.
    """

    def __init__(
        self,
        repository: Repository,
        scheduler: Scheduler,
        *,
        limits: RequestLimits | None = None,
        memory: SharedMemory | None = None,
        explicit: bool = False,
        observers: Sequence[Observer] = (),
        awake: float = 0.0,
    ) -> None:
        self.repository = repository
        self.limits = limits or RequestLimits()
        self.memory = memory or SharedMemory(False)
        self.started = time.time()
        self.draining = False
        self.loading = False
        self.underway = 0
        """Requests to models whose bodies may not be complete yet, as counted by `count`."""
        self._scheduler = scheduler
        self._explicit = explicit
        self._observers = observers
        self._awake = Awake(awake)

    @property
    def ready(self) -> bool:
        """Whether all models are loaded and the server is not about to stop."""
        return not (self.draining or self.loading) and self.repository.ready

    @contextmanager
    def count(self) -> Iterator[None]:
        """Count a request to a model, from its first bytes to its answer."""
        self.underway += 1
        try:
            yield
        finally:
            self.underway -= 1
            if not self.underway:
                self._awake.extend()

    async def infer(self, request: InferRequest, seconds: float | None = None) -> InferResponse:
        """Run a model.

        seconds: the time that the client waits, beside the request's own timeout.
        Raises `RequestError` for everything that goes wrong.
        """
        start = time.perf_counter_ns()
        served = self._served(request)
        try:
            outcome = await self._run(served, request, _deadline(served, request, seconds))
            ran = time.perf_counter_ns()
            response = self._respond(served, request, outcome.outputs or {})
        except asyncio.CancelledError:
            self._failed(served, request, "CANCELLED", start)
            raise
        except LiteError as error:
            refusal = as_request_error(error)
            self._failed(served, request, refusal.status.name, start)
            raise refusal from error
        end = time.perf_counter_ns()
        served.statistics.succeeded(outcome, end - start, end - ran)
        self._report(EndedRequest(served, request, "OK", start, end, outcome))
        return response

    def _failed(self, served: Served, request: InferRequest, status: str, start: int) -> None:
        end = time.perf_counter_ns()
        served.statistics.failed(status, end - start)
        self._report(EndedRequest(served, request, status, start, end, None))

    def _report(self, ended: EndedRequest) -> None:
        for observer in self._observers:
            observer(ended)

    def _served(self, request: InferRequest) -> Served:
        if self.draining:
            raise RequestError(Status.UNAVAILABLE, "the server is shutting down", retry_after=1)
        return self.repository.get(request.model, request.version)

    async def _run(self, served: Served, request: InferRequest, deadline: float | None) -> Outcome:
        check_inputs(served.inputs, request.inputs)
        known = [spec.name for spec in served.outputs]
        for output in request.outputs:
            if output.name not in known:
                raise bad_request(
                    f"unexpected output {output.name[:80]!r}{suggest(output.name[:80], known)}; "
                    f"the model gives {', '.join(known)}"
                )
        if served.model is not None:
            return await self.submit(served, request.inputs, request.priority, deadline, limited=True)
        return await self._run_ensemble(served, request, deadline)

    async def _run_ensemble(self, served: Served, request: InferRequest, deadline: float | None) -> Outcome:
        steps: list[StepOutcome] = []

        async def run_step(model: str, inputs: Mapping[str, Value]) -> Mapping[str, Value]:
            start = time.perf_counter_ns()
            step = self.repository.get(model)
            lists = step.model is not None and step.model.takes_lists
            check_inputs(step.inputs, inputs, lists=lists)
            if step.model is None:
                return await self._run_steps(step, inputs, run_step)
            outcome = await self.submit(step, inputs, request.priority, deadline, limited=False)
            steps.append(StepOutcome(model, start, time.perf_counter_ns(), outcome))
            return outcome.outputs or {}

        with served.admission:
            begin = time.perf_counter_ns()
            values = await self._run_steps(served, request.inputs, run_step)
            times = Times(infer=time.perf_counter_ns() - begin)
        return Outcome(values, None, times, steps=tuple(steps))

    async def _run_steps(
        self, served: Served, inputs: Mapping[str, Value], run_step: RunStep
    ) -> Mapping[str, Value]:
        values = await run_ensemble(served.settings.ensemble, inputs, run_step)
        return {spec.name: values[spec.name] for spec in served.outputs}

    async def submit(
        self,
        served: Served,
        inputs: Mapping[str, Value],
        priority: int,
        deadline: float | None,
        *,
        limited: bool,
    ) -> Outcome:
        """The outcome of a job, with outputs; raises its error, and `RequestError` at the deadline."""
        outcome = await self._run_here(served.queue, inputs, deadline)
        if outcome is None:
            outcome = await self._run_in_queue(served.queue, inputs, priority, deadline, limited)
        if outcome.error is not None:
            raise outcome.error
        return outcome

    async def _run_here(
        self, queue: ModelQueue, inputs: Mapping[str, Value], deadline: float | None
    ) -> Outcome | None:
        """The outcome of a short run for the only request; None for all others, which need a thread."""
        if self.underway != 1 or not queue.is_short(inputs):
            return None
        # Requests that have arrived begin now, and are counted.
        await asyncio.sleep(0)
        if self.underway != 1:
            return None
        return self._scheduler.run_now(queue, inputs, deadline)

    async def _run_in_queue(
        self,
        queue: ModelQueue,
        inputs: Mapping[str, Value],
        priority: int,
        deadline: float | None,
        limited: bool,
    ) -> Outcome:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Outcome] = loop.create_future()

        def done(outcome: Outcome) -> None:
            loop.call_soon_threadsafe(_resolve, future, outcome)

        rows, key = queue.batching.key(inputs)
        job = Job(inputs, done, rows, key, priority, deadline)
        self._scheduler.submit(queue, job, limited=limited)
        try:
            if deadline is None:
                return await future
            return await asyncio.wait_for(future, max(0.0, deadline - time.monotonic()))
        except asyncio.CancelledError:
            self._scheduler.cancel(queue, job)
            raise
        except asyncio.TimeoutError as error:
            self._scheduler.cancel(queue, job)
            raise RequestError(Status.EXPIRED, "the deadline passed before the answer was ready") from error

    def _respond(self, served: Served, request: InferRequest, outputs: Mapping[str, Value]) -> InferResponse:
        wanted = request.outputs or tuple(
            RequestedOutput(spec.name, request.binary) for spec in served.outputs
        )
        results = tuple(self._result(served, each, outputs[each.name]) for each in wanted)
        return InferResponse(served.name, str(served.version), request.id, results)

    def _result(self, served: Served, wanted: RequestedOutput, value: Value) -> ResultTensor:
        if isinstance(value, list):
            raise RequestError(Status.INTERNAL, f"output {wanted.name!r} is a list of tensors")
        array = np.asarray(value)
        if wanted.classes:
            array = classify(wanted.name, array, wanted.classes, served.labels.get(wanted.name, ()))
        datatype = array_datatype(array)
        if wanted.memory is None:
            return ResultTensor(wanted.name, datatype, array.shape, array, wanted.binary)
        self.memory.write(wanted.memory, to_bytes(array))
        return ResultTensor(wanted.name, datatype, array.shape, None, memory=wanted.memory)

    def metadata(self, name: str, version: str = "") -> dict[str, object]:
        """The metadata of a model."""
        return self.repository.get(name, version).metadata(self.repository.versions(name))

    def configuration(self, name: str, version: str = "") -> dict[str, object]:
        """The configuration of a model, in Triton's terms."""
        return self.repository.get(name, version).configuration()

    def statistics(self, name: str = "", version: str = "") -> dict[str, object]:
        """The statistics of one model, or of all."""
        if not name:
            served: Sequence[Served] = self.repository.served()
        elif version:
            served = [self.repository.get(name, version)]
        else:
            self.repository.get(name)
            served = [each for each in self.repository.served() if each.name == name]
        return {"model_stats": [each.statistics.document(each.name, str(each.version)) for each in served]}

    async def load(self, name: str, parameters: Sequence[str]) -> None:
        """Load a model; raises `RequestError` unless clients may do so."""
        self.check_load(parameters)
        await asyncio.to_thread(self.repository.load, name)

    async def unload(self, name: str) -> None:
        """Unload a model; raises `RequestError` unless clients may do so."""
        self._require_explicit()
        await asyncio.to_thread(self.repository.unload, name)

    def check_load(self, parameters: Sequence[str]) -> None:
        """Raise `RequestError` unless clients may load models, and for parameters, which would name files."""
        self._require_explicit()
        if parameters:
            raise bad_request(f"load: the parameter {parameters[0][:80]!r} is not supported")

    def _require_explicit(self) -> None:
        if not self._explicit:
            raise RequestError(
                Status.FORBIDDEN,
                "clients may not load and unload models; start the server with --model-control explicit",
            )


def _deadline(served: Served, request: InferRequest, seconds: float | None) -> float | None:
    """The time after which the client does not wait for the answer."""
    microseconds = request.timeout_us or served.settings.timeout_us
    waits = [] if not microseconds else [microseconds * 1e-6]
    if seconds is not None:
        waits.append(seconds)
    return time.monotonic() + min(waits) if waits else None


def _resolve(future: asyncio.Future[Outcome], outcome: Outcome) -> None:
    if not future.done():
        future.set_result(outcome)


def as_request_error(error: Exception) -> RequestError:
    """The refusal of a request that raised `error`."""
    if isinstance(error, RequestError):
        return error
    status = Status.BAD_REQUEST if isinstance(error, InputError | GraphError) else Status.INTERNAL
    return RequestError(status, str(error))
