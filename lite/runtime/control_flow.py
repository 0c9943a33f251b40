"""Steps of ``while`` and ``conditional_block``, which run the runtime of a sub-block."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import NO_LOD, Lod
from lite.ops import Meta
from lite.plan import Instruction
from lite.plugin.kernel import is_tensor_array
from lite.runtime.block_run import BlockRun
from lite.runtime.nested import MakeRuntime, NestedRuntime
from lite.runtime.plan_state import PlanState
from lite.runtime.segment import LODS, Env, Step


def control_flow_step(
    item: Instruction,
    blocks: Sequence[PlanState],
    metas: Mapping[int, Meta],
    make_runtime: MakeRuntime,
    iterations: int,
) -> Step:
    """The step of a control-flow instruction; raises `ExecutionError` for an op without one.

    A loop raises it, too, after that many `iterations`.
    """
    inner = make_runtime(blocks[0])
    outs = item.outputs.get("Out", ())
    carried = item.attrs.get("carried", 0)
    count = carried if isinstance(carried, int) else 0
    if item.op == "while":
        inputs = (*item.inputs["Condition"], *item.inputs.get("X", ()))
        return _While(inner, inputs, outs, count, metas, iterations)
    if item.op in ("conditional_block", "conditional_block_infer"):
        scalar = bool(item.attrs.get("is_scalar_condition", False))
        return _Conditional(
            inner, item.inputs.get("Cond", ()), item.inputs.get("Input", ()), outs, count, metas, scalar
        )
    raise ExecutionError(f"{item.op}: the runtime cannot run the sub-block of this op")


class BlockStep:
    """A step that runs the runtime of a sub-block, `inner`, any number of times."""

    inner: NestedRuntime

    def __init__(self, inner: NestedRuntime, outs: Sequence[int], metas: Mapping[int, Meta]) -> None:
        self.inner, self.outs = inner, outs
        self.run: Callable[[list[Any], Sequence[Lod]], tuple[list[Any], list[Lod]]] = BlockRun(inner)
        """The results of a run, and their LoDs."""
        self._promised = [
            (meta.sizes, meta.dtype.numpy) if meta.is_static else None for meta in (metas[n] for n in outs)
        ]

    def store(self, env: Env, values: Sequence[Any], lods: Sequence[Lod]) -> None:
        """Store the results; raises `ExecutionError` for one that is not as later steps were bound to it."""
        for index, value, lod, promised in zip(self.outs, values, lods, self._promised, strict=False):
            if promised is not None and value is not None and (value.shape, value.dtype) != promised:
                (shape, dtype), found = promised, f"{value.dtype} {list(value.shape)}"
                raise ExecutionError(f"a block was expected to compute {dtype} {list(shape)}, got {found}")
            env[index] = value
            env[LODS][index] = lod


class _While(BlockStep):
    """Runs the body while its first argument, the condition, holds; the carried values are the outputs."""

    def __init__(
        self,
        inner: NestedRuntime,
        inputs: Sequence[int],
        outs: Sequence[int],
        carried: int,
        metas: Mapping[int, Meta],
        iterations: int,
    ) -> None:
        super().__init__(inner, outs, metas)
        self.inputs, self.carried, self.metas = inputs, carried, metas
        self.iterations = iterations

    def __call__(self, env: Env) -> None:
        values, lods = _gather(env, self.inputs, self.metas)
        ran = 0
        while _holds(values[0]):
            if ran == self.iterations:
                raise ExecutionError(
                    f"a loop did not end after {ran:,} iterations; raise the limit by "
                    "Config(limits=Limits(iterations=...)) if you trust the model"
                )
            values[: self.carried], lods[: self.carried] = self.run(values, lods)
            ran += 1
        results = values[: self.carried] if ran else [_copy(value) for value in values[: self.carried]]
        self.store(env, results, lods)


class _Conditional(BlockStep):
    """Runs the block if the condition holds; else the outputs are copies of carried arguments, or absent."""

    def __init__(
        self,
        inner: NestedRuntime,
        conditions: Sequence[int],
        inputs: Sequence[int],
        outs: Sequence[int],
        carried: int,
        metas: Mapping[int, Meta],
        scalar: bool,
    ) -> None:
        super().__init__(inner, outs, metas)
        self.conditions, self.inputs = conditions, inputs
        self.carried, self.metas, self.scalar = carried, metas, scalar

    def __call__(self, env: Env) -> None:
        conditions = [env[index] for index in self.conditions]
        holds = (
            _holds(conditions[0]) if self.scalar else all(c is not None and np.size(c) for c in conditions)
        )
        if holds:
            values, lods = self.run(*_gather(env, self.inputs, self.metas))
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


def _gather(env: Env, inputs: Sequence[int], metas: Mapping[int, Meta]) -> tuple[list[Any], list[Lod]]:
    return [env[i] for i in inputs], [env[LODS].get(i, metas[i].lod) for i in inputs]


def _holds(condition: Any) -> bool:
    if isinstance(condition, np.ndarray) and condition.size == 1:
        return bool(condition.item())
    if condition is None or np.size(condition) != 1:
        raise ExecutionError(f"a condition must have exactly one element, got shape {np.shape(condition)}")
    return bool(np.asarray(condition).reshape(()))


def _copy(value: Any) -> Any:
    if is_tensor_array(value):
        return [_copy(item) for item in value]
    return None if value is None else np.array(value)
