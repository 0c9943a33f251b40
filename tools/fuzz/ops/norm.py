"""Normalisations of batches and layers."""

from __future__ import annotations

import numpy as np

from lite.tools.fuzz.draw import Draw, Value, row
from lite.tools.fuzz.evaluate import Rejected
from lite.tools.fuzz.ops.windows import image


@row(0.9)
def batch_norm(d: Draw) -> Value:
    """BatchNormalization on ranks 1 to 5."""
    x = d.value(low=1, high=5, where=lambda v: 0 not in v.shape)
    return batch_norm_of(d, x)


def batch_norm_of(d: Draw, x: Value, *, constant: bool | None = None) -> Value:
    """BatchNormalization of a value."""
    n = x.shape[1] if len(x.shape) > 1 else 1
    fixed = d.chance(0.95) if constant is None else constant
    parameters = [d.array((n,)), d.array((n,)), d.array((n,)), np.abs(d.array((n,))) + np.float32(0.3)]
    inputs = [d.constant(p) if fixed else d.input(p) for p in parameters]
    return d.node("BatchNormalization", [x, *inputs], epsilon=d.pick((1e-5, 1e-3, 0.1)))


@row(0.4)
def layer_norm(d: Draw) -> Value:
    """All normalisations but BatchNormalization."""
    op = d.pick(
        (
            "LayerNormalization",
            "RMSNormalization",
            "InstanceNormalization",
            "GroupNormalization",
            "LpNormalization",
            "LRN",
            "MeanVarianceNormalization",
        )
    )
    if op in ("LayerNormalization", "RMSNormalization"):
        x = d.value(low=1, where=lambda v: 0 not in v.shape and v.shape[-1] > 1)
        axis = d.integer(0, x.rank - 1)
        shape = x.shape[axis:]
        inputs = [x, d.constant(d.array(shape))]
        if op == "LayerNormalization" and d.chance(0.7):
            inputs.append(d.constant(d.array(shape)))
        return d.node(op, inputs, axis=axis - x.rank if d.chance(0.5) else axis)
    x = image(d)
    n = x.shape[1]
    if op == "InstanceNormalization":
        if np.prod(x.shape[2:]) == 1:
            raise Rejected("one element has no variance, only what rounding leaves")
        return d.node(op, [x, d.constant(d.array((n,))), d.constant(d.array((n,)))])
    if op == "GroupNormalization":
        if n == 1:
            raise Rejected(
                "the reference takes one scale for any number of channels, unlike the specification"
            )
        groups = d.pick([g for g in range(1, n + 1) if n % g == 0])
        size = groups if d.opset < 21 else n
        return d.node(op, [x, d.constant(d.array((size,))), d.constant(d.array((size,)))], num_groups=groups)
    if op == "LpNormalization":
        return d.node(op, [x], axis=d.integer(0, x.rank - 1), p=d.integer(1, 2))
    if op == "LRN":
        return d.node(
            op, [x], size=d.pick((1, 3, 5)), alpha=d.real(0.01, 0.5), beta=d.real(0.3, 1), bias=d.real(0.5, 2)
        )
    axes = [0, 2, 3] if x.rank == 4 and d.chance(0.5) else [1]
    return d.node(op, [x], axes=axes)
