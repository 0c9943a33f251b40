"""BlockRun: runs of a sub-block, by the short way where the block is one launch."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from lite.ir.types import NO_LOD, Array, Lod
from lite.runtime.direct_run import DirectRun
from lite.runtime.direct_segment import direct_run
from lite.runtime.nested import LastRun, NestedRuntime
from lite.runtime.segment import Segment
from lite.runtime.stepped_run import SteppedRun, stepped_run

MAX_WAYS = 8
"""Number of shapes of arguments whose last runs are kept."""


class BlockRun:
    """Runs the runtime of a sub-block.

    A block of a few small ops takes less time than the bookkeeping of a general run.  Arguments of shapes for
    which the block has run before take the short way from then on, by one launch (`direct_run`), or at least
    without the search for a segment (`stepped_run`).
    """

    def __init__(self, runtime: NestedRuntime) -> None:
        self._runtime = runtime
        self._ways: dict[Hashable, DirectRun | SteppedRun | Segment] = {}
        """By the shapes of the arguments: the short way, or the first segment of the last general run."""
        names = runtime.plan.result_names
        self._is_possible = len(set(names)) == len(names)
        self._lods = [NO_LOD] * len(names)

    def __call__(
        self, values: list[Any], lods: Sequence[Lod], outputs: Mapping[int, Array] | None = None
    ) -> tuple[list[Any], list[Lod]]:
        """The results and their LoDs; a general run writes results to `outputs`, arrays by position."""
        shapes = tuple([value.shape if isinstance(value, np.ndarray) else None for value in values])
        way = self._ways.get(shapes)
        if isinstance(way, (DirectRun, SteppedRun)) and not any(lods):
            results = way(values)
            if results is not None:
                return [*results.values()], self._lods.copy()
        general = self._runtime.run(values, lods, outputs)
        run = self._runtime.last_run if self._is_possible else None
        if run is not None and not run.segment.is_open and not any(general[1]):
            self._ways[shapes] = self._next_way(way, run)
        return general

    def _next_way(
        self, way: DirectRun | SteppedRun | Segment | None, run: LastRun
    ) -> DirectRun | SteppedRun | Segment:
        """What to keep after a general run."""
        segment, plan = run.segment, run.runtime.plan
        if way is None and len(self._ways) == MAX_WAYS:
            self._ways.clear()
        if way is not segment and not isinstance(way, (DirectRun, SteppedRun)):
            return segment
        before = way if isinstance(way, DirectRun) else None
        names = [str(number) for number in range(len(plan.args))]
        direct = direct_run(plan, segment, names, before, alone=False)
        return direct or stepped_run(run, names, way, lambda run, args: run(args)) or segment
