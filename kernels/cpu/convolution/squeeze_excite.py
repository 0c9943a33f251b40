"""squeeze_excite on images in NHWC."""

from __future__ import annotations

import functools

import numpy as np

from lite.ir.types import DType, Layout
from lite.kernels.cpu.activation.activation import activation_of
from lite.kernels.cpu.arrays import padded_vector
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_channel_sums = Function("squeeze_excite.channel_sums")
_gates = Function("squeeze_excite.gates")
_scale_channels = Function("squeeze_excite.scale_channels")

_CHUNKS = 8
"""The parts of an image that are summed apart; their number does not depend on the number of threads."""

_SLOTS = ("Squeeze", "SqueezeBias", "Excite", "ExciteBias", "GateScale", "GateShift")


@kernel(
    "squeeze_excite",
    "cpu",
    dtype=DType.FLOAT32,
    layout=Layout.NHWC,
    slots=("X",),
    packs=_SLOTS,
    fallback="host",
)
def squeeze_excite(ctx: PrepareContext) -> KernelFunction | None:
    """``float32[N, H, W, C]`` times a gate per channel, with constant weights (Hu, Shen and Sun 2018).

    The gate is ``excite(Excite · s + ExciteBias) · GateScale + GateShift``, and s is
    ``squeeze(Squeeze · m + SqueezeBias)`` with the means m of the channels of X.
    """
    attrs = ctx.attrs
    squeezed = activation_of(attrs.text("squeeze_activation"), attrs.reals("squeeze_params"))
    excited = activation_of(attrs.text("excite_activation"), attrs.reals("excite_params"))
    if squeezed is None or excited is None:
        return None
    if any(ctx.inputs.get(slot) and ctx.constant(slot) is None for slot in _SLOTS):
        return None
    from lite.kernels.cpu.tile_sizes import LANES

    batch, height, width, channels = ctx.inputs["X"][0].sizes
    pixels, padded = height * width, -(-channels // LANES) * LANES
    filters = {slot: ctx.constant(slot) for slot in _SLOTS}
    squeeze = ctx.shared("squeeze", lambda: _rows(filters["Squeeze"], padded))
    excite = ctx.shared("excite", lambda: _rows(_transposed(filters["Excite"]), padded))
    squeeze_bias = ctx.shared(
        "squeeze bias", lambda: padded_vector(filters["SqueezeBias"], len(squeeze), 1, len(squeeze))
    )
    excite_bias, scale, shift = (
        ctx.shared(slot, functools.partial(padded_vector, filters[slot], channels, 1, padded, default))
        for slot, default in (("ExciteBias", 0.0), ("GateScale", 1.0), ("GateShift", 0.0))
    )
    chunks = min(_CHUNKS, max(1, pixels * channels // 32768))
    totals, gate = np.zeros((batch * chunks, padded), np.float32), np.zeros(padded, np.float32)
    sum_channels = _channel_sums.bind(
        FREE,
        totals,
        pixels,
        chunks,
        channels,
        padded,
        count=batch * chunks,
        cost=PER_ELEMENT * batch * pixels * channels,
    )
    bound_gates = [
        _gates.bind(
            totals, n * chunks, (n + 1) * chunks, pixels, squeeze, squeeze_bias, excite, excite_bias,
            squeezed.flags, squeezed.parameters, excited.flags, excited.parameters, scale, shift, gate,
            len(squeeze), padded,
        )
        for n in range(batch)
    ]  # fmt: skip
    bound_products = [
        _scale_channels.bind(
            FREE, gate, FREE, channels, n * pixels, count=pixels, cost=PER_ELEMENT * pixels * channels
        )
        for n in range(batch)
    ]

    def run(X: Array, *, out: Array | None = None) -> Array:
        y = np.empty(X.shape, np.float32) if out is None else out
        sum_channels(X)
        for compute_gate, multiply in zip(bound_gates, bound_products, strict=True):
            compute_gate()
            multiply(X, y)
        return y

    return only_launches(run)


def _transposed(weight: Array | None) -> Array:
    """``[S, C]`` of a filter ``[C, S, 1, 1]`` in any layout."""
    assert weight is not None
    return weight.reshape(len(weight), -1).T


def _rows(weight: Array | None, padded: int) -> Array:
    """The rows of a filter, ``float32[rows, padded]``."""
    assert weight is not None
    matrix = weight.reshape(len(weight), -1)
    rows = np.zeros((len(matrix), padded), np.float32)
    rows[:, : matrix.shape[1]] = matrix
    return rows
