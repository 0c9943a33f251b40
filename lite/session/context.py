"""Config → pass list and pass context; opens the Config's devices."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lite.config import CPU, Config
from lite.errors import ConfigError, suggest
from lite.ir.types import HOST, Place
from lite.passes.base import PassContext, PassResults, SubgraphOptions
from lite.passes.pipelines import (
    after_subgraphs,
    complete,
    default_pipeline,
    subgraph_passes,
    with_subgraphs,
)
from lite.plugin.device import Settings
from lite.plugin.device.roster import DeviceRoster
from lite.plugin.kernel import KERNELS
from lite.plugin.kernel.target import TARGETS
from lite.plugin.loader import load_all_kernels
from lite.session.devices import in_its_process
from lite.subgraph.report import PlacementReport
from lite.trusted_folder import trusted_or_private

# Imported late: only models with devices need these.
if TYPE_CHECKING:
    from lite.subgraph.measured_costs import MeasuredCosts
    from lite.subgraph.partition_rules import PartitionRules
    from lite.subgraph.recipe import Recipe
    from lite.subgraph.saved_plan import SavedPlan
    from lite.subgraph.tuned_placements import TunedPlacements


def pass_list(config: Config) -> list[str]:
    """The passes of a Config, with the mandatory ones added."""
    names = default_pipeline() if config.passes is None else complete(config.passes)
    return with_subgraphs(names) if config.devices else names


def pass_context(config: Config) -> PassContext:
    """The context for the passes of a Config; opens its devices.

    Raises `ConfigError` for unknown devices, and for partition rules with a device that the Config does not
    list; and `CompileError` for an unavailable device with ``Config(fallback="error")``.
    """
    _check_targets(config.valid_places or ())
    roster = _roster(config)
    devices = roster.open_all(config.devices)
    rules = _rules(config, [device.name for device in devices])
    for device in devices:
        roster.facts(device)
    names = pass_list(config)
    return PassContext(
        config.places,
        None if config.dot_dir is None else Path(config.dot_dir),
        config.memory,
        config.precision == "strict",
        config.limits,
        SubgraphOptions(
            devices,
            roster,
            config.placement,
            rules,
            config.min_subgraph_ops,
            _costs(config),
            subgraph_passes=tuple(subgraph_passes(names)),
            host_passes=tuple(after_subgraphs(names)),
            recipe=_recipe(config),
            pinned=_pinned(config, [device.name for device in devices]),
            tuned=_tuned(config),
        ),
        PassResults(placed=PlacementReport([device.name for device in devices])),
    )


def _check_targets(places: Sequence[Place | str]) -> None:
    """Raise `ConfigError` for a place whose target has no kernels."""
    wanted = {place.target if isinstance(place, Place) else place.split("/")[0] for place in places} - {
        HOST,
        CPU,
    }
    if not wanted:
        return
    load_all_kernels()
    known = {HOST, CPU, *TARGETS, *(place.target for _, place in KERNELS)}
    for target in sorted(wanted - known):
        raise ConfigError(
            f"valid_places: no target is called {target!r}{suggest(target, known)}; targets: "
            f"{', '.join(sorted(known))}; hardware is named by devices=[…]"
        )


def _roster(config: Config) -> DeviceRoster:
    settings = Settings(config.threads, config.precision)
    limit = config.time_limit
    return DeviceRoster(
        settings,
        config.fallback,
        lambda device, text: in_its_process(device, text, limit, isolate=config.isolate),
    )


def _rules(config: Config, devices: list[str]) -> PartitionRules | None:
    if config.partition_rules is None:
        return None
    from lite.subgraph.partition_rules import PartitionRules

    rules = PartitionRules.parse(config.partition_rules)
    for name in rules.devices:
        if name not in (HOST, *devices):
            known, near = ", ".join(devices) or "none", suggest(name, devices)
            raise ConfigError(
                f"partition rules: unknown device {name!r}{near}; the Config's devices: {known}"
            )
    return rules


def _recipe(config: Config) -> Recipe | None:
    if config.recipe is None:
        return None
    from lite.subgraph.recipe import Recipe

    return Recipe.read(config.recipe)


def _pinned(config: Config, devices: list[str]) -> SavedPlan | None:
    if config.plan is None:
        return None
    from lite.subgraph.saved_plan import SavedPlan

    plan = SavedPlan.read(config.plan)
    for region in plan.regions:
        if region.device not in devices:
            raise ConfigError(
                f"plan {config.plan}: it has a region on {region.device}; the Config's devices: "
                f"{', '.join(devices) or 'none'}"
            )
    return plan


def _costs(config: Config) -> MeasuredCosts | None:
    """The times that `litebridge tune` measured, for placement by cost."""
    if config.placement != "cost" or config.cache_dir is None:
        return None
    from lite.subgraph.measured_costs import COSTS_FILE, MeasuredCosts

    return MeasuredCosts.read(trusted_or_private(Path(config.cache_dir).absolute()) / COSTS_FILE)


def _tuned(config: Config) -> TunedPlacements | None:
    """The placements that `litebridge tune` measured whole, for placement by cost."""
    if config.placement != "cost" or config.cache_dir is None:
        return None
    from lite.subgraph.tuned_placements import TUNED_FILE, TunedPlacements

    return TunedPlacements.read(trusted_or_private(Path(config.cache_dir).absolute()) / TUNED_FILE)
