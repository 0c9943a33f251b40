"""NestedRuntime: a runtime as seen by the steps that run a plan inside a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from lite.ir.types import Array, Lod, Shape
from lite.plan import Plan
from lite.runtime.plan_state import PlanState
from lite.runtime.segment import Env, Segment

if TYPE_CHECKING:
    from lite.runtime.binding.state import RegionParts
    from lite.runtime.open_signatures import OpenSignatures


MAX_ELEMENTS = 8
"""Largest number of elements of an argument that branches may be resolved by."""

KINDS = ("b", "u", "i")
"""Kinds of dtypes, in numpy's letters, of arguments that branches may be resolved by."""


class LastRun(NamedTuple):
    """How a run began: `runtime` ran `segment` first.

    So do all runs on arguments of these shapes that have the same `elements`: those of some arguments, by
    number, on which branches depend.
    """

    runtime: NestedRuntime
    segment: Segment
    elements: Sequence[tuple[int, bytes | None]]


def elements_of(value: Any) -> bytes | None:
    """The elements by which branches may be resolved; None for other values."""
    is_small = isinstance(value, np.ndarray) and value.size <= MAX_ELEMENTS and value.dtype.kind in KINDS
    return value.tobytes() if is_small else None


class NestedRuntime(Protocol):
    """Runs a loop's body, a branch or a region; implemented by `lite.runtime.executor.Runtime`."""

    state: PlanState
    plan: Plan
    memory: str
    signatures: OpenSignatures
    """The signatures of the arguments, of which one segment may serve many."""

    @property
    def last_run(self) -> LastRun | None:
        """How the last run began; None before the first one."""

    @property
    def inlined(self) -> Sequence[NestedRuntime]:
        """The runtimes that replace this one where branches are known."""

    @property
    def scratch_bytes(self) -> int:
        """Size of the scratch memory of the kernels."""

    def run(
        self, args: Sequence[Any], lods: Sequence[Lod] = (), outputs: Mapping[int, Array] | None = None
    ) -> tuple[list[Any], list[Lod]]:
        """The results and their LoDs; `outputs` are arrays to write results to, by position."""

    def prepare(self, args: Sequence[Any], lods: Sequence[Lod] = ()) -> Segment:
        """Bind for arguments of these shapes without running."""

    def for_arguments(self, args: Sequence[Any], lods: Sequence[Lod] = ()) -> NestedRuntime:
        """The runtime that runs arguments of these shapes: this one, or one without the known branches."""

    def entered(self, segment: Segment, args: Sequence[Any]) -> Env:
        """The values of a run before its first step."""

    def run_rest(self, segment: Segment, env: Env) -> Segment:
        """Run the segments after the first one; the last one."""

    def parts(self, args: Sequence[Any]) -> RegionParts:
        """The regions that `prepare` binds for arguments without LoDs, with the metas of their inputs."""

    def bound_shapes(self) -> list[tuple[Shape | None, ...]]:
        """The shapes of the arguments for which the plan is bound."""

    def segments(self) -> Iterator[Segment]:
        """All bound segments, each before those that follow it."""


MakeRuntime = Callable[[PlanState], NestedRuntime]
"""Makes the runtime of a sub-block."""
