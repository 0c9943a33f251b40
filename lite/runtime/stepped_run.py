"""SteppedRun: runs the steps of a segment without the search for it.

A small model with ops of the host takes less time than the bookkeeping of a general run.  The way is open
where a segment is all of its plan, with no op on a device, and no array has a LoD.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lite.errors import LiteError
from lite.ir.types import Array
from lite.plugin.kernel import KERNEL_ERRORS
from lite.runtime.run_results import run_results
from lite.runtime.segment import LODS, Segment
from lite.runtime.threads import limit_blas

if TYPE_CHECKING:
    from lite.runtime.nested import NestedRuntime

Call = Callable[[Callable[[Sequence[Array]], list[Any] | None], Sequence[Array]], list[Any] | None]
"""Calls a function with arrays, in the context that a run needs."""


class SteppedRun:
    """Runs a segment on inputs of its exact shapes and dtypes."""

    def __init__(self, runtime: NestedRuntime, segment: Segment, names: Sequence[str], call: Call) -> None:
        self.segment = segment
        metas = [segment.metas[index] for index in runtime.plan.args]
        self._inputs = [
            (number, name, meta.sizes, meta.dtype.numpy)
            for number, (name, meta) in enumerate(zip(names, metas, strict=True))
        ]
        self._runtime = runtime
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
        results = self._call(self._run, arrays)
        return None if results is None else dict(zip(self._runtime.plan.result_names, results, strict=True))

    def _run(self, arrays: Sequence[Array]) -> list[Any] | None:
        segment = self.segment
        try:
            if segment.uses_blas:
                limit_blas()
            env = self._runtime.entered(segment, arrays)
            for step in (segment.joined or segment).steps:
                step(env)
        except (LiteError, *KERNEL_ERRORS):
            return None
        return None if env[LODS] else run_results(self._runtime.plan, segment, env, {}, {})


def stepped_run(
    runtime: NestedRuntime, segment: Segment, names: Sequence[str], before: object, call: Call
) -> SteppedRun | None:
    """The way of a segment, whose arguments are called `names`; None where it needs a general run.

    It is `before` if that runs the same segment.
    """
    if isinstance(before, SteppedRun) and before.segment is segment:
        return before
    plan = runtime.plan
    if segment.start or segment.stop < len(plan.instructions) or segment.lanes or plan.reads_lod:
        return None
    if segment.is_open or (segment.joined is None and segment.launching) or runtime.has_regions:
        return None
    args, results = ([segment.metas[index] for index in each] for each in (plan.args, plan.results))
    if any(meta.lod or meta.is_array for meta in (*args, *results)):
        return None
    if not all(meta.is_static for meta in args):
        return None
    return SteppedRun(runtime, segment, names, call)
