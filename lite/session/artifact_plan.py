"""The planned model of an artifact: from its plan, or from its origin where the plan does not fit."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from lite.artifact.artifact import Artifact, packs_of_other_machines
from lite.artifact.stored_packs import StoredPacks
from lite.config import Config
from lite.errors import GraphError, ModelParseError, PluginError
from lite.passes.base import PassContext
from lite.runtime.threads import limited_blas
from lite.session.build import optimize
from lite.session.built import Built
from lite.session.built_record import built_of
from lite.session.context import pass_context
from lite.subgraph.recipe import Recipe

log = logging.getLogger(__name__)


def artifact_plan(artifact: Artifact, config: Config, reasons: Sequence[str]) -> Built:
    """The planned model, from the plan of the artifact unless there are `reasons` against it.

    Raises `ModelParseError` for a damaged artifact, and for one that has no origin where it is needed.
    """
    context = pass_context(config)
    if config.recipe is None and artifact.recipe() is not None:
        recipe = Recipe.of(artifact.recipe(), "in the artifact")
        context = replace(context, subgraph=replace(context.subgraph, recipe=recipe))
    reasons = [*reasons, *_unusable_devices(context)]
    built = None
    if not reasons:
        try:
            built = _planned(artifact, context)
        except (GraphError, PluginError) as error:
            reasons.append(f"its plan cannot be used: {error}")
    if built is None:
        built = _optimized(artifact, config, context, reasons)
    return replace(built, config=config)


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


def _optimized(artifact: Artifact, config: Config, context: PassContext, reasons: list[str]) -> Built:
    """The planned model from the origin program."""
    source = artifact.container.source
    sentence = f"the model is optimised again: {'; '.join(reasons)}"
    try:
        program = artifact.origin()
    except ModelParseError as error:
        raise ModelParseError(f"{error}; it is needed, as {sentence}") from error
    with limited_blas(1):
        built = optimize(program, config, context=context).built(config)
    log.warning("%s: %s", source, sentence)
    built.placed.warnings.append(sentence)
    return replace(built, artifact=artifact)


def _report(built: Built, artifact: Artifact, notes: list[str]) -> None:
    for sentence in notes:
        log.warning("%s: %s", artifact.container.source, sentence)
        built.placed.warnings.append(sentence)


def _unusable_devices(context: PassContext) -> list[str]:
    roster = context.subgraph.roster
    facts = [(device.name, roster.facts(device).why_not) for device in context.devices]
    return [f"device {name} cannot be used: {why_not}" for name, why_not in facts if why_not is not None]
