"""CPU_LAUNCHES: what this target does with launches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lite.kernels.cpu.native.control_lists import branch, loop
from lite.kernels.cpu.native.launch_list import LaunchList, join
from lite.plugin.kernel import Array
from lite.plugin.kernel.compilation import NotCompiledError
from lite.plugin.kernel.launches import BlockLaunches, Launch, LaunchTarget, LoopEnd, Place


class _CpuLaunches:
    """Joins launches, and makes loops and branches of them; see `LaunchTarget`."""

    def join(self, launches: Sequence[Launch], places: Sequence[Sequence[Place]]) -> LaunchList:
        """One call of several jobs."""
        return join(launches, places)

    def branch(
        self,
        block: BlockLaunches,
        condition: Array,
        args: Sequence[Array],
        outs: Sequence[Array],
        carried: int,
    ) -> Launch | None:
        """The launch of `launch_list.run_branch`; None where it is not compiled yet."""
        try:
            call, arrays = branch(block, condition, args, outs, carried)
        except NotCompiledError:
            return None
        return Launch(arrays, call, self)

    def loop(
        self,
        block: BlockLaunches,
        args: Sequence[Array],
        outs: Sequence[Array],
        limit: int,
        collected: Sequence[Array] = (),
    ) -> tuple[Launch, Callable[[], LoopEnd]] | None:
        """The launch of `launch_list.run_loop`; None where it is not compiled yet."""
        try:
            call, arrays, last_end = loop(block, args, outs, collected, limit)
        except NotCompiledError:
            return None
        return Launch(arrays, call, self), last_end


CPU_LAUNCHES: LaunchTarget = _CpuLaunches()
