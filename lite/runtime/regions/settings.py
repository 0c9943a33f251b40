"""How regions are built, run and replaced by the host."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from lite.ir.graph import Graph
from lite.ir.types import Array, Lod
from lite.plan import Plan
from lite.runtime.regions.warn_once import WarnOnce

if TYPE_CHECKING:
    from lite.cache import CacheDirectory, WeightHashes

MAX_SPLITS = 3
"""How often the rest of a region is given to its device again, without the op that failed."""

Listener = Callable[[str], None]
"""Receives a sentence for each model that a device starts to build."""


class HostRuntime(Protocol):
    """Runs a region's ops on the host, one run at a time."""

    def run(
        self, args: Sequence[Any], lods: Sequence[Lod] = (), outputs: Mapping[int, Array] | None = None
    ) -> tuple[list[Any], list[Lod]]:
        """The results and their LoDs; `outputs` are arrays to write results to, by position."""


HostPlan = Callable[[str], HostRuntime]
"""Makes a runtime with a strategy for buffers; all runtimes of one host plan share its weights."""


@dataclass(frozen=True)
class ModelCache:
    """Where device models are kept, and what their keys need.

    `specs` is the text that named each device, with its options.
    """

    store: CacheDirectory
    weights: WeightHashes
    specs: Mapping[str, str]


@dataclass(frozen=True)
class RegionSettings:
    """How regions are built and what happens when one fails.

    `build` plans a graph for the host; no device takes the ops it names.  `make_host` turns such a plan
    into runtimes, and `run_passes` takes a graph through passes.  `splits` counts how many of `MAX_SPLITS`
    are left.  The first failure of each kind and device is a warning; the report has all.  `host_threads`
    is entered while the host answers; several threads may enter it at once.
    """

    build: Callable[[Graph, Collection[str]], Plan]
    run_passes: Callable[[Graph, Sequence[str]], None]
    make_host: Callable[[Plan, RegionSettings], HostPlan]
    cache: ModelCache | None = None
    fallback: str = "warn"
    max_signatures: int = 4
    splits: int = MAX_SPLITS
    within: str = ""
    """The numbers of the regions around this one, each followed by a point."""
    host_threads: AbstractContextManager[None] = field(default_factory=nullcontext)
    listeners: list[Listener] = field(default_factory=list)
    failures: WarnOnce = field(default_factory=WarnOnce)
