"""A region bound to one signature: its model, or the host in its place, and what came of its runs."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from operator import is_
from typing import TYPE_CHECKING, Any

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import Array, Lod, shape_fits, shape_text
from lite.ops import Meta
from lite.plan import Region
from lite.plugin.boundary import at_boundary
from lite.plugin.device import CompiledModel
from lite.runtime.regions.device_tensor import DeviceTensor, on_host
from lite.runtime.steps import own

if TYPE_CHECKING:
    from lite.runtime.plan_state import Shared
    from lite.runtime.regions.engine import RegionSettings

log = logging.getLogger(__name__)


class BoundRegion:
    """What runs a region for one signature; shared by clones.

    `state` is "built" or "loaded" (from the cache), "dynamic" (a model for any shape), "split" (regions
    around the ops `without`), or "host", with the `reason` of the last two.
    """

    def __init__(
        self,
        region: Region,
        settings: RegionSettings,
        name: str,
        signature: str,
        outputs: tuple[Meta, ...],
        host: Callable[[BoundRegion], Shared],
    ) -> None:
        self.region = region
        self.settings = settings
        self.name = name
        self.signature = signature
        self.outputs = outputs
        self.state = "built"
        self.reason = ""
        self.seconds = 0.0
        self.runs = 0
        self.host_runs = 0
        self.without: tuple[str, ...] = ()
        self.lods: tuple[Lod, ...] = ()
        """Those of the inputs, where the results' depend on them."""
        self._running = f"running region {settings.within}{region.id}"
        self._model: CompiledModel | None = None
        self._one_at_a_time: Any = nullcontext()
        self._host = host
        self._lock = threading.Lock()

    @property
    def model(self) -> CompiledModel | None:
        """The device's model; None where the host answers."""
        return self._model

    @model.setter
    def model(self, model: CompiledModel | None) -> None:
        self._model = model
        if model is not None:
            self._one_at_a_time = nullcontext() if model.threads == "shared" else threading.Lock()

    def share(self, lock: threading.Lock) -> None:
        """Let the runs of a model that other signatures have, too, wait for each other."""
        if self._model is not None and self._model.threads != "shared":
            self._one_at_a_time = lock

    def run(
        self, inputs: Sequence[Array | DeviceTensor], outputs: Sequence[Array | None]
    ) -> list[Any] | None:
        """The results of the device, written to `outputs` where given; None when the host has to answer.

        On a device with its own memory, a result without output stays there, a `DeviceTensor`.  Raises
        `ExecutionError` for a device that fails where falling back is not wanted.
        """
        model = self._model
        if model is None:
            self.host_runs += 1
            return None
        try:
            with self._one_at_a_time:
                results = at_boundary(
                    self.region.device.name,
                    self._running,
                    lambda: self._run(model, inputs, outputs),
                    running=True,
                )
        except ExecutionError as error:
            self._failed(error)
            self.host_runs += 1
            return None
        self.runs += 1
        return results

    def host(self) -> Shared:
        """What runtimes of the region's ops on the host share; planned at the first call."""
        return self._host(self)

    def _run(self, model: CompiledModel, inputs: Sequence[Any], outputs: Sequence[Array | None]) -> list[Any]:
        memory = self.region.memory
        if memory is None:
            arrays = [on_host(value) for value in inputs]
            results = self._counted(model.run(arrays, outputs))
            # Usually the device wrote into the buffers it was given: nothing to check or to copy.
            in_place = all(map(is_, results, outputs)) and not any(array is None for array in outputs)
            return list(results) if in_place else self._placed(results, outputs, arrays)
        tensors = [
            value if isinstance(value, DeviceTensor) else DeviceTensor.of(memory, value) for value in inputs
        ]
        handles = self._counted(model.run([tensor.handle for tensor in tensors], [None] * len(outputs)))
        results = [
            DeviceTensor(memory, handle, meta, self._failed)
            for handle, meta in zip(handles, self.outputs, strict=True)
        ]
        return [
            result if wanted is None else result.array(wanted)
            for result, wanted in zip(results, outputs, strict=True)
        ]

    def _counted(self, results: Sequence[Any]) -> Sequence[Any]:
        if len(results) != len(self.outputs):
            raise ExecutionError(f"{len(results)} results came back, expected {len(self.outputs)}")
        return results

    def _placed(
        self, results: Sequence[Any], outputs: Sequence[Array | None], inputs: Sequence[Array]
    ) -> list[Array]:
        """The results, if they are what the ops make; those that belong elsewhere copied there.

        What the device allocated must not be an input or another result, which others may write.
        """
        for name, result, wanted, meta in zip(
            self.region.graph.result_names, results, outputs, self.outputs, strict=True
        ):
            if (wanted is None or result is not wanted) and not _fits(result, meta):
                found = (
                    f"{result.dtype}{list(result.shape)}" if isinstance(result, np.ndarray) else repr(result)
                )
                expected = f"{meta.dtype}{shape_text(meta.shape)}"
                raise ExecutionError(f"output {name!r} came back as {found}, expected {expected}")
        placed: list[Array] = []
        for result, wanted in zip(results, outputs, strict=True):
            if wanted is None:
                placed.append(own(result, [*inputs, *placed]))
            else:
                placed.append(result if result is wanted else _copied(result, wanted))
        return placed

    def _failed(self, error: ExecutionError) -> None:
        """Remember that the device failed; a warning says so once, whatever the number of regions."""
        if self.settings.fallback == "error":
            raise error
        with self._lock:
            first = self._model is not None
            self._model = None
        if first:
            self.state, self.reason = "host", str(error)
            is_news = self.settings.failures.is_first((self.region.device.name, "running"))
            level = logging.WARNING if is_news else logging.INFO
            log.log(level, "%s runs on the host from now on for %s: %s", self.name, self.signature, error)


def _fits(result: object, meta: Meta) -> bool:
    return (
        isinstance(result, np.ndarray)
        and result.dtype == meta.dtype.numpy
        and shape_fits(meta.shape, result.shape)
    )


def _copied(result: Array, wanted: Array) -> Array:
    np.copyto(wanted, result)
    return wanted
