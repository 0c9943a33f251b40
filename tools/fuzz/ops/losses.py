"""Losses, caches that are written in place, and gated products of two halves."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.tools.fuzz.draw import Draw, Value, row
from lite.tools.fuzz.evaluate import Rejected


@row(0.2)
def losses(d: Draw) -> Value:
    """NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss, weighted, with an ignored class."""
    if d.opset < 12:
        raise Rejected("no losses yet")
    op = d.pick(("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"))
    batch, classes = d.integer(1, 4), d.integer(2, 5)
    spatial = d.dims(d.integer(0, 2), 1, 3)
    rng = np.random.default_rng(d.random.randrange(2**32))
    target = rng.integers(0, classes, (batch, *spatial)).astype(d.pick(("int64", "int32")))
    if 0 in spatial:
        raise Rejected("no element")
    # Nothing checks that both have the same sizes.
    scores = d.input(d.array((batch, classes, *spatial)), is_fixed=True)
    attrs: dict[str, Any] = {"reduction": d.pick(("mean", "sum", "none"))} if d.chance(0.7) else {}
    if d.chance(0.3):
        attrs["ignore_index"] = d.integer(0, classes - 1)
        target.flat[0] = (attrs["ignore_index"] + 1) % classes
    weight = [d.constant(np.abs(d.array((classes,))) + np.float32(0.2))] if d.chance(0.4) else []
    outputs = 2 if op == "SoftmaxCrossEntropyLoss" and d.chance(0.4) else 1
    return d.nodes_outputs(op, [scores, d.input(target, is_fixed=True), *weight], outputs, **attrs)[0]


@row(0.15)
def tensor_scatter(d: Draw) -> Value:
    """TensorScatter: rows of a cache are replaced, linearly and in a circle."""
    if d.opset < 24:
        raise Rejected("no TensorScatter yet")
    batch, heads, most, size = d.integer(1, 3), d.integer(1, 2), d.integer(2, 6), d.integer(1, 4)
    rows = d.integer(1, most)
    has_heads = d.chance(0.6)
    cache = d.input(d.array((batch, heads, most, size) if has_heads else (batch, most, size)))
    update = d.input(d.array((batch, heads, rows, size) if has_heads else (batch, rows, size)))
    mode = d.pick(("linear", "circular"))
    limit = most - 1 if mode == "circular" else most - rows
    tail = []
    if d.chance(0.7):
        tail = [d.input(np.asarray([d.integer(0, limit) for _ in range(batch)], "int64"))]
    return d.node("TensorScatter", [cache, update, *tail], mode=mode, axis=-2)


@row(0.1)
def cumulative_product(d: Draw) -> Value:
    """CumProd and SwiGLU of the newest operator sets."""
    x = d.value(low=1, where=lambda v: v.shape[-1] % 2 == 0 and 0 not in v.shape)
    if d.opset < 26:
        raise Rejected("not yet")
    if d.chance(0.5):
        return d.node("SwiGLU", [x])
    axis = d.constant(np.asarray(d.integer(0, x.rank - 1), "int64"))
    return d.node("CumProd", [x, axis], exclusive=d.integer(0, 1), reverse=d.integer(0, 1))
