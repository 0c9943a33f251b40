"""rnn with constant weights: stacked layers of LSTM, GRU or simple cells."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.codes import GRU, LSTM, RNN_RELU, RNN_TANH
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.recurrent.rnn_layer import lengths_of, pack
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_copy_columns = Function("moves.layout.copy_columns")

_KINDS = {"LSTM": LSTM, "GRU": GRU, "RNN_TANH": RNN_TANH, "RNN_RELU": RNN_RELU}

_ORDERS = {LSTM: (0, 1, 3, 2), GRU: (0, 1, 2), RNN_TANH: (0,), RNN_RELU: (0,)}
"""For each gate of a cell, its place in Paddle's order."""


@kernel(
    "rnn",
    "cpu",
    dtype=DType.FLOAT32,
    slots=("Input", "PreState", "SequenceLength"),
    packs=("WeightList",),
    fallback="host",
)
def rnn(ctx: PrepareContext) -> KernelFunction | None:
    """Paddle's rnn op without dropout: Out ``float32[T, B, D * H]`` and the last states ``[L * D, B, H]``."""
    attrs, sizes = ctx.attrs, ctx.inputs["Input"][0].sizes
    metas = ctx.inputs["WeightList"]
    weights = [m.value for m in metas if m.value is not None and m.value.dtype == np.float32]
    if len(weights) != len(metas) or not all((*sizes, weights[0].size)):
        return None
    directions, count = 2 if attrs.flag("is_bidirec") else 1, attrs.integer("num_layers")
    kind, cells = _KINDS[attrs.text("mode")], directions * count
    biases = weights[2 * cells :]
    parts = [
        pack(
            kind,
            (weights[2 * n], weights[2 * n + 1]),
            (biases[2 * n], biases[2 * n + 1]) if biases else (None, None),
            _ORDERS[kind],
            str(n),
            ctx.shared,
        )
        for n in range(cells)
    ]

    steps, batch, inputs = sizes
    hidden = parts[0].hidden
    width = directions * hidden
    jobs = [
        part.bind(
            ctx,
            (steps, batch, inputs if n < directions else width),
            n,
            (n % directions * hidden, batch * width, width),
            backward=bool(n % directions),
            has_lengths=bool(ctx.inputs.get("SequenceLength")),
        )
        for n, part in enumerate(parts)
    ]
    copies = [
        _copy_columns.bind(FREE, FREE, size, size, 0, size, 0, count=1, cost=PER_ELEMENT * size)
        for size in (math.prod(meta.sizes) for meta in ctx.inputs["PreState"])
    ]
    read_lengths = lengths_of(ctx)
    between = [ctx.scratch((steps, batch, width)) for _ in range(min(count - 1, 2))]

    def run(
        Input: Array, PreState: list[Array], SequenceLength: Array | None = None, *, out: Any = None
    ) -> Any:
        if out is None:
            out = (
                np.empty((steps, batch, width), np.float32),
                [np.empty(s.shape, np.float32) for s in PreState],
            )
        y, states = out[0], out[1]
        lengths = read_lengths(SequenceLength)
        for copy, state, first in zip(copies, states, PreState, strict=True):
            copy(first, state)
        for layer in range(count):
            last = y if layer == count - 1 else between[layer % 2].array
            for job in jobs[layer * directions : (layer + 1) * directions]:
                job(Input, *lengths, *states, last)
            Input = last
        return out

    return only_launches(run)
