"""Settings of regions: how they are built and cached, and what happens when one fails."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

from lite.dataclass import dataclass
from lite.ir.graph import Graph
from lite.ir.limits import Limits
from lite.ir.types import Array, Lod
from lite.plan import Plan
from lite.runtime.regions.groups import LoadedGroups
from lite.runtime.regions.model_cache import ModelCache
from lite.runtime.regions.warn_once import WarnOnce
from lite.runtime.threads import Threads

MAX_SPLITS = 3
"""How often the device gets the rest of a region again, without the op that failed."""

Listener = Callable[[str], None]
"""Receives a sentence for each model that a device starts to build."""


class HostRuntime(Protocol):
    """Runs a region's ops on the host, one run at a time."""

    def run(
        self, args: Sequence[Any], lods: Sequence[Lod] = (), outputs: Mapping[int, Array] | None = None
    ) -> tuple[list[Any], list[Lod]]:
        """The results and their LoDs; `outputs` are arrays to write results to, by position."""


HostPlan = Callable[[str], HostRuntime]
"""Makes a runtime from the name of a strategy for buffers; the runtimes of one plan share its weights."""


@dataclass(frozen=True)
class RegionSettings:
    """How regions are built, and what happens when one fails.

    `build` plans a region's graph for the host.  With names of ops, these run on the host, and the devices
    get the others.  `make_host` makes runtimes of such a plan; `run_passes` runs passes over a graph.
    `splits` is how many of `MAX_SPLITS` are left.  The first failure of each kind and device is a warning
    (`failures`); the report has all of them.  `host_threads` calls the host when it runs a region; several
    threads may enter it at once.  `listeners` are called before a device builds a model.
    """

    build: Callable[[Graph, Collection[str]], Plan]
    run_passes: Callable[[Graph, Sequence[str]], None]
    make_host: Callable[[Plan, RegionSettings], HostPlan]
    cache: ModelCache | None = None
    fallback: str = "warn"
    max_signatures: int = 4
    splits: int = MAX_SPLITS
    side_by_side: str = "auto"
    """Which regions may run beside the host and each other: see `Config.side_by_side`."""
    within: str = ""
    """The numbers of the regions around this one, each followed by a point, such as ``0.2.``."""
    host_threads: Threads = field(default_factory=Threads)
    specs: Mapping[str, str] = field(default_factory=dict)
    """The text that named each device, with options."""
    limits: Limits = Limits()
    """The most that a run may ask for."""
    listeners: list[Listener] = field(default_factory=list)
    failures: WarnOnce = field(default_factory=WarnOnce)
    groups: LoadedGroups = field(default_factory=LoadedGroups)
