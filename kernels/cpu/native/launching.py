"""Prepared functions of jobs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.kernels.cpu.native.job import Job
from lite.ops import Meta
from lite.plugin.kernel import Array, KernelFunction
from lite.plugin.kernel.launches import Check, only_launches
from lite.plugin.kernel.scratch import Scratch


def launching(job: Job, result: Meta, check: Check | None = None) -> KernelFunction:
    """The prepared function that calls a job with its arguments and the result; `check` finds its errors."""
    shape, dtype = result.sizes, result.dtype.numpy

    def run(*arrays: Array, out: Array | None = None) -> Array:
        written = np.empty(shape, dtype) if out is None else out
        job(*arrays, written)
        return written

    return only_launches(run, check)


def launching_in_turn(jobs: Sequence[Job], between: Sequence[Scratch], result: Meta) -> KernelFunction:
    """Like `launching`, for jobs of which each reads what the one before wrote, which is in `between`."""
    shape, dtype = result.sizes, result.dtype.numpy

    def run(x: Array, *, out: Array | None = None) -> Array:
        written = np.empty(shape, dtype) if out is None else out
        arrays = [x, *(scratch.array for scratch in between), written]
        for job, source, target in zip(jobs, arrays, arrays[1:], strict=False):
            job(source, target)
        return written

    return only_launches(run)
