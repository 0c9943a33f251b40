"""block_launches: a sub-block as launches, so that a loop or branch needs no Python."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.types import Array
from lite.plan import Plan
from lite.plugin.kernel.launches import BlockLaunches, Launch, recording
from lite.plugin.kernel.run_context import current_run
from lite.runtime.block_step import BlockStep
from lite.runtime.joined_steps import JoinedStep, joined_steps
from lite.runtime.nested import NestedRuntime
from lite.runtime.segment import Env, Segment
from lite.runtime.steps import Release, ViewStep

_MOST_ALONE = 1 << 22
"""Multiplications that one thread makes before Python's steps between launches let others share them."""


def block_launches(runtime: NestedRuntime, args: Sequence[Array]) -> BlockLaunches | None:
    """The launches of the plan of `runtime` for arrays of these sizes, of which no element is read.

    The plan is bound, and its launches are recorded without being made.  None where an op needs Python, where
    sizes depend on elements, and where several threads would share much work.
    """
    runtime = runtime.for_arguments(args)
    plan, segment = runtime.plan, runtime.prepare(args)
    values = (*plan.args, *plan.results)
    if segment.split or segment.stop < len(plan.instructions) or segment.lanes:
        return None
    if any(not segment.metas[index].is_static or segment.metas[index].lod for index in values):
        return None
    env = runtime.entered(segment, args)
    launches: dict[int, list[Launch]] = {}
    for number, step in enumerate(segment.steps):
        if isinstance(step, BlockStep):
            continue
        if step in segment.launching:
            with recording(is_dry=True) as launches[number]:
                step(env)
        elif isinstance(step, ViewStep):
            step(env)
        elif not isinstance(step, Release):
            return None
    joined = joined_steps(segment, plan, launches, env, runtime.state.constants)
    if joined is None:
        return None
    steps = [step for step in joined.steps if not isinstance(step, (Release, ViewStep))]
    if not all(isinstance(step, JoinedStep) for step in steps) or len(steps) > 1:
        return None
    only = next((step for step in steps if isinstance(step, JoinedStep)), None)
    if only is not None and only.launch.shared_cost > _MOST_ALONE and current_run().threads > 1:
        return None
    return _as_block(plan, segment, env, only)


def _as_block(plan: Plan, segment: Segment, env: Env, step: JoinedStep | None) -> BlockLaunches | None:
    numbers = {index: number for number, index in enumerate(plan.args)}
    fresh = {index for index, _, _ in segment.fresh}
    copies: list[int | Array | None] = []
    for number, index in enumerate(plan.results, len(plan.args)):
        value, root = env[index], plan.values[index].root
        if not isinstance(value, np.ndarray) or not value.flags.c_contiguous:
            return None
        if root not in numbers and root not in fresh:
            copies.append(value)
        elif not _begins_with(value, env[root]):
            return None
        elif root in numbers:
            copies.append(numbers[root])
        else:
            numbers[root] = number
            copies.append(None)
    roots = [] if step is None else [plan.values[index].root for index in step.indices]
    if not numbers.keys() >= set(roots):
        return None
    takes = [numbers[root] for root in roots]
    if step is None:
        return BlockLaunches(None, None, len(plan.args), takes, copies)
    checks = [check for _, check in step.checks]
    return BlockLaunches(step.target, step.launch, len(plan.args), takes, copies, checks)


def _begins_with(value: Array, root: Array) -> bool:
    """Whether a view begins where its memory does."""
    first, second = (each.__array_interface__["data"][0] for each in (value, root))
    return bool(first == second)
