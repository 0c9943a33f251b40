"""launching: the prepared function of one job."""

from __future__ import annotations

import numpy as np

from lite.kernels.cpu.native.job import Job
from lite.ops import Meta
from lite.plugin.kernel import Array, KernelFunction
from lite.plugin.kernel.launches import only_launches


def launching(job: Job, result: Meta) -> KernelFunction:
    """The prepared function that calls a job with its arguments and the result."""
    shape, dtype = result.sizes, result.dtype.numpy

    def run(*arrays: Array, out: Array | None = None) -> Array:
        written = np.empty(shape, dtype) if out is None else out
        job(*arrays, written)
        return written

    return only_launches(run)
