"""RegionStep: the step of a ``subgraph`` instruction, which runs a device model or the host."""

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

    Results with a planned buffer (`has_buffer`) are written there.  Others are stored as the device returns
    them: on a device with its own memory, they stay there.
    """

    def __init__(
        self,
        bound: BoundRegion,
        inputs: Sequence[int],
        outs: Sequence[int],
        has_buffer: Sequence[bool],
        memory: str,
    ) -> None:
        self.bound, self.inputs, self.outs = bound, inputs, outs
        self.has_buffer, self.memory = has_buffer, memory
        self.host: HostRuntime | None = None
        """The runtime of the ops on the host; made by the first run that needs it."""
        self._alignment = bound.region.device.limits.alignment

    def __call__(self, env: Env) -> None:
        """Run once."""
        inputs = [_contiguous(env[index], self._alignment) for index in self.inputs]
        outputs = [
            env[index] if has_buffer else None
            for index, has_buffer in zip(self.outs, self.has_buffer, strict=True)
        ]
        results = self.bound.run(inputs, outputs)
        if results is None:
            results = self._run_on_host(env, [self._to_host(value) for value in inputs], outputs)
        for index, has_buffer, result in zip(self.outs, self.has_buffer, results, strict=True):
            if not has_buffer:
                env[index] = result

    def _to_host(self, value: Array | DeviceTensor) -> Array:
        """A value as an array; raises `LostTensorError` if the device fails to copy it."""
        device = self.bound.region.device.name
        try:
            return at_boundary(device, "reading its memory", lambda: on_host(value), running=True)
        except ExecutionError as error:
            if isinstance(value, DeviceTensor) and value.on_loss is not None:
                value.on_loss(error)
                raise LostTensorError(str(error)) from error
            raise

    def _run_on_host(self, env: Env, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        if self.host is None:
            self.host = self.bound.plan_host()(self.memory)
        buffers = {n: array for n, array in enumerate(outputs) if array is not None}
        threads = self.bound.settings.host_threads
        results, lods = threads.call(self.host.run, inputs, self.bound.lods, buffers)
        if self.bound.lods:
            env[LODS].update(zip(self.outs, lods, strict=True))
        return results


def _contiguous(array: Array | DeviceTensor, alignment: int) -> Array | DeviceTensor:
    """The array, copied unless it is contiguous and starts at a multiple of `alignment` bytes."""
    if isinstance(array, DeviceTensor):
        return array
    flags = array.flags
    if not (flags.c_contiguous and flags.aligned):
        array = np.array(array, order="C")
    if alignment <= 1 or array.ctypes.data % alignment == 0:
        return array
    aligned = aligned_bytes(array.nbytes, alignment).view(array.dtype).reshape(array.shape)
    np.copyto(aligned, array)
    return aligned
