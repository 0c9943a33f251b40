"""The step of a ``subgraph`` instruction: the device's model, or a nested runtime in its place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import Array
from lite.plugin.boundary import at_boundary
from lite.runtime.allocation import aligned_bytes
from lite.runtime.regions.bound import BoundRegion
from lite.runtime.regions.device_tensor import DeviceTensor, LostTensorError, on_host
from lite.runtime.regions.settings import HostRuntime
from lite.runtime.segment import LODS, Env


class RegionStep:
    """Runs a region on the values of a run.

    Results go to the buffers that the binding `planned`; others are what the device made, which stays in
    its own memory where it has one.
    """

    def __init__(
        self,
        bound: BoundRegion,
        inputs: Sequence[int],
        outs: Sequence[int],
        planned: Sequence[bool],
        memory: str,
    ) -> None:
        self.bound, self.inputs, self.outs, self.planned, self.memory = bound, inputs, outs, planned, memory
        self.host: HostRuntime | None = None
        """The ops on the host, from the first run that needs them."""
        self._alignment = bound.region.device.limits.alignment

    def __call__(self, env: Env) -> None:
        """Run once."""
        inputs = [_contiguous(env[index], self._alignment) for index in self.inputs]
        outputs = [env[index] if has else None for index, has in zip(self.outs, self.planned, strict=True)]
        results = self.bound.run(inputs, outputs)
        if results is None:
            results = self._on_host(env, [self._fetched(value) for value in inputs], outputs)
        for index, has, result in zip(self.outs, self.planned, results, strict=True):
            if not has:
                env[index] = result

    def _fetched(self, value: Array | DeviceTensor) -> Array:
        """A value as an array; raises `LostTensorError` where the device cannot give it."""
        device = self.bound.region.device.name
        try:
            return at_boundary(device, "reading its memory", lambda: on_host(value), running=True)
        except ExecutionError as error:
            if isinstance(value, DeviceTensor) and value.on_loss is not None:
                value.on_loss(error)
                raise LostTensorError(str(error)) from error
            raise

    def _on_host(self, env: Env, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        if self.host is None:
            self.host = self.bound.plan_host()(self.memory)
        given = {n: array for n, array in enumerate(outputs) if array is not None}
        with self.bound.settings.host_threads:
            results, lods = self.host.run(inputs, self.bound.lods, given)
        if self.bound.lods:
            env[LODS].update(zip(self.outs, lods, strict=True))
        return results


def _contiguous(array: Array | DeviceTensor, alignment: int) -> Array | DeviceTensor:
    if isinstance(array, DeviceTensor):
        return array
    flags = array.flags
    if not (flags.c_contiguous and flags.aligned):
        array = np.array(array, order="C")
    if alignment <= 1 or array.ctypes.data % alignment == 0:
        return array
    moved = aligned_bytes(array.nbytes, alignment).view(array.dtype).reshape(array.shape)
    np.copyto(moved, array)
    return moved
