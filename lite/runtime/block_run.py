"""BlockRun: runs of a sub-block, by the short way where the block is one launch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lite.ir.types import NO_LOD, Array, Lod
from lite.runtime.direct_run import DirectRun
from lite.runtime.direct_segment import direct_run
from lite.runtime.nested import NestedRuntime
from lite.runtime.segment import Segment


class BlockRun:
    """Runs the runtime of a sub-block.

    A block of a few small ops takes less time than the bookkeeping of a general run.  Arguments for which the
    block has run twice in a row, and is one launch (`direct_run`), take the short way from then on, until a
    run has others.
    """

    def __init__(self, runtime: NestedRuntime) -> None:
        self._runtime = runtime
        self._segment: Segment | None = None
        """The segment of the last general run."""
        self._direct: DirectRun | None = None
        names = runtime.plan.result_names
        self._is_possible = len(set(names)) == len(names)
        self._lods = [NO_LOD] * len(names)

    def __call__(
        self, values: list[Any], lods: Sequence[Lod], outputs: Mapping[int, Array] | None = None
    ) -> tuple[list[Any], list[Lod]]:
        """The results and their LoDs; a general run writes results to `outputs`, arrays by position."""
        if self._direct is not None and not any(lods):
            results = self._direct(values)
            if results is not None:
                return [*results.values()], self._lods.copy()
        general = self._runtime.run(values, lods, outputs)
        segment = self._runtime.last_segment if self._is_possible else None
        if segment is not None and segment is self._segment:
            plan = self._runtime.plan
            names = [str(number) for number in range(len(plan.args))]
            self._direct = direct_run(plan, segment, names, self._direct, alone=False)
        self._segment = segment
        return general
