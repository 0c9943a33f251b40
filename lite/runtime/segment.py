"""Segment: a part of a plan that was bound in one go, up to where shapes depend on data."""

from __future__ import annotations

import enum
from collections.abc import Callable, Hashable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.ops import Meta
from lite.plugin.kernel.launches import Check
from lite.plugin.kernel.scratch import ScratchRequests
from lite.plugin.kernel.tensor_array import is_tensor_array
from lite.runtime.allocation import allocate

if TYPE_CHECKING:
    from lite.runtime.open_signatures import OpenSignatures

Env = list[Any]
"""The values of one run by value index: arrays, lists of arrays, target objects, or None.

Two more elements follow: at `NOTHING` None, which absent slots read; at `LODS` the LoDs that kernels
returned, by value index.
"""

NOTHING = -2
LODS = -1

Step = Callable[[Env], None]
"""Runs a part of an instruction: reads arguments from a run's values, and stores results there."""


class Task(NamedTuple):
    """The steps of one instruction in a lane, and by other lane how many of its tasks must finish before."""

    position: int
    steps: tuple[Step, ...]
    waits: tuple[tuple[int, int], ...]


Lane = tuple[Task, ...]
"""The tasks of a place, in the order in which it runs them."""


class Storage(enum.Enum):
    """The owner of a value's memory, which decides whether a run may return the value without a copy."""

    BORROWED = "the caller (an argument), the plan (a weight), or the binding (a folded value)"
    ARENA = "the runtime: a planned buffer, which the next run overwrites"
    FRESH = "the run: allocated for this run only"


@dataclass(frozen=True)
class Buffer:
    """A planned buffer: `size` bytes at `offset` of an arena, in use from instruction `first` to `last`.

    `names` are the values that occupy it one after the other, each computed in place of the one before.
    Views of them are not listed.
    """

    names: tuple[str, ...]
    offset: int
    size: int
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class JoinedSteps:
    """Steps in which neighbouring ones that only launch are one; `positions` are the instructions of each.

    A step that launches several instructions has that of the first.
    """

    steps: list[Step]
    positions: list[int]


NO_BUFFERS: Mapping[int, Array] = {}


@dataclass(eq=False)
class Segment:
    """The bound steps of the instructions from `start` to `stop`, exclusive.

    `prefill` are values that exist before the run: buffers, folded values, and views of them.  `fresh` are
    the results to allocate in each run.  `metas` and `storage` have an entry for every value so far.
    `split` are the values whose shapes only the run decides; the next segment depends on them.
    """

    start: int
    stop: int
    steps: list[Step]
    positions: list[int]
    """The instruction of each step, for messages."""
    prefill: list[tuple[int, Any]]
    fresh: list[tuple[int, tuple[int, ...], np.dtype[np.generic]]]
    metas: dict[int, Meta]
    storage: dict[int, Storage]
    split: tuple[int, ...] = ()
    arena: Array = field(default_factory=lambda: np.empty(0, np.uint8))
    """The memory of the buffers, ``uint8[bytes]``."""
    layout: tuple[Buffer, ...] = ()
    """The buffers in the arena."""
    scratch: tuple[ScratchRequests, ...] = ()
    """The scratch memory that kernels asked for; the runtime provides it."""
    uses_blas: bool = True
    """Whether a step may use BLAS, whose threads are limited first."""
    key: SegmentKey = (None, ())
    launching: Mapping[Step, Check | None] = field(default_factory=dict)
    """The steps that only launch compiled functions, with what finds their errors."""
    joined: JoinedSteps | None = None
    """The steps of later runs, made from what the first run launched."""
    is_open: bool = False
    """Whether sizes of its values may be unknown."""
    following: OpenSignatures | None = None
    """The signatures of the values that the next segment depends on."""
    lanes: tuple[Lane, ...] = ()
    """The steps by lane, the host's first; none where the steps run one after the other."""

    @property
    def arena_bytes(self) -> int:
        """Size of the arena."""
        return len(self.arena)

    def enter(self, env: Env, buffers: Mapping[int, Array] = NO_BUFFERS) -> None:
        """Enter what exists before the steps, and the results: `buffers` that fit, or new arrays."""
        for index, value in self.prefill:
            env[index] = value
        for index, shape, dtype in self.fresh:
            array = buffers.get(index)
            fits = array is not None and array.shape == shape and array.dtype == dtype
            env[index] = array if fits else allocate(shape, dtype)


SegmentKey = tuple[Segment | None, Hashable]
"""A segment's key in its runtime: the segment before it, and the signature of the values it depends on."""


def signature(value: object, lod: object) -> Hashable:
    """The properties of a value that binding depends on.

    Shape, dtype and LoD of an array; only the LoD of a list, which may have another length in each iteration
    of a loop, and of a target's object.
    """
    if isinstance(value, np.ndarray):
        return (value.shape, value.dtype, lod)
    return (is_tensor_array(value), lod)
