"""Steps of ``while`` and ``conditional_block``, which run the runtime of a sub-block.

Where all sizes are known before the run, a step writes its results to buffers.  Then it can become a launch
itself, if the ops of its block only launch, so that iterations and choices need no Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import NO_LOD, Array, Lod
from lite.ops import Meta
from lite.plan import Instruction
from lite.plugin.kernel import is_tensor_array
from lite.plugin.kernel.launches import Launch, LaunchTarget
from lite.runtime.block_run import BlockRun
from lite.runtime.block_step import Block, BlockStep, Buffers, holds
from lite.runtime.collected import collected_body
from lite.runtime.collecting_loop import CollectingLoop, NotCollectedError
from lite.runtime.nested import MakeRuntime, NestedRuntime
from lite.runtime.plan_state import PlanState
from lite.runtime.segment import LODS, Env


def control_flow_step(
    item: Instruction,
    blocks: Sequence[PlanState],
    metas: Mapping[int, Meta],
    make_runtime: MakeRuntime,
    iterations: int,
    buffers: Buffers,
) -> BlockStep:
    """The step of a control-flow instruction; raises `ExecutionError` for an op without one.

    A loop raises it, too, after that many `iterations`.
    """
    inner = Block(make_runtime(blocks[0]), buffers)
    outs = item.outputs.get("Out", ())
    carried = item.attrs.get("carried", 0)
    count = carried if isinstance(carried, int) else 0
    if item.op == "while":
        inputs = (*item.inputs["Condition"], *item.inputs.get("X", ()))
        body = collected_body(blocks[0], count)
        collecting = None
        if body is not None:
            collecting = CollectingLoop(body, make_runtime(body.state), buffers.as_launches)
        return _While(inner, inputs, outs, count, metas, iterations, collecting)
    if item.op in ("conditional_block", "conditional_block_infer"):
        scalar = bool(item.attrs.get("is_scalar_condition", False))
        return _Conditional(
            inner, item.inputs.get("Cond", ()), item.inputs.get("Input", ()), outs, count, metas, scalar
        )
    raise ExecutionError(f"{item.op}: the runtime cannot run the sub-block of this op")


class _While(BlockStep):
    """Runs the body while its first argument, the condition, holds; the carried values are the outputs."""

    def __init__(
        self,
        block: Block,
        inputs: Sequence[int],
        outs: Sequence[int],
        carried: int,
        metas: Mapping[int, Meta],
        iterations: int,
        collecting: CollectingLoop | None,
    ) -> None:
        super().__init__(block, outs, metas)
        self.run = BlockRun(block.runtime)
        self.collecting = collecting
        self.inputs, self.carried, self.metas = inputs, carried, metas
        self.iterations = iterations

    @property
    def runtimes(self) -> Sequence[NestedRuntime]:
        """Also that of the block without its tensor arrays."""
        return [self.inner] if self.collecting is None else [self.inner, self.collecting.runtime]

    def run_by(self, runtime: NestedRuntime) -> None:
        """Run the block, with its tensor arrays."""
        super().run_by(runtime)
        self.collecting = None

    def __call__(self, env: Env) -> None:
        values, lods = _gather(env, self.inputs, self.metas)
        if self.collecting is not None and not any(lods):
            try:
                results = self.collecting(values, self.iterations, lambda: endless(self.iterations))
            except NotCollectedError:
                self.collecting = None
            else:
                self.store(env, results, [NO_LOD] * self.carried)
                return
        ran = 0
        while holds(values[0]):
            if ran == self.iterations:
                raise endless(self.iterations)
            values[: self.carried], lods[: self.carried] = self.run(values, lods)
            ran += 1
        results = values[: self.carried] if ran else [_copy(value) for value in values[: self.carried]]
        self.store(env, results, lods)

    def launches(self, env: Env, target: LaunchTarget | None) -> list[Launch]:
        """The loop as one launch."""
        args, outs = self.arrays(env, self.inputs), self.arrays(env, self.outs)
        if args is None or outs is None or not _is_condition(args[0]) or self.carried != len(outs):
            return []
        block = self.block.launches(args)
        target = target if block is None or block.target is None else block.target
        made = None if block is None or target is None else target.loop(block, args, outs, self.iterations)
        if block is None or made is None:
            return []
        launch, last_end = made
        self.checks = [*block.checks, lambda: endless(self.iterations) if last_end().is_stopped else None]
        return [launch]


class _Conditional(BlockStep):
    """Runs the block if the condition holds; else the outputs are copies of carried arguments, or absent."""

    def __init__(
        self,
        block: Block,
        conditions: Sequence[int],
        inputs: Sequence[int],
        outs: Sequence[int],
        carried: int,
        metas: Mapping[int, Meta],
        scalar: bool,
    ) -> None:
        super().__init__(block, outs, metas)
        self.run = BlockRun(block.runtime)
        self.conditions, self.inputs = conditions, inputs
        self.carried, self.metas, self.scalar = carried, metas, scalar

    def __call__(self, env: Env) -> None:
        conditions = [env[index] for index in self.conditions]
        is_taken = (
            holds(conditions[0]) if self.scalar else all(c is not None and np.size(c) for c in conditions)
        )
        if is_taken:
            outputs = {n: env[index] for n, index in enumerate(self.outs)} if self.block.has_buffers else None
            values, lods = self.run(*_gather(env, self.inputs, self.metas), outputs)
        elif self.carried:
            missing = len(self.outs) - self.carried
            values, lods = _gather(env, self.inputs[: self.carried], self.metas)
            values = [*map(_copy, values), *[None] * missing]
            lods += [NO_LOD] * missing
        else:
            for index in self.outs:
                env[index] = None
                env[LODS][index] = NO_LOD
            return
        self.store(env, values, lods)

    def launches(self, env: Env, target: LaunchTarget | None) -> list[Launch]:
        """The branch as one launch."""
        conditions, args = self.arrays(env, self.conditions), self.arrays(env, self.inputs)
        outs = self.arrays(env, self.outs)
        if conditions is None or args is None or outs is None or not self.scalar:
            return []
        if len(conditions) != 1 or not _is_condition(conditions[0]):
            return []
        block = self.block.launches(args)
        target = target if block is None or block.target is None else block.target
        if block is None or target is None:
            return []
        launch = target.branch(block, conditions[0], args, outs, self.carried)
        self.checks = block.checks
        return [] if launch is None else [launch]


def _is_condition(array: Array) -> bool:
    return array.dtype == np.bool_ and array.size == 1


def _gather(env: Env, inputs: Sequence[int], metas: Mapping[int, Meta]) -> tuple[list[Any], list[Lod]]:
    return [env[i] for i in inputs], [env[LODS].get(i, metas[i].lod) for i in inputs]


def endless(iterations: int) -> ExecutionError:
    """The error of a loop that did not end."""
    return ExecutionError(
        f"a loop did not end after {iterations:,} iterations; raise the limit by "
        "Config(limits=Limits(iterations=...)) if you trust the model"
    )


def _copy(value: Any) -> Any:
    if is_tensor_array(value):
        return [_copy(item) for item in value]
    return None if value is None else np.array(value)
