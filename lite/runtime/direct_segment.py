"""The direct run of a segment that is one launch.

A small model takes less time than the bookkeeping of a general run.  The short way is open where all work of
a plan is one joined step: no op runs in Python, on a device or in a loop, and no array has a LoD.  Views only
matter where they are results.  Results may be chosen from what the step writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.ir.types import Array
from lite.plan import Plan
from lite.runtime.allocation import allocate
from lite.runtime.direct_run import Buffer, Choice, DirectRun, Result, Signature, View
from lite.runtime.joined_steps import JoinedStep
from lite.runtime.segment import NOTHING, Segment, Storage
from lite.runtime.steps import Release, SelectStep, ViewStep, shares_memory


def direct_run(
    plan: Plan, segment: Segment, names: Sequence[str], before: DirectRun | None = None, *, alone: bool
) -> DirectRun | None:
    """The short way of a segment, whose arguments are called `names`; None where it needs a general run.

    It is `before` if that runs the same segment.  With `alone`, no further threads may do part of the work.
    """
    joined = segment.joined
    if before is not None and before.joined is joined:
        return before
    if joined is None or segment.stop < len(plan.instructions):
        return None
    if any(segment.metas[index].lod for index in (*plan.args, *plan.results)):
        return None
    views = [each for each in joined.steps if isinstance(each, ViewStep)]
    selects = [each for each in joined.steps if isinstance(each, SelectStep)]
    steps = [each for each in joined.steps if not isinstance(each, (Release, ViewStep))]
    step = steps[0] if steps else None
    if (
        not isinstance(step, JoinedStep)
        or steps != [step, *selects]
        or (step.launch.shared_cost and not alone)
    ):
        return None
    roots = {plan.values[index].root for index in plan.results}
    is_own = len(roots) == len(plan.results)
    is_static = all(segment.metas[index].is_static for index in plan.args)
    if not is_own or not is_static or any(segment.storage[root] is not Storage.FRESH for root in roots):
        return None
    sources = [*plan.args, *(index for index, _, _ in segment.fresh)]
    # A view begins where its memory does.
    read = [plan.values[index].root for index in step.indices]
    if not set(sources).issuperset(read) or any(0 in shape for _, shape, _ in segment.fresh):
        return None
    choices = _choices(segment, selects)
    results = None if choices is None else _results(plan, segment, views, selects)
    if choices is None or results is None:
        return None
    metas = [segment.metas[index] for index in plan.args]
    signature = Signature(
        [(name, Buffer(meta.sizes, meta.dtype.numpy)) for name, meta in zip(names, metas, strict=True)],
        [Buffer(shape, dtype) for _, shape, dtype in segment.fresh],
        [sources.index(index) for index in read],
        results,
    )
    return DirectRun(signature, step.launch, step.forget_errors if step.checks else None, joined, choices)


def _choices(segment: Segment, selects: Sequence[SelectStep]) -> list[Choice] | None:
    """What is chosen from; None where it does not exist before the run."""
    existing = {index: value for index, value in segment.prefill if isinstance(value, np.ndarray)}
    if not existing.keys() >= {index for each in selects for index in (each.mask, *each.values)}:
        return None
    return [Choice(existing[each.mask], [existing[index] for index in each.values]) for each in selects]


def _results(
    plan: Plan, segment: Segment, views: Sequence[ViewStep], selects: Sequence[SelectStep]
) -> list[Result] | None:
    """Where the results of a plan lie; None where one of them is not in an array of the run."""
    arrays = [allocate(shape, dtype) for _, shape, dtype in segment.fresh]
    env: dict[int, Any] = {NOTHING: None}
    env.update(zip((index for index, _, _ in segment.fresh), arrays, strict=True))
    for view in views:
        if env.keys() >= set(view.indices):
            view(env)
    chosen = {each.out: number for number, each in enumerate(selects, len(arrays))}
    results = []
    for name, index in zip(plan.result_names, plan.results, strict=True):
        if index in chosen:
            results.append(Result(name, chosen[index], None))
            continue
        value = env.get(index)
        if not isinstance(value, np.ndarray):
            return None
        owners = [number for number, array in enumerate(arrays) if shares_memory(value, [array])]
        if len(owners) != 1:
            return None
        results.append(Result(name, owners[0], _view(value, arrays[owners[0]])))
    return results


def _view(value: Array, array: Array) -> View | None:
    if value is array:
        return None
    offset = value.__array_interface__["data"][0] - array.__array_interface__["data"][0]
    return View(value.shape, value.dtype, offset, value.strides)
