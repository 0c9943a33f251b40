"""HostPlans: the plans of a region's ops for the host."""

from __future__ import annotations

from lite.ir.clone import clone_graph
from lite.plan import Region
from lite.plugin.kernel.owned_lock import OwnedLock
from lite.runtime.regions.settings import HostPlan, RegionSettings


class HostPlans:
    """Plans for the host, or with smaller regions; one for all signatures, made when it is first needed.

    It does not refer to the region's models: what runs one of them keeps no other alive.
    """

    def __init__(self, region: Region) -> None:
        self._region = region
        self._plans: dict[tuple[str, ...], HostPlan] = {}
        self._lock = OwnedLock()

    def get(self, settings: RegionSettings, without: tuple[str, ...]) -> HostPlan:
        """The plan in which no smaller region has the ops `without`; without any, the host's."""
        with self._lock:
            if without not in self._plans:
                plan = settings.build(clone_graph(self._region.graph), without)
                self._plans[without] = settings.make_host(plan, settings)
            return self._plans[without]
