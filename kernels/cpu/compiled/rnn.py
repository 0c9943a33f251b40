"""Recurrent layers: one direction of one layer, all its steps."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.dense import product
from lite.kernels.cpu.compiled.entry import entry
from lite.kernels.cpu.compiled.jit import inner
from lite.kernels.cpu.compiled.late import sigmoid, tanh
from lite.kernels.cpu.compiled.vector import address, copy, fma, larger, load_part, splat, store_part
from lite.kernels.cpu.recurrent.rnn_cells import GRU, GRU_RESET_FIRST, LSTM, RNN_TANH
from lite.kernels.cpu.tile_sizes import LANES, ROWS

_BLOCK = 1 << 14
"""Elements of the rows that meet one panel of weights after the other: what a second-level cache holds."""


@entry(
    "r", "r", "r", "r", "r", "r", "r", "w", "w", "w", "w", "i", "i", "i", "i", "i", "i", "i", "i", "i", "i",
    "i", "i", "i", "i",
)  # fmt: skip
def recurrent_layer(
    x: Any, w: Any, bias: Any, r: Any, r_bias: Any, r_last: Any, numbers: Any, h: Any, c: Any, room: Any,
    out: Any, kind: int, columns: int, r_columns: int, last_columns: int, steps: int, batch: int, inputs: int,
    hidden: int, gates: int, backward: int, state: int, start: int, step_size: int, row_size: int, begin: int,
    end: int,
) -> None:  # fmt: skip
    """All steps of a layer; its states ``[batch, hidden]``, at `state` in `h` and `c`, go from first to last.

    `x` is ``[steps · batch, inputs]``.  `w` and `r` are the weights of input and state in panels of so many
    vectors; `gates` is how many gates there are.  With the kind `GRU_RESET_FIRST`, `r` has two gates and
    `r_last` the third.  `room` holds ``(steps · batch + batch) · gates · hidden + batch · hidden`` elements.
    The state behind step t goes to `out`, for row b to ``start + t · step_size + b · row_size``, unless
    `row_size` is 0.
    """
    width = gates * hidden
    sums = steps * batch * width
    reset = sums + batch * width
    _rows(columns, x, 0, steps * batch, inputs, w, bias, width, numbers, room, 0, width)
    r_width = 2 * hidden if kind == GRU_RESET_FIRST else width
    for turn in range(steps):
        t = steps - 1 - turn if backward else turn
        given = t * batch * width
        _rows(r_columns, h, state, batch, hidden, r, r_bias, r_width, numbers, room, sums, width)
        if kind == GRU_RESET_FIRST:
            for row in range(batch):
                _reset_state(
                    room, given + row * width, sums + row * width, h, state + row * hidden, hidden,
                    reset + row * hidden,
                )  # fmt: skip
            _rows(
                last_columns, room, reset, batch, hidden, r_last, r_bias, hidden, numbers, room,
                sums + 2 * hidden, width,
            )  # fmt: skip
        for row in range(batch):
            here, there, place = given + row * width, sums + row * width, state + row * hidden
            if kind == LSTM:
                _lstm(room, here, there, h, c, place, hidden)
            elif kind == GRU:
                _gru(room, here, there, h, place, hidden)
            elif kind == GRU_RESET_FIRST:
                _gru_reset_first(room, here, there, h, place, hidden)
            else:
                _simple(kind, room, here, there, h, place, hidden)
            if row_size:
                copy(out, start + t * step_size + row * row_size, h, place, hidden)


@inner
def _rows(
    columns: int, x: Any, begin: int, count: int, depth: int, w: Any, bias: Any, width: int, numbers: Any,
    out: Any, goal: int, out_step: int,
) -> None:  # fmt: skip
    """`count` rows of `x` from flat index `begin` on times packed weights, to rows of `out`."""
    panel = columns * LANES
    block = max(_BLOCK // depth // ROWS[columns], 1) * ROWS[columns]
    for first in range(0, count, block):
        rows = min(block, count - first)
        origin = address(x, begin + first * depth)
        for channel in range(0, width, panel):
            product(
                columns, origin, rows, depth, w, channel * depth, bias, channel, width - channel, 0, numbers,
                numbers, numbers, numbers, out, goal + first * out_step + channel, out_step,
            )  # fmt: skip


@inner
def _lstm(room: Any, given: int, sums: int, h: Any, c: Any, state: int, hidden: int) -> None:
    """Gates i, f, o, c: c' = f · c + i · tanh(c~), h' = o · tanh(c')."""
    for n in range(0, hidden, LANES):
        left = hidden - n
        taken = sigmoid(load_part(room, given + n, left) + load_part(room, sums + n, left))
        at = hidden + n
        kept = sigmoid(load_part(room, given + at, left) + load_part(room, sums + at, left))
        at += hidden
        shown = sigmoid(load_part(room, given + at, left) + load_part(room, sums + at, left))
        at += hidden
        new = tanh(load_part(room, given + at, left) + load_part(room, sums + at, left))
        memory = fma(kept, load_part(c, state + n, left), taken * new)
        store_part(memory, c, state + n, left)
        store_part(shown * tanh(memory), h, state + n, left)


@inner
def _gru(room: Any, given: int, sums: int, h: Any, state: int, hidden: int) -> None:
    """Gates r, z, c: c~ = tanh(x_c + r · h_c), h' = z · (h - c~) + c~."""
    for n in range(0, hidden, LANES):
        left = hidden - n
        reset = sigmoid(load_part(room, given + n, left) + load_part(room, sums + n, left))
        at = hidden + n
        update = sigmoid(load_part(room, given + at, left) + load_part(room, sums + at, left))
        at += hidden
        new = tanh(fma(reset, load_part(room, sums + at, left), load_part(room, given + at, left)))
        store_part(fma(update, load_part(h, state + n, left) - new, new), h, state + n, left)


@inner
def _reset_state(room: Any, given: int, sums: int, h: Any, state: int, hidden: int, reset: int) -> None:
    """r · h, for the candidate of a GRU that resets before it multiplies."""
    for n in range(0, hidden, LANES):
        left = hidden - n
        factor = sigmoid(load_part(room, given + n, left) + load_part(room, sums + n, left))
        store_part(factor * load_part(h, state + n, left), room, reset + n, left)


@inner
def _gru_reset_first(room: Any, given: int, sums: int, h: Any, state: int, hidden: int) -> None:
    """Gates r, z, c: c~ = tanh(x_c + (r · h)_c), h' = z · (h - c~) + c~."""
    for n in range(0, hidden, LANES):
        left = hidden - n
        at = hidden + n
        update = sigmoid(load_part(room, given + at, left) + load_part(room, sums + at, left))
        at += hidden
        new = tanh(load_part(room, given + at, left) + load_part(room, sums + at, left))
        store_part(fma(update, load_part(h, state + n, left) - new, new), h, state + n, left)


@inner
def _simple(kind: int, room: Any, given: int, sums: int, h: Any, state: int, hidden: int) -> None:
    """h' = tanh(x + h), or the rectifier of it."""
    for n in range(0, hidden, LANES):
        left = hidden - n
        v = load_part(room, given + n, left) + load_part(room, sums + n, left)
        new = tanh(v) if kind == RNN_TANH else larger(v, splat(0.0))
        store_part(new, h, state + n, left)
