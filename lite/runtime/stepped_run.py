"""SteppedRun: runs the steps of a segment without the search for it.

A small model with ops of the host takes less time than the bookkeeping of a general run.  The way is open
where no op is on a device, and no array has a LoD.  Where sizes depend on data, the segments after the first
one are those of a general run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from lite.errors import LiteError
from lite.ir.types import Array
from lite.plugin.kernel import KERNEL_ERRORS
from lite.runtime.nested import LastRun, elements_of
from lite.runtime.run_results import run_results
from lite.runtime.segment import LODS
from lite.runtime.threads import limit_blas

Call = Callable[[Callable[[Sequence[Array]], list[Any] | None], Sequence[Array]], list[Any] | None]
"""Calls a function with arrays, in the context that a run needs."""


class SteppedRun:
    """Runs a plan, as the run before, on inputs of its exact shapes and dtypes."""

    def __init__(self, run: LastRun, names: Sequence[str], call: Call) -> None:
        self.run = run
        metas = [run.segment.metas[index] for index in run.runtime.plan.args]
        self._inputs = [
            (number, name, meta.sizes, meta.dtype.numpy)
            for number, (name, meta) in enumerate(zip(names, metas, strict=True))
        ]
        self._call = call

    def __call__(self, inputs: Mapping[str, Array] | list[Array]) -> dict[str, Array] | None:
        """The results by name, of arrays by name or in order; None for inputs that need a general run.

        Inputs that a step fails on do: the general run raises the error.
        """
        if len(inputs) != len(self._inputs):
            return None
        arrays = []
        for number, name, shape, dtype in self._inputs:
            array = inputs[number] if isinstance(inputs, list) else inputs.get(name)
            if type(array) is not np.ndarray or array.dtype != dtype or array.shape != shape:
                return None
            arrays.append(array)
        if any(elements_of(arrays[number]) != elements for number, elements in self.run.elements):
            return None
        results = self._call(self._results, arrays)
        names = self.run.runtime.plan.result_names
        return None if results is None else dict(zip(names, results, strict=True))

    def _results(self, arrays: Sequence[Array]) -> list[Any] | None:
        runtime, segment, _ = self.run
        try:
            if segment.uses_blas:
                limit_blas()
            env = runtime.entered(segment, arrays)
            for step in (segment.joined or segment).steps:
                step(env)
            segment = runtime.run_rest(segment, env)
        except (LiteError, *KERNEL_ERRORS):
            return None
        results = runtime.plan.results
        if any(env[LODS].values()) or any(segment.metas[index].lod for index in results):
            return None
        return run_results(runtime.plan, segment, env, {}, {})


def stepped_run(run: LastRun, names: Sequence[str], before: object, call: Call) -> SteppedRun | None:
    """The way to run again, on arguments called `names`; None where that needs a general run.

    It is `before` if that runs the same.
    """
    if isinstance(before, SteppedRun) and before.run == run:
        return before
    plan, segment = run.runtime.plan, run.segment
    if segment.lanes or segment.is_open or (segment.joined is None and segment.launching):
        return None
    if plan.has_regions or run.runtime.state.takes_lods:
        return None
    args = [segment.metas[index] for index in plan.args]
    if any(meta.lod or not meta.is_static for meta in args):
        return None
    if any(plan.values[index].is_array for index in (*plan.args, *plan.results)):
        return None
    return SteppedRun(run, names, call)
