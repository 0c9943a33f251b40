"""Planned models as JSON, which the cache stores with their plans, and back."""

from __future__ import annotations

import logging
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from lite.cache.plan_serde import Record
from lite.passes.base import PassContext
from lite.plan import Plan
from lite.session.built import Built, PredictorParts
from lite.session.input_record import inputs_of, inputs_record
from lite.subgraph.report import MeasuredPlacement, OpReport, PlacementReport, RegionReport, TensorReport

if TYPE_CHECKING:
    from lite.cache.packed_weights import Packs

log = logging.getLogger(__name__)


def record_of(built: Built | PredictorParts) -> Record:
    """A planned model without its plan, as JSON."""
    return {
        "inputs": inputs_record(built.inputs),
        "outputs": list(built.output_names),
        "memory": built.memory,
        "placed": {**asdict(built.placed), "entered": [asdict(op) for op in built.placed.ops]},
    }


def built_of(context: PassContext, record: Record, plan: Plan, packs: Packs) -> Built:
    """The planned model of a `record_of` and a plan; its warnings are logged again.

    Raises `ValueError`, `TypeError` or `LookupError` for an invalid record.
    """
    inputs = [
        replace(spec, is_array=plan.values[index].is_array)
        for spec, index in zip(inputs_of(record), plan.args, strict=True)
    ]
    outputs, memory, placed = list(record["outputs"]), str(record["memory"]), _placed(record["placed"])
    for sentence in placed.warnings:
        if sentence not in context.subgraph.roster.warnings:
            log.warning("%s", sentence)
    return Built(inputs, outputs, plan, memory, placed, context, packs=packs)


def _placed(record: Record) -> PlacementReport:
    regions = [
        RegionReport(**{**region, "tensors": [TensorReport(**tensor) for tensor in region["tensors"]]})
        for region in record["regions"]
    ]
    ops = [OpReport(**op) for op in record["entered"]]
    pruned = [(device, count, reason) for device, count, reason in record["pruned"]]
    entered = {(op.block, op.name): op for op in ops}
    measured = [MeasuredPlacement(**row) for row in record.get("measured", ())]
    replaced = {"regions": regions, "pruned": pruned, "entered": entered, "measured": measured}
    return PlacementReport(**{**record, **replaced})
