"""The runs of a model as data: it is run once for each set of shapes, on zeros."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from lite.errors import LiteError
from lite.ir.types import Shape, is_known
from lite.runtime import PlanState, Runtime
from lite.runtime.direct_segment import direct_run
from lite.runtime.stored_run import StoredRun
from lite.session.arguments import ModelInputs


def stored_runs(
    state: PlanState, memory: str, inputs: ModelInputs, bound: Sequence[Sequence[Shape | None]], threads: int
) -> list[StoredRun]:
    """A run for each set of shapes in `bound`, whose sizes are all known, if it can be stored.

    None of a plan with loops or branches: they are never mere launches, and a loop may not end on zeros.
    """
    if any(item.blocks for item in state.plan.instructions):
        return []
    return [run for shapes in bound for run in _stored(state, memory, inputs, shapes, threads)]


def _stored(
    state: PlanState, memory: str, inputs: ModelInputs, shapes: Sequence[Shape | None], threads: int
) -> Iterator[StoredRun]:
    if not all(map(is_known, shapes)):
        return
    sizes = [[int(dim) for dim in shape or ()] for shape in shapes]
    zeros = inputs.zeros(dict(zip(inputs.names, sizes, strict=True)))
    values, lods = inputs.gather(zeros, None, {})
    runtime = Runtime(state, memory)
    try:
        # The zeros of `zeros` share one element, and launches on a copy are not recorded.
        runtime.run([np.ascontiguousarray(value) for value in values], lods)
    except LiteError:
        return  # zeros are no valid input
    run = _last_run(runtime, inputs.names, alone=threads == 1)
    if run is not None:
        yield run


def _last_run(runtime: Runtime, names: Sequence[str], *, alone: bool) -> StoredRun | None:
    """The last run of a runtime as data; None where it needs a general run.

    `names` are those of the arguments.  With `alone`, no further threads may do part of the work.
    """
    run = runtime.last_run
    if run is None or run.runtime is not runtime or run.elements:
        return None
    direct = direct_run(runtime.plan, run.segment, names, alone=alone)
    if direct is None or not direct.only_launches:
        return None
    memory = [run.segment.arena, runtime.scratch]
    launches = direct.launch.stored(memory)
    return None if launches is None else StoredRun(direct.signature, launches, [len(each) for each in memory])
