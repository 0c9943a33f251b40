"""A region bound to one input signature: runs the device's model, or leaves the run to the host."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from operator import is_
from typing import Any, Literal

import numpy as np

from lite.dataclass import dataclass
from lite.errors import ExecutionError
from lite.ir.types import Array, Lod, shape_fits, shape_text
from lite.ops import Meta
from lite.plan import Region
from lite.plugin.boundary import at_boundary
from lite.plugin.device import CompiledModel
from lite.plugin.kernel.owned_lock import OwnedLock
from lite.runtime.regions.device_tensor import DeviceTensor, on_host
from lite.runtime.regions.evidence import evidence_problem
from lite.runtime.regions.forks import FORKED, drop_models_after_fork, keep_for_ever
from lite.runtime.regions.groups import GroupMember
from lite.runtime.regions.settings import HostPlan, RegionSettings
from lite.runtime.steps import copy_if_shared

log = logging.getLogger(__name__)

State = Literal["built", "loaded", "dynamic", "split", "host"]


@dataclass(frozen=True)
class Outcome:
    """How a region was bound to a signature.

    `state` is "built", "loaded" (from the cache), "dynamic" (one model for any shape), "split" (into regions
    without the ops `without`) or "host"; the last two have a `reason`.  `seconds` is the time to build or
    load the `model`.  `lock` is shared by the signatures of a dynamic model.  `lods` are the LoDs of the
    inputs, if an op reads them.  `built` is a model that this machine can build but not run: the host runs
    the region instead.
    `inputs` are the metas of the inputs, and `member` is the model's place among models that were compiled
    together.
    """

    state: State
    model: CompiledModel | None = None
    seconds: float = 0.0
    reason: str = ""
    without: tuple[str, ...] = ()
    lods: tuple[Lod, ...] = ()
    lock: OwnedLock | None = None
    built: CompiledModel | None = None
    inputs: tuple[Meta, ...] = ()
    member: GroupMember | None = None


class BoundRegion:
    """Runs a region for one signature; shared by clones, safe to use from threads.

    `outputs` are the metas of the results.  `plan_host` plans the region's ops for the host.
    """

    def __init__(
        self,
        region: Region,
        settings: RegionSettings,
        name: str,
        signature: str,
        outputs: tuple[Meta, ...],
        outcome: Outcome,
        plan_host: Callable[[], HostPlan],
    ) -> None:
        self.region = region
        self.settings = settings
        self.name = name
        self.signature = signature
        self.inputs = outcome.inputs
        self.outputs = outputs
        self.state: State = outcome.state
        self.reason = outcome.reason
        self.seconds = outcome.seconds
        self.without = outcome.without
        self.lods = outcome.lods
        self.plan_host = plan_host
        self.runs = 0
        self.host_runs = 0
        self._activity = f"running region {settings.within}{region.id}"
        self.built = outcome.model or outcome.built
        """The model as it was compiled, even if the host runs the region."""
        self.member = outcome.member
        self._model = outcome.model
        self._is_proven = False
        self._exclusive: AbstractContextManager[object] = nullcontext()
        if outcome.model is not None and outcome.model.threads != "shared":
            self._exclusive = outcome.lock or OwnedLock()
        self._lock = OwnedLock()
        self._lost = False
        drop_models_after_fork(self)

    def drop_models(self) -> None:
        """In a forked process: leave the region to the host unless its model also works there."""
        if self._model is not None and not self._model.survives_fork:
            keep_for_ever(self._model)
            self._model, self._lost = None, True

    @property
    def model(self) -> CompiledModel | None:
        """The device's model; None if the host runs the region."""
        return self._model

    def run(
        self, inputs: Sequence[Array | DeviceTensor], outputs: Sequence[Array | None]
    ) -> list[Any] | None:
        """The results of the device, in the arrays of `outputs` that are not None; None if the host must run.

        On a device with its own memory, a result without an output array stays there, as a `DeviceTensor`.
        Raises `ExecutionError` if the device fails with ``Config(fallback="error")``.
        """
        model = self._model
        if model is None:
            if self._lost:
                self._report_loss()
            self.host_runs += 1
            return None
        try:
            results = at_boundary(
                self.region.device.name,
                self._activity,
                lambda: self._run(model, inputs, outputs),
                running=True,
            )
        except ExecutionError as error:
            self._fail(error)
            self.host_runs += 1
            return None
        self.runs += 1
        return results

    def _run(self, model: CompiledModel, inputs: Sequence[Any], outputs: Sequence[Array | None]) -> list[Any]:
        memory = self.region.memory
        with self._exclusive:
            if memory is None:
                given: list[Any] = [on_host(value) for value in inputs]
                targets = outputs
            else:
                tensors = [
                    value if isinstance(value, DeviceTensor) else DeviceTensor.of(memory, value)
                    for value in inputs
                ]
                given, targets = [tensor.handle for tensor in tensors], [None] * len(outputs)
            ticket = model.start(given, targets)
            if ticket is None:
                # The results are copied under the lock: the model may return the same memory from each run.
                return self._taken(model, model.run(given, targets), given, outputs)
        return self._taken(model, model.wait(ticket), given, outputs)

    def _taken(
        self,
        model: CompiledModel,
        results: Sequence[Any],
        inputs: Sequence[Any],
        outputs: Sequence[Array | None],
    ) -> list[Any]:
        """Check the results of a run, and copy them into the output arrays."""
        taken = self._results(self._checked_count(results), inputs, outputs)
        if not self._is_proven:
            problem = evidence_problem(model, self.region.device.name)
            if problem:
                raise ExecutionError(problem)
            self._is_proven = True
        return taken

    def _results(
        self, results: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[Array | None]
    ) -> list[Any]:
        memory = self.region.memory
        if memory is None:
            # Usually the device wrote into the output arrays: then there is nothing to check or copy.
            in_place = all(map(is_, results, outputs)) and not any(array is None for array in outputs)
            return list(results) if in_place else self._stored(results, outputs, inputs)
        tensors = [
            DeviceTensor(memory, handle, meta, self._fail)
            for handle, meta in zip(results, self.outputs, strict=True)
        ]
        return [
            tensor if output is None else tensor.array(output)
            for tensor, output in zip(tensors, outputs, strict=True)
        ]

    def _checked_count(self, results: Sequence[Any]) -> Sequence[Any]:
        if len(results) != len(self.outputs):
            raise ExecutionError(f"the device returned {len(results)} results, expected {len(self.outputs)}")
        return results

    def _stored(
        self, results: Sequence[Any], outputs: Sequence[Array | None], inputs: Sequence[Array]
    ) -> list[Array]:
        """The results, checked against the inferred metas, and copied into the output arrays.

        A result without an output array is copied if it shares memory with an input or another result,
        since later steps may overwrite that.
        """
        for name, result, output, meta in zip(
            self.region.graph.result_names, results, outputs, self.outputs, strict=True
        ):
            if (output is None or result is not output) and not _fits(result, meta):
                actual = (
                    f"{result.dtype}{list(result.shape)}" if isinstance(result, np.ndarray) else repr(result)
                )
                expected = f"{meta.dtype}{shape_text(meta.shape)}"
                raise ExecutionError(f"the device returned {actual} for output {name!r}, expected {expected}")
        stored: list[Array] = []
        for result, output in zip(results, outputs, strict=True):
            if output is None:
                stored.append(copy_if_shared(result, [*inputs, *stored]))
                continue
            if result is not output:
                np.copyto(output, result)
            stored.append(output)
        return stored

    def _report_loss(self) -> None:
        """Report once that the host replaces a model that a fork lost.

        Raises `ExecutionError` with fallback "error".
        """
        sentence = f"{self.region.device.name}: {FORKED}"
        if self.settings.fallback == "error":
            raise ExecutionError(sentence)
        self._lost = False
        self.state, self.reason = "host", sentence
        level = self.settings.failures.level((self.region.device.name, "fork"))
        log.log(level, "%s runs on the host for %s: %s", self.name, self.signature, sentence)

    def _fail(self, error: ExecutionError) -> None:
        """Switch to the host for good, and log it: a warning for a device's first failure, then infos.

        Raises the error with fallback "error".
        """
        if self.settings.fallback == "error":
            raise error
        with self._lock:
            is_first = self._model is not None
            self._model = None
        if is_first:
            self.state, self.reason = "host", str(error)
            level = self.settings.failures.level((self.region.device.name, "running"))
            log.log(level, "%s runs on the host from now on for %s: %s", self.name, self.signature, error)


def _fits(result: object, meta: Meta) -> bool:
    return (
        isinstance(result, np.ndarray)
        and result.dtype == meta.dtype.numpy
        and shape_fits(meta.shape, result.shape)
    )
