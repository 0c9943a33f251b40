"""The service of the ingress: models are deployments of Ray Serve, or run in this process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from lite.dataclass import dataclass
from lite.ray.model_replica import Description
from lite.serving.admission import Admission
from lite.serving.models.model import Run
from lite.serving.models.model_value import Value
from lite.serving.models.tensors import TensorSpec
from lite.serving.protocol.status import RequestError, Status
from lite.serving.repository.repository import Repository
from lite.serving.repository.served import Served
from lite.serving.scheduling.batches import Batching
from lite.serving.scheduling.job import Outcome, Times
from lite.serving.scheduling.model_queue import ModelQueue
from lite.serving.scheduling.scheduler import Scheduler
from lite.serving.service import Service

if TYPE_CHECKING:
    from ray.serve.handle import DeploymentHandle


@dataclass(frozen=True)
class RemoteModel:
    """A model that replicas run; this process has only its description."""

    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    platform: str
    takes_lists: bool

    def instance(self) -> Run:
        """Refuses: the service sends requests to replicas."""
        raise RequestError(Status.INTERNAL, "this model runs in replicas")

    def placement(self) -> Mapping[str, object]:
        """Unknown here: Ray's dashboard shows the replicas."""
        return {"devices": [], "coverage": {}, "regions": [], "fallbacks": {}, "warnings": []}


class RemoteService(Service):
    """Sends each request to a replica of its model; those of `repository` from the start run here."""

    def __init__(
        self, repository: Repository, scheduler: Scheduler, *, explicit: bool = False, awake: float = 0.0
    ) -> None:
        super().__init__(repository, scheduler, explicit=explicit, awake=awake)
        self._handles: dict[str, DeploymentHandle] = {}

    async def add(self, name: str, handle: DeploymentHandle) -> None:
        """Answer requests for a model, whose deployment must run."""
        described: list[Description] = await handle.describe.remote()
        self._handles[name] = handle
        self.repository.adopt(name, {each.version: _served(name, each) for each in described})

    async def load(self, name: str, parameters: Sequence[str]) -> None:
        """Load a model of this process, or answer requests again for one whose replicas have gone on."""
        handle = self._handles.get(name)
        if handle is None:
            await super().load(name, parameters)
            return
        self.check_load(parameters)
        await self.add(name, handle)

    async def submit(
        self,
        served: Served,
        inputs: Mapping[str, Value],
        priority: int,
        deadline: float | None,
        *,
        limited: bool,
    ) -> Outcome:
        """The outcome from a replica; raises `RequestError` for its errors and for lost replicas."""
        handle = self._handles.get(served.name)
        if handle is None:
            return await super().submit(served, inputs, priority, deadline, limited=limited)
        from grpc.aio import AioRpcError
        from ray.exceptions import RayError
        from ray.serve.exceptions import BackPressureError, DeploymentUnavailableError

        seconds = None if deadline is None else max(0.0, deadline - time.monotonic())
        response = handle.run.remote(str(served.version), dict(inputs), priority, seconds)
        try:
            kind, first, second = await asyncio.wait_for(response, seconds)
        except asyncio.CancelledError:
            response.cancel()
            raise
        except asyncio.TimeoutError as error:
            response.cancel()
            raise RequestError(Status.EXPIRED, "the deadline passed before the answer was ready") from error
        except BackPressureError as error:
            raise RequestError(Status.BUSY, f"model {served.name!r}: {error}", retry_after=1) from error
        except (AioRpcError, RayError, DeploymentUnavailableError) as error:
            raise RequestError(
                Status.UNAVAILABLE, f"model {served.name!r}: its replica was lost: {error}", retry_after=1
            ) from error
        if kind == "error":
            status, retry_after = first
            raise RequestError(Status[status], second, retry_after)
        queue, joining, infer, output, batch, is_first = second
        return Outcome(first, None, Times(queue, joining, infer, output), batch, is_first)


def _served(name: str, each: Description) -> Served:
    model = RemoteModel(each.inputs, each.outputs, each.platform, each.takes_lists)
    return Served(
        name,
        each.version,
        each.settings,
        each.inputs,
        each.outputs,
        model,
        ModelQueue(name, [], Batching()),
        each.labels,
        Admission(name, each.settings.queue),
    )
