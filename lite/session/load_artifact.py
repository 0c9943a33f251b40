"""A planned model from an artifact; where a part of it does not fit this machine, that part is made again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace

from lite.artifact.artifact import Artifact, packs_of_other_machines
from lite.artifact.device_models import ArtifactModels, StoredDigests
from lite.artifact.meta import PLAN_VERSION
from lite.artifact.stored_packs import StoredPacks
from lite.cache import WeightHashes
from lite.cache.model_store import ModelStore
from lite.config import Config
from lite.errors import GraphError, ModelParseError, PluginError
from lite.ir.program import Program
from lite.passes.base import PassContext
from lite.plugin.device import DEVICES
from lite.plugin.loader import load_devices
from lite.runtime.regions.model_cache import ModelCache
from lite.session.built import Built
from lite.session.built_record import built_of
from lite.session.context import pass_context
from lite.session.saved_settings import with_settings
from lite.spec.grammar import parse_spec
from lite.subgraph.recipe import Recipe
from lite.version import VERSION

log = logging.getLogger(__name__)

Optimize = Callable[[Program, Config, PassContext], Built]
"""Optimises and plans a program."""


def built_from_artifact(config: Config, optimize: Optimize) -> Built:
    """The planned model of a Config that names an artifact, with the Config that results.

    A setting that the Config leaves at its default is the artifact's.  Where the plan does not fit, the
    origin program is optimised again.  Everything that is made again is a warning of the report and of the
    log.  Raises `ModelParseError` for a damaged artifact, and for one that has no origin where it is needed.
    """
    artifact = Artifact.open(config.source, config.limits)
    taken = with_settings(config, artifact.meta.settings, artifact.container.source)
    config, notes = _without_missing_devices(taken.config)
    context = pass_context(config)
    if config.recipe is None and artifact.recipe() is not None:
        recipe = Recipe.of(artifact.recipe(), "in the artifact")
        context = replace(context, subgraph=replace(context.subgraph, recipe=recipe))
    notes += _unusable_devices(context)
    reasons = [*notes, *_other_version(artifact), *(f"the Config sets {name}" for name in taken.changed)]
    if config.debug or config.dot_dir is not None:
        reasons.append("the Config asks for debugging")
    built = None
    if not reasons:
        try:
            built = _planned(artifact, context)
        except (GraphError, PluginError) as error:
            reasons.append(f"its plan cannot be used: {error}")
    if built is None:
        built = _optimized(artifact, config, context, reasons, optimize)
    return replace(built, config=config)


def model_cache(
    artifact: Artifact, config: Config, specs: Mapping[str, str], other: ModelStore | None
) -> ModelCache:
    """The cache of device models that has those of an artifact, and keeps new ones in `other`."""
    regions = artifact.regions()
    return ModelCache(
        ArtifactModels(regions.models, artifact.blob, other),
        StoredDigests(regions.arrays, regions.digests, WeightHashes(verify=config.verify_weights)),
        specs,
    )


def _planned(artifact: Artifact, context: PassContext) -> Built:
    """The planned model from the plan of an artifact."""
    stored = artifact.plan(context.devices)
    notes = packs_of_other_machines(stored.packed_for)
    packs = StoredPacks({} if notes else stored.packs)
    try:
        built = built_of(context, stored.record, stored.plan, packs)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise ModelParseError(
            f"{artifact.container.source}: the record of the plan is not valid: {error!r}"
        ) from error
    _check_interface(artifact, built)
    _report(built, artifact, notes)
    return replace(built, artifact=artifact)


def _check_interface(artifact: Artifact, built: Built) -> None:
    """Check that the inputs and outputs of the record are those of the plan."""
    plan = built.plan
    inputs = [plan.values[index] for index in plan.args]
    fits = len(inputs) == len(built.inputs) and all(
        spec.name == info.name and spec.dtype is info.dtype
        for spec, info in zip(built.inputs, inputs, strict=True)
    )
    if not fits or not all(name in plan.result_names for name in built.output_names):
        raise ModelParseError(
            f"{artifact.container.source}: the plan has other inputs or outputs than its record"
        )


def _optimized(
    artifact: Artifact, config: Config, context: PassContext, reasons: list[str], optimize: Optimize
) -> Built:
    """The planned model from the origin program."""
    source = artifact.container.source
    sentence = f"the model is optimised again: {'; '.join(reasons)}"
    try:
        program = artifact.origin()
    except ModelParseError as error:
        raise ModelParseError(f"{error}; it is needed, as {sentence}") from error
    built = optimize(program, config, context)
    log.warning("%s: %s", source, sentence)
    built.placed.warnings.append(sentence)
    return replace(built, artifact=artifact)


def _report(built: Built, artifact: Artifact, notes: list[str]) -> None:
    for sentence in notes:
        log.warning("%s: %s", artifact.container.source, sentence)
        built.placed.warnings.append(sentence)


def _other_version(artifact: Artifact) -> list[str]:
    producer = artifact.meta.producer
    if not artifact.has_plan:
        return ["it has no plan"]
    if producer.get("litebridge") == VERSION and producer.get("plan") == PLAN_VERSION:
        return []
    return [f"litebridge {producer.get('litebridge')} planned it, this is {VERSION}"]


def _without_missing_devices(config: Config) -> tuple[Config, list[str]]:
    """The Config without devices that are not installed, and a sentence for each of these."""
    kept, notes = [], []
    for text in config.devices:
        name = parse_spec(text).name
        load_devices(name)
        if name in DEVICES or config.fallback == "error":
            kept.append(text)
        else:
            notes.append(f"device {name} is not installed")
    return (config if not notes else replace(config, devices=kept)), notes


def _unusable_devices(context: PassContext) -> list[str]:
    roster = context.subgraph.roster
    facts = [(device.name, roster.facts(device).why_not) for device in context.devices]
    return [f"device {name} cannot be used: {why_not}" for name, why_not in facts if why_not is not None]
