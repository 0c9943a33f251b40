"""lstm_sequence, gru_sequence and rnn_sequence (ONNX's LSTM, GRU and RNN) with constant weights.

Also dynamic_quantize_lstm, an LSTM whose factors are rounded to 8 bits.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.codes import GRU, GRU_RESET_FIRST, LSTM, PEEPHOLE_LSTM, RNN_RELU, RNN_TANH
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.recurrent.rnn_layer import lengths_of, pack
from lite.plugin.kernel import Array, Attributes, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_copy_columns = Function("moves.layout.copy_columns")
_round_by_range = Function("quantize.round_by_range")

_ROUNDED = "dynamic_quantize_lstm"
_LSTMS = ("lstm_sequence", _ROUNDED)

_ORDERS = {**dict.fromkeys(_LSTMS, (0, 2, 1, 3)), "gru_sequence": (1, 0, 2), "rnn_sequence": (0,)}
"""For each gate of a cell, its place in ONNX's order."""

_DEFAULTS = {
    **dict.fromkeys(_LSTMS, ("Sigmoid", "Tanh", "Tanh")),
    "gru_sequence": ("Sigmoid", "Tanh"),
    "rnn_sequence": ("Tanh",),
}


def _kind(op: str, attrs: Attributes, directions: int) -> int | None:
    """The cell of an op; None for activations and options that compiled cells do not have."""
    names, usual = tuple(attrs.strings("activations")), _DEFAULTS[op]
    if attrs.real("clip") or attrs.integer("layout") or attrs.integer("input_forget", 0):
        return None
    if op == "rnn_sequence" and names == ("Relu",) * directions:
        return RNN_RELU
    if names and names != usual * directions:
        return None
    if op == "gru_sequence":
        return GRU if attrs.flag("linear_before_reset") else GRU_RESET_FIRST
    return LSTM if op in _LSTMS else RNN_TANH


def _peepholes(p: Array) -> Array:
    """The peepholes of the gates i, f and o from ONNX's i, o and f, float32[3 · hidden]."""
    return np.ascontiguousarray(p.reshape(3, -1)[[0, 2, 1]]).reshape(-1)


def _prepare(op: str, ctx: PrepareContext) -> KernelFunction | None:
    w, r, b, p = (ctx.constant(slot) for slot in ("W", "R", "B", "P"))
    kind = _kind(op, ctx.attrs, r.shape[0]) if r is not None else None
    if w is None or r is None or kind is None or w.dtype != np.float32:
        return None
    if any(each is None and ctx.inputs.get(slot) for slot, each in (("B", b), ("P", p))):
        return None
    if op == _ROUNDED and ctx.inputs.get("SequenceLength") and ctx.attrs.text("direction") != "forward":
        # The range is that of all rows, of which each begins with its own last step.
        return None
    kind = kind if p is None else PEEPHOLE_LSTM
    steps, batch, inputs = ctx.inputs["X"][0].sizes
    hidden, count = r.shape[2], len(r)
    if not (steps and batch and inputs and hidden):
        return None
    half = r.shape[1]
    parts = [
        pack(
            kind,
            (w[n], r[n]),
            (None, None) if b is None else (b[n, :half], b[n, half:]),
            _ORDERS[op],
            str(n),
            ctx.shared,
            None if p is None else _peepholes(p[n]),
        )
        for n in range(count)
    ]
    has_steps = bool(ctx.outputs.get("Out"))
    shape, state = (steps, count, batch, hidden), (count, batch, hidden)
    kinds = 2 if kind in (LSTM, PEEPHOLE_LSTM) else 1
    jobs = [
        part.bind(
            ctx,
            (steps, batch, inputs),
            n,
            (n * batch * hidden, count * batch * hidden, hidden) if has_steps else None,
            backward=n == 1 or ctx.attrs.text("direction") == "reverse",
            has_lengths=bool(ctx.inputs.get("SequenceLength")),
            rounds=op == _ROUNDED,
        )
        for n, part in enumerate(parts)
    ]
    round_all = _rounding(ctx, steps * batch * inputs) if op == _ROUNDED else None

    size, read_lengths = count * batch * hidden, lengths_of(ctx)
    copy = _copy_columns.bind(FREE, FREE, size, size, 0, size, 0, count=1, cost=PER_ELEMENT * size)
    zeros = ctx.shared(f"zeros {size}", lambda: np.zeros(size, np.float32))
    absent = [None if ctx.outputs.get(slot) else ctx.scratch((size,)) for slot in ("H", "C")[:kinds]]

    def run(
        X: Array,
        SequenceLength: Array | None = None,
        *firsts: Array | None,
        out: Sequence[Array | None] | None = None,
    ) -> tuple[Array | None, ...]:
        y, *given = [None] * (1 + kinds) if out is None else out
        if y is None and has_steps:
            y = np.empty(shape, np.float32)
        states = [
            array if array is not None else np.empty(state, np.float32) if memory is None else memory.array
            for array, memory in zip(given, absent, strict=True)
        ]
        for last, first in zip(states, firsts, strict=False):
            copy(zeros if first is None else first, last)
        lengths = read_lengths(SequenceLength)
        written = states if y is None else [*states, y]
        x = X if round_all is None else round_all(X)
        for job in jobs:
            job(x, *lengths, *written)
        return y, *states

    return only_launches(run)


def _rounding(ctx: PrepareContext, count: int) -> Callable[[Array], Array]:
    """What rounds so many elements to 8 bits by their range."""
    rounded = ctx.scratch((count,))
    job = _round_by_range.bind(FREE, FREE, count, cost=2 * PER_ELEMENT * count)

    def run(x: Array) -> Array:
        job(x, rounded.array)
        return rounded.array

    return run


for _op, _states in (
    ("gru_sequence", ("H0",)),
    ("lstm_sequence", ("H0", "C0")),
    (_ROUNDED, ("H0", "C0")),
    ("rnn_sequence", ("H0",)),
):
    kernel(
        _op,
        "cpu",
        dtype=DType.FLOAT32,
        slots=("X", "SequenceLength", *_states),
        packs=("W", "R", "B", *(("P",) if "C0" in _states else ())),
        fallback="host",
    )(functools.partial(_prepare, _op))
