"""A replica of Ray Serve with one model: its scheduler, and calls from the ingress."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from lite.dataclass import dataclass
from lite.errors import ConfigError, LiteError
from lite.serving.embedded import default_workers
from lite.serving.models.model_value import Value
from lite.serving.models.tensors import TensorSpec
from lite.serving.repository.folders import find_models
from lite.serving.repository.repository import Repository
from lite.serving.repository.settings import ModelSettings
from lite.serving.scheduling.job import Outcome
from lite.serving.scheduling.scheduler import Scheduler
from lite.serving.service import Service, as_request_error

Reply = tuple[str, Any, Any]
"""Outputs with times, or an error: ``("ok", outputs, numbers)`` or ``("error", (status, seconds), text)``."""


@dataclass(frozen=True)
class Description:
    """What the ingress needs to know about a version of a model."""

    version: int
    settings: ModelSettings
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    platform: str
    takes_lists: bool
    labels: Mapping[str, tuple[str, ...]]


class ModelReplica:
    """Loads a model when the replica starts; Ray calls `run` and `describe`."""

    def __init__(self, name: str, path: str, engine: Mapping[str, object], workers: int | None) -> None:
        loop = asyncio.get_event_loop()

        def later(seconds: float, call: Any) -> None:
            loop.call_soon_threadsafe(loop.call_later, seconds, call)

        scheduler = Scheduler(workers or default_workers(engine), later)
        repository = Repository(find_models([f"{name}={path}"]), engine, scheduler)
        failed = repository.load_all()
        if failed:
            raise ConfigError("; ".join(failed.values()))
        self._name = name
        self._repository = repository
        self._service = Service(repository, scheduler)

    def describe(self) -> list[Description]:
        """The loaded versions."""
        return [
            Description(
                each.version,
                each.settings,
                tuple(each.inputs),
                tuple(each.outputs),
                each.platform,
                each.model is not None and each.model.takes_lists,
                {name: tuple(lines) for name, lines in each.labels.items()},
            )
            for each in self._repository.served()
        ]

    async def run(
        self, version: str, inputs: Mapping[str, Value], priority: int, seconds: float | None
    ) -> Reply:
        """The outputs of the model for checked inputs; faults are replies, so that they cross processes."""
        deadline = None if seconds is None else time.monotonic() + seconds
        try:
            served = self._repository.get(self._name, version)
            outcome: Outcome = await self._service.submit(served, inputs, priority, deadline, limited=True)
        except LiteError as error:
            refusal = as_request_error(error)
            return "error", (refusal.status.name, refusal.retry_after), str(refusal)
        times = outcome.times
        return (
            "ok",
            dict(outcome.outputs or {}),
            (times.queue, times.input, times.infer, times.output, outcome.batch, outcome.first),
        )

    def check_health(self) -> None:
        """Ray replaces a replica whose model is not ready."""
        if not self._repository.ready:
            raise ConfigError(f"model {self._name!r} is not ready")
