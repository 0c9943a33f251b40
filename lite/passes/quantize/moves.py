"""Ops whose results have only numbers of their inputs, so that these stay numbers of a quantisation."""

from __future__ import annotations

from collections.abc import Mapping

from lite.ir.graph import Node, Quant, Value
from lite.ops import Trait, has_trait
from lite.passes.match import attributes
from lite.passes.quantize.parameters import can_round

_SLOTS: Mapping[str, str] = {
    "assign": "X",
    "concat": "X",
    "expand_v2": "X",
    "flip": "X",
    "nearest_interp_v2": "X",
    "pixel_shuffle": "X",
    "pool2d": "X",
    "shuffle_channel": "X",
    "slice": "Input",
    "split": "X",
    "stack": "X",
    "strided_slice": "Input",
    "tile": "X",
    "transpose2": "X",
}
"""The slot of the tensors that are moved, by op."""


def moved_slot(node: Node) -> str | None:
    """The slot of the tensors whose numbers an op only moves; None for other ops."""
    if node.op == "pool2d" and attributes(node).text("pooling_type") != "max":
        return None
    return "X" if has_trait(node.op, Trait.RESHAPE) else _SLOTS.get(node.op)


def moved_quant(node: Node) -> Quant | None:
    """The quantisation that the results of an op have because it only moves numbers.

    None for other ops, and where the inputs have none, one for each channel, or different ones.
    """
    slot = moved_slot(node)
    values = node.inputs.get(slot or "", ())
    quants = {value.quant for value in values}
    quant = quants.pop() if len(quants) == 1 else None
    if quant is None or quant.per_axis or any(not _is_exact(value, quant) for value in values):
        return None
    return quant


def _is_exact(value: Value, quant: Quant) -> bool:
    return not value.lod_level and value.dtype is not None and can_round(quant, value.dtype)
