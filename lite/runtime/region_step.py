"""The step of a ``subgraph`` instruction: the device's model, or a nested runtime in its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lite.ir.types import Array
from lite.runtime.bound_region import BoundRegion
from lite.runtime.segment import Env

if TYPE_CHECKING:
    from lite.runtime.executor import Runtime


class RegionStep:
    """Runs a region on arrays of the run; results go to buffers where the binding planned some."""

    def __init__(
        self,
        bound: BoundRegion,
        inputs: Sequence[int],
        outs: Sequence[int],
        planned: bool,
        memory: str,
    ) -> None:
        self.bound, self.inputs, self.outs, self.planned, self.memory = bound, inputs, outs, planned, memory
        self.host: Runtime | None = None
        """The ops on the host, once they had to answer."""
        self._alignment = bound.region.device.limits.alignment

    def __call__(self, env: Env) -> None:
        """Run once on the values of a run."""
        inputs = [_contiguous(env[index], self._alignment) for index in self.inputs]
        outputs = [env[index] if self.planned else None for index in self.outs]
        results = self.bound.run(inputs, outputs)
        if results is None:
            results = self._on_host(inputs, outputs)
        if not self.planned:
            for index, result in zip(self.outs, results, strict=True):
                env[index] = result

    def _on_host(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        from lite.runtime.executor import Runtime

        if self.host is None:
            self.host = Runtime(self.bound.host(), self.memory)
        wanted = {n: array for n, array in enumerate(outputs) if array is not None}
        return self.host.run(inputs, outputs=wanted)[0]


def _contiguous(array: Array, alignment: int) -> Array:
    flags = array.flags
    if not (flags.c_contiguous and flags.aligned):
        array = np.array(array, order="C")
    if alignment <= 1 or array.ctypes.data % alignment == 0:
        return array
    raw = np.empty(array.nbytes + alignment, np.uint8)
    start = -raw.ctypes.data % alignment
    moved = raw[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    np.copyto(moved, array)
    return moved
