"""Losses that models for inference may contain, softened labels, and a masked softmax."""

from __future__ import annotations

from lite.ops.attrs import choice
from lite.ops.broadcast import broadcast_right
from lite.ops.rules import checked_axis, same_as
from lite.ops.schema import op
from lite.ops.view import Inferred, Meta, OpView


def _cross_entropy(op: OpView) -> Inferred:
    logits = op["Logits"]
    axis = checked_axis(op, logits, op.integer("axis"), "attribute axis")
    shape = (*logits.dims[:axis], 1, *logits.dims[axis + 1 :])
    return {"Softmax": Meta(logits.dtype, logits.shape), "Loss": Meta(logits.dtype, shape)}


def _kldiv(op: OpView) -> Meta:
    return Meta(op["X"].dtype, op["X"].shape if op.text("reduction") == "none" else ())


def _huber(op: OpView) -> Inferred:
    meta = Meta(op["X"].dtype, broadcast_right(op, op["X"].dims, op["Y"].dims))
    return {"Out": meta, "Residual": meta}


op(
    "softmax_with_cross_entropy",
    "Softmax along an axis, and its cross entropy with labels.",
    "Logits:float Label",
    "Softmax? Loss",
    _cross_entropy,
    attrs={"soft_label": False, "use_softmax": True, "ignore_index": -100, "axis": -1},
)


def _masked(op: OpView) -> Meta:
    return Meta(op["X"].dtype, broadcast_right(op, op["X"].dims, op["Mask"].dims))


op("fused_softmax_mask", "Softmax of X + Mask along the last axis.", "X:float Mask:float", "Out", _masked)
op("bce_loss", "Binary cross entropy of probabilities.", "X:float Label:float", "Out", same_as("X"))
op(
    "kldiv_loss",
    "Kullback-Leibler divergence of logarithms X from Target.",
    "X:float Target:float",
    "Loss",
    _kldiv,
    attrs={"reduction": choice("mean", "batchmean", "none", "sum"), "log_target": False},
)
op(
    "log_loss",
    "Negative log-likelihood of probabilities.",
    "Predicted:float Labels:float",
    "Loss",
    same_as("Predicted"),
    attrs={"epsilon": 1e-4},
)
op(
    "huber_loss",
    "Squares of small differences, and straight lines beyond delta.",
    "X:float Y:float",
    "Out Residual?",
    _huber,
    attrs={"delta": 1.0},
)
op(
    "sigmoid_cross_entropy_with_logits",
    "Binary cross entropy of logits.",
    "X:float Label:float pos_weight?:float",
    "Out",
    same_as("X"),
    attrs={"normalize": False, "ignore_index": -100},
)
op(
    "label_smooth",
    "Labels mixed with a distribution, by default the uniform one.",
    "X:float PriorDist?:float",
    "Out",
    same_as("X"),
    attrs={"epsilon": 0.0},
)
