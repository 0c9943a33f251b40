"""The engines of a predictor's regions; imports what regions need only for a plan that has some."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from lite.config import Config
from lite.runtime.threads import Threads
from lite.session.built import Built
from lite.session.region_report import engines_of

if TYPE_CHECKING:
    from lite.runtime.executor import Runtime
    from lite.runtime.plan_state import MakeEngine, PlanState
    from lite.runtime.regions.settings import RegionSettings


def settings_of_plan(config: Config, built: Built, threads: Threads) -> RegionSettings | None:
    """The settings of the regions of a plan; None for a plan without regions."""
    if not built.plan.has_regions:
        return None
    from lite.session.region_settings import region_settings

    return region_settings(config, built.context, threads, built.artifact)


def make_engine(settings: RegionSettings | None) -> MakeEngine | None:
    """The maker of engines with these settings; None without regions."""
    if settings is None:
        return None
    from lite.runtime.regions.engine import SubgraphEngine

    return partial(SubgraphEngine, settings=settings)


def compile_regions(state: PlanState, runtime: Runtime, arguments: Sequence[Sequence[Any]]) -> None:
    """Compile regions for several sets of arguments together, on devices whose models share weights."""
    if not any(engine.region.device.shares_weights for engine in engines_of(state)):
        return
    from lite.runtime.regions.compile_together import compile_together

    compile_together([part for args in arguments for part in runtime.parts(args)])
