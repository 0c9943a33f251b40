"""Results that grow in place: a ``concat`` whose first operand already lies where the result goes.

A decoder returns its past with a new position.  A caller that keeps space for more passes the first positions
of an array as the past, and one position more of the same array as the output; only that one is written::

    predictor.run({"past": cache[:, :, :n], …}, outputs={"present": cache[:, :, : n + 1]})

That is so where sizes keep changing (`open_signatures`); with all sizes known, the result is computed in
memory of the run and copied to the output.

A cache of a fixed size is updated in place where the caller passes one array as the past and as the output of
a ``cache_append``: only new rows are written, and the rows after them stay as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.plan import Instruction, Plan
from lite.runtime.output_arrays import is_writable_buffer
from lite.runtime.segment import Env, Step


@dataclass(frozen=True)
class Grown:
    """A result that is an argument, `first`, and the value `second`, joined along an axis."""

    out: int
    first: int
    second: int
    axis: int


def grown_result(plan: Plan, item: Instruction) -> Grown | None:
    """The result that an instruction may grow in place; None for another instruction."""
    operands, axis = item.inputs.get("X", ()), item.attrs.get("axis")
    if item.op != "concat" or len(operands) != 2 or set(item.inputs) != {"X"} or not isinstance(axis, int):
        return None
    [out] = item.outputs["Out"]
    if operands[0] not in plan.args or out not in plan.results or plan.values[out].root != out:
        return None
    return Grown(out, *operands, axis)


def grown_results(plan: Plan) -> dict[int, Grown]:
    """By position among the results: those that may grow in place."""
    found = [grown_result(plan, item) for item in plan.instructions]
    return {plan.results.index(each.out): each for each in found if each is not None}


def arrays_in_place(
    plan: Plan,
    grown: Mapping[int, Grown],
    cached: Mapping[int, int],
    args: Sequence[Any],
    outputs: Mapping[int, Array],
) -> dict[int, Array]:
    """By value: the output arrays that begin with their argument, and share memory with no other one.

    `cached` are the plan's `caches`.
    """
    found = {
        plan.results[position]: output
        for position, output in outputs.items()
        if position in cached and _is_past(output, cached[position], args)
    }
    for position, each in grown.items():
        output = outputs.get(position)
        if output is None:
            continue
        place = plan.args.index(each.first)
        others = (arg for n, arg in enumerate(args) if n != place and isinstance(arg, np.ndarray))
        if _begins_with(output, args[place], each.axis) and not any(
            np.may_share_memory(output, other) for other in others
        ):
            found[each.out] = output
    return found


def caches(plan: Plan) -> dict[int, int]:
    """By the position of a cache among the results: that of its past, an argument that nothing else reads."""
    found: dict[int, int] = {}
    appending = [item for item in plan.instructions if item.op == "cache_append"]
    if not appending:
        return found
    readers = Counter(index for item in plan.instructions for ids in item.inputs.values() for index in ids)
    for item in appending:
        [past], [out] = item.inputs["X"], item.outputs["Out"]
        is_own = readers[past] == 1 and plan.values[out].root == out and past not in plan.results
        if past in plan.args and out in plan.results and is_own:
            found[plan.results.index(out)] = plan.args.index(past)
    return found


def result_buffers(
    plan: Plan, cached: Mapping[int, int], args: Sequence[Any], outputs: Mapping[int, Array]
) -> dict[int, Array]:
    """By value: the output arrays that steps may write to; `cached` are the plan's `caches`."""
    return {
        plan.results[position]: array
        for position, array in outputs.items()
        if is_writable_buffer(array, args) or (position in cached and _is_past(array, cached[position], args))
    }


def _is_past(output: Array, position: int, args: Sequence[Any]) -> bool:
    """Whether an output array is the argument at `position`, and shares memory with no other one."""
    past, flags = args[position], output.flags
    if type(output) is not np.ndarray or not (flags.c_contiguous and flags.writeable):
        return False
    if not isinstance(past, np.ndarray) or past.shape != output.shape or not _begins_with(output, past, 0):
        return False
    others = (arg for n, arg in enumerate(args) if n != position and isinstance(arg, np.ndarray))
    return not any(np.may_share_memory(output, other) for other in others)


class GrowStep:
    """Writes what is new of a result that is in place; otherwise runs `step`, which makes the result."""

    def __init__(self, step: Step, grown: Grown) -> None:
        self._step = step
        self._grown = grown

    def __call__(self, env: Env) -> None:
        """Run."""
        grown, out = self._grown, env[self._grown.out]
        if out is None:
            self._step(env)
            return
        axis = grown.axis % out.ndim
        begin = env[grown.first].shape[axis]
        rest = out[(slice(None),) * axis + (slice(begin, None),)]
        if rest.shape != env[grown.second].shape:
            self._step(env)  # an output array of another size, which is refused after the run
            return
        rest[...] = env[grown.second]


class CacheStep:
    """Runs `in_place` where the result is an array of the caller of its size, otherwise `step`.

    `length` is the value with the rows that the result has at least.
    """

    def __init__(self, step: Step, in_place: Step, out: int, length: int) -> None:
        self._step, self._in_place, self._out, self._length = step, in_place, out, length

    def __call__(self, env: Env) -> None:
        """Run."""
        cache = env[self._out]
        fits = cache is not None and int(env[self._length].reshape(-1)[0]) <= cache.shape[2]
        (self._in_place if fits else self._step)(env)


def _begins_with(output: Array, first: Any, axis: int) -> bool:
    """Whether the elements of `first` are the first ones of `output` along an axis."""
    if not isinstance(first, np.ndarray) or first.ndim != output.ndim or first.dtype != output.dtype:
        return False
    axis %= max(first.ndim, 1)
    part = output[(slice(None),) * axis + (slice(first.shape[axis]),)]
    if part.shape != first.shape:
        return False
    addresses = [each.__array_interface__["data"][0] for each in (part, first)]
    steps = [
        [step for step, size in zip(each.strides, each.shape, strict=True) if size > 1]
        for each in (part, first)
    ]
    return not first.size or (addresses[0] == addresses[1] and steps[0] == steps[1])
