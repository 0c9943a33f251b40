"""Recurrent layers: all steps of one direction of one layer."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.codes import GRU, GRU_RESET_FIRST, LSTM, PEEPHOLE_LSTM, RNN_TANH
from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import (
    address,
    clear,
    copy,
    fma,
    larger,
    load_part,
    splat,
    store_part,
)
from lite.kernels.cpu.compiled.microkernels.dense import block_rows, product_panels
from lite.kernels.cpu.compiled.microkernels.post_activation import sigmoid, tanh
from lite.kernels.cpu.compiled.microkernels.single_row import multiply_row
from lite.kernels.cpu.compiled.quantize import round_part
from lite.kernels.cpu.tile_sizes import LANES


@entry(
    "r", "r", "r", "r", "r", "r", "r", "r", "n", "w", "w", "w", "w", "i", "i", "i", "i", "i", "i", "i", "i",
    "i", "i", "i", "i", "i", "i", "i", "i",
)  # fmt: skip
def recurrent_layer(
    x: Any, w: Any, bias: Any, r: Any, r_bias: Any, r_last: Any, peepholes: Any, numbers: Any, lengths: Any,
    h: Any, c: Any, scratch: Any, out: Any, kind: int, columns: int, r_columns: int, last_columns: int,
    steps: int, batch: int, inputs: int, hidden: int, gates: int, backward: int, rounds: int,
    has_lengths: int, state: int, start: int, step_size: int, row_size: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Run all steps of a layer; updates its states ``[batch, hidden]`` at index `state` of `h` and `c`.

    `x` is ``[steps · batch, inputs]``.  `w` and `r` are the weights of input and state, in panels of
    `columns` and `r_columns` vectors, with `gates` gates each.  For the kind `GRU_RESET_FIRST`, `r` has two
    gates and `r_last` the third one.  `peepholes` are those of `PEEPHOLE_LSTM`, ``[3, hidden]``.

    `scratch` has ``(steps · batch + batch) · gates · hidden + batch · hidden`` elements.  The state of row b
    after step t is written to index ``start + t · step_size + b · row_size`` of `out`, unless `row_size` is
    0.

    With `rounds`, the states are multiplied as rounded to 8 bits by their range, `round_part`.

    With `has_lengths`, row b takes part in the steps t < ``lengths[b]``; the others leave its states as they
    are and write 0.
    """
    width = gates * hidden
    from_state = steps * batch * width
    reset = from_state + batch * width
    _rows(columns, x, 0, steps * batch, inputs, w, bias, width, numbers, scratch, 0, width)
    r_width = 2 * hidden if kind == GRU_RESET_FIRST else width
    for step in range(steps):
        t = steps - 1 - step if backward else step
        from_input = t * batch * width
        if rounds:
            round_part(h, state, batch * hidden, scratch, reset)
            _rows(
                r_columns, scratch, reset, batch, hidden, r, r_bias, r_width, numbers, scratch, from_state,
                width,
            )  # fmt: skip
        else:
            _rows(r_columns, h, state, batch, hidden, r, r_bias, r_width, numbers, scratch, from_state, width)
        if kind == GRU_RESET_FIRST:
            for row in range(batch):
                _reset_state(
                    scratch, from_input + row * width, from_state + row * width, h, state + row * hidden,
                    hidden, reset + row * hidden,
                )  # fmt: skip
            _rows(
                last_columns, scratch, reset, batch, hidden, r_last, r_bias, hidden, numbers, scratch,
                from_state + 2 * hidden, width,
            )  # fmt: skip
        for row in range(batch):
            if has_lengths and t >= lengths[row]:
                if row_size:
                    clear(out, start + t * step_size + row * row_size, hidden)
                continue
            here, there, place = from_input + row * width, from_state + row * width, state + row * hidden
            if kind == LSTM:
                _lstm(scratch, here, there, h, c, place, hidden)
            elif kind == PEEPHOLE_LSTM:
                _peephole_lstm(scratch, here, there, peepholes, h, c, place, hidden)
            elif kind == GRU:
                _gru(scratch, here, there, h, place, hidden)
            elif kind == GRU_RESET_FIRST:
                _gru_reset_first(scratch, here, there, h, place, hidden)
            else:
                _simple(kind, scratch, here, there, h, place, hidden)
            if row_size:
                copy(out, start + t * step_size + row * row_size, h, place, hidden)


@inner
def _rows(
    columns: int, x: Any, begin: int, count: int, depth: int, w: Any, bias: Any, width: int, numbers: Any,
    out: Any, dest: int, out_step: int,
) -> None:  # fmt: skip
    """Multiply `count` rows of `x`, from flat index `begin` on, by packed weights, to rows of `out`."""
    if count == 1:
        multiply_row(columns, x, begin, depth, w, bias, width, out, dest)
        return
    block = block_rows(depth, columns)
    for first in range(0, count, block):
        rows = min(block, count - first)
        product_panels(
            columns, address(x, begin + first * depth), rows, depth, w, 0, bias, 0, width, 0, numbers,
            numbers, numbers, numbers, out, dest + first * out_step, out_step,
        )  # fmt: skip


@inner
def _lstm(scratch: Any, from_input: int, from_state: int, h: Any, c: Any, state: int, hidden: int) -> None:
    """Gates i, f, o, c: c' = f · c + i · tanh(c~), h' = o · tanh(c')."""
    for n in range(0, hidden, LANES):
        left = hidden - n
        input_gate = sigmoid(
            load_part(scratch, from_input + n, left) + load_part(scratch, from_state + n, left)
        )
        at = hidden + n
        forget_gate = sigmoid(
            load_part(scratch, from_input + at, left) + load_part(scratch, from_state + at, left)
        )
        at += hidden
        output_gate = sigmoid(
            load_part(scratch, from_input + at, left) + load_part(scratch, from_state + at, left)
        )
        at += hidden
        new = tanh(load_part(scratch, from_input + at, left) + load_part(scratch, from_state + at, left))
        memory = fma(forget_gate, load_part(c, state + n, left), input_gate * new)
        store_part(memory, c, state + n, left)
        store_part(output_gate * tanh(memory), h, state + n, left)


@inner
def _peephole_lstm(
    scratch: Any, from_input: int, from_state: int, peepholes: Any, h: Any, c: Any, state: int, hidden: int
) -> None:
    """`_lstm` whose gates i and f see c, and whose gate o sees c'."""
    for n in range(0, hidden, LANES):
        left = hidden - n
        memory = load_part(c, state + n, left)
        v = load_part(scratch, from_input + n, left) + load_part(scratch, from_state + n, left)
        input_gate = sigmoid(fma(load_part(peepholes, n, left), memory, v))
        at = hidden + n
        v = load_part(scratch, from_input + at, left) + load_part(scratch, from_state + at, left)
        forget_gate = sigmoid(fma(load_part(peepholes, at, left), memory, v))
        last = at + 2 * hidden
        new = tanh(load_part(scratch, from_input + last, left) + load_part(scratch, from_state + last, left))
        memory = fma(forget_gate, memory, input_gate * new)
        at += hidden
        v = load_part(scratch, from_input + at, left) + load_part(scratch, from_state + at, left)
        output_gate = sigmoid(fma(load_part(peepholes, at, left), memory, v))
        store_part(memory, c, state + n, left)
        store_part(output_gate * tanh(memory), h, state + n, left)


@inner
def _gru(scratch: Any, from_input: int, from_state: int, h: Any, state: int, hidden: int) -> None:
    """Gates r, z, c: c~ = tanh(x_c + r · h_c), h' = z · (h - c~) + c~."""
    for n in range(0, hidden, LANES):
        left = hidden - n
        reset = sigmoid(load_part(scratch, from_input + n, left) + load_part(scratch, from_state + n, left))
        at = hidden + n
        update = sigmoid(
            load_part(scratch, from_input + at, left) + load_part(scratch, from_state + at, left)
        )
        at += hidden
        new = tanh(
            fma(reset, load_part(scratch, from_state + at, left), load_part(scratch, from_input + at, left))
        )
        store_part(fma(update, load_part(h, state + n, left) - new, new), h, state + n, left)


@inner
def _reset_state(
    scratch: Any, from_input: int, from_state: int, h: Any, state: int, hidden: int, reset: int
) -> None:
    """r · h, for the candidate of a GRU that resets the state before the product."""
    for n in range(0, hidden, LANES):
        left = hidden - n
        factor = sigmoid(load_part(scratch, from_input + n, left) + load_part(scratch, from_state + n, left))
        store_part(factor * load_part(h, state + n, left), scratch, reset + n, left)


@inner
def _gru_reset_first(scratch: Any, from_input: int, from_state: int, h: Any, state: int, hidden: int) -> None:
    """Gates r, z, c: c~ = tanh(x_c + (r · h)_c), h' = z · (h - c~) + c~."""
    for n in range(0, hidden, LANES):
        left = hidden - n
        at = hidden + n
        update = sigmoid(
            load_part(scratch, from_input + at, left) + load_part(scratch, from_state + at, left)
        )
        at += hidden
        new = tanh(load_part(scratch, from_input + at, left) + load_part(scratch, from_state + at, left))
        store_part(fma(update, load_part(h, state + n, left) - new, new), h, state + n, left)


@inner
def _simple(
    kind: int, scratch: Any, from_input: int, from_state: int, h: Any, state: int, hidden: int
) -> None:
    """h' = tanh(x + R h), or relu instead of tanh."""
    for n in range(0, hidden, LANES):
        left = hidden - n
        v = load_part(scratch, from_input + n, left) + load_part(scratch, from_state + n, left)
        new = tanh(v) if kind == RNN_TANH else larger(v, splat(0.0))
        store_part(new, h, state + n, left)
