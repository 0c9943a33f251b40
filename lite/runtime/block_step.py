"""BlockStep: what steps with a sub-block have in common, and the sub-block itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lite.errors import ExecutionError, LiteError
from lite.ir.types import Array, Lod
from lite.ops import Meta
from lite.plugin.kernel import KERNEL_ERRORS
from lite.plugin.kernel.launches import BlockLaunches, Check, Launch, LaunchTarget
from lite.runtime.nested import NestedRuntime
from lite.runtime.segment import LODS, Env

AsLaunches = Callable[[NestedRuntime, Sequence[Array]], BlockLaunches | None]
"""Makes the launches of a sub-block; see `lite.runtime.block_launches`."""


class Buffers(NamedTuple):
    """Whether results are written to buffers, and how the block then becomes launches."""

    has_buffers: bool
    as_launches: AsLaunches


class Block:
    """The runtime of a sub-block, and its launches once they are known."""

    def __init__(self, runtime: NestedRuntime, buffers: Buffers) -> None:
        self.runtime = runtime
        self.has_buffers = buffers.has_buffers
        self._as_launches = buffers.as_launches
        self._launches: BlockLaunches | None = None
        self._is_known = False

    def launches(self, args: Sequence[Array]) -> BlockLaunches | None:
        """The launches for arguments of these sizes, which are the same each time."""
        if not self._is_known:
            try:
                self._launches = self._as_launches(self.runtime, [np.empty_like(each) for each in args])
            except (LiteError, *KERNEL_ERRORS):
                self._launches = None  # a run that gets into the block raises the error
            self._is_known = True
        return self._launches


class BlockStep:
    """A step that runs the runtime of a sub-block, `inner`, any number of times.

    `run` runs it with values, their LoDs and arrays for results by position; it returns results and LoDs.
    """

    run: Callable[..., tuple[list[Any], list[Lod]]]

    def __init__(self, block: Block, outs: Sequence[int], metas: Mapping[int, Meta]) -> None:
        self.block, self.inner, self.outs = block, block.runtime, outs
        self.checks: Sequence[Check] = ()
        """What finds the errors of its launches."""
        self._promised = [
            (meta.sizes, meta.dtype.numpy) if meta.is_static else None for meta in (metas[n] for n in outs)
        ]

    @property
    def runtimes(self) -> Sequence[NestedRuntime]:
        """The runtimes that run the sub-block."""
        return [self.inner]

    def run_by(self, runtime: NestedRuntime) -> None:
        """Run the sub-block, and nothing in place of it, by another runtime."""
        self.inner, self.run = runtime, runtime.run

    def __call__(self, env: Env) -> None:
        """Run."""
        raise NotImplementedError

    def launches(self, env: Env, target: LaunchTarget | None) -> list[Launch]:
        """One launch that does all the work, on the arrays of a run; empty where there is none.

        `target` makes it where the block has no launches of its own.
        """
        raise NotImplementedError

    def store(self, env: Env, values: Sequence[Any], lods: Sequence[Lod]) -> None:
        """Store the results; raises `ExecutionError` for one that is not as later steps were bound to it."""
        for index, value, lod, promised in zip(self.outs, values, lods, self._promised, strict=False):
            if promised is not None and value is not None and (value.shape, value.dtype) != promised:
                (shape, dtype), found = promised, f"{value.dtype} {list(value.shape)}"
                raise ExecutionError(f"a block was expected to compute {dtype} {list(shape)}, got {found}")
            if not self.block.has_buffers or value is None:
                env[index] = value
            elif value is not env[index]:
                np.copyto(env[index], value)
            env[LODS][index] = lod

    def arrays(self, env: Env, indices: Sequence[int]) -> list[Array] | None:
        """The values as arrays that launches take; None where one of them has a LoD, or is none."""
        values = [env[index] for index in indices]
        is_plain = all(isinstance(value, np.ndarray) and value.flags.c_contiguous for value in values)
        return values if is_plain and not any(env[LODS].get(index) for index in indices) else None


def holds(condition: Any) -> bool:
    """The element of a condition; raises `ExecutionError` unless there is exactly one."""
    if isinstance(condition, np.ndarray) and condition.size == 1:
        return bool(condition.item())
    if condition is None or np.size(condition) != 1:
        raise ExecutionError(f"a condition must have exactly one element, got shape {np.shape(condition)}")
    return bool(np.asarray(condition).reshape(()))
