"""Losses: Paddle nll_loss."""

from __future__ import annotations

from lite.ops.schema import choice, op
from lite.ops.view import Inferred, Meta, OpView


def _nll_loss(op: OpView) -> Inferred:
    x = op["X"]
    if x.rank != op["Label"].rank + 1:
        raise op.error("Label", f"an axis less than X {x}", op["Label"])
    shape = op["Label"].dims if op.text("reduction") == "none" else ()
    return {"Out": Meta(x.dtype, shape), "Total_weight": Meta(x.dtype, ())}


op(
    "nll_loss",
    "X:float/2- Label:int/1- Weight?:float/1",
    "Out Total_weight?",
    _nll_loss,
    attrs={"ignore_index": -100, "reduction": choice("mean", "sum", "none")},
)
