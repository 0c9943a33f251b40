"""Segment: the part of a plan that is bound in one go, up to where shapes depend on data."""

from __future__ import annotations

import enum
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lite.ops import Meta
from lite.plugin.kernel.scratch import ScratchRequests

Env = list[Any]
"""One run's values by index: arrays, lists of arrays, or None.  Behind them stand `NOTHING` (always
None, what an absent slot reads) and `LODS` (LoDs that kernels returned, by value index)."""

NOTHING = -2
LODS = -1

Step = Callable[[Env], None]


class Storage(enum.Enum):
    """Whose memory a value is, which decides whether a result may be handed out as it is."""

    BORROWED = "an argument's, a weight's, or computed at binding"
    ARENA = "a planned buffer, written again in the next run"
    FRESH = "allocated in this run"


@dataclass(frozen=True)
class Buffer:
    """A part of an arena: `size` bytes at `offset`, held from instruction `first` to `last`, inclusive.

    `names` are the values that lie there one after the other, each computed in the place of the one
    before; views of them are not listed.
    """

    names: tuple[str, ...]
    offset: int
    size: int
    first: int
    last: int


@dataclass(eq=False)
class Segment:
    """Bound steps from instruction `start` to `stop`, exclusive.

    `prefill` are values known before the run (buffers, folded values, views of those), `fresh` the
    buffers of results to allocate in each run.  `metas` and `storage` know every value so far.  When
    `split` names values, their shapes in this run decide how it goes on.
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
    arena_bytes: int = 0
    layout: tuple[Buffer, ...] = ()
    """What lies where in the arena."""
    scratch: tuple[ScratchRequests, ...] = ()
    """What kernels need for intermediate results, in memory of the runtime."""
    key: tuple[Segment | None, Hashable] = (None, ())
    """Where the runtime keeps it: the segment before it, and the signature of the values there."""


def signature(value: object, lod: object) -> Hashable:
    """What binding depends on in a value: shape, dtype and LoD of an array, the length of a list.

    Of an object of a target with memory of its own, only the LoD.
    """
    if isinstance(value, np.ndarray):
        return (value.shape, value.dtype, lod)
    return (len(value) if isinstance(value, list) else None, lod)
