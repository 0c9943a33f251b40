"""ONNX's recurrent layers by numpy: one direction after the other, step by step.

X is ``float[T, B, I]``, W ``[D, G·H, I]``, R ``[D, G·H, H]``, the bias B ``[D, 2·G·H]``, and states are
``[D, B, H]``, for D directions and G gates.  With `layout` 1 the batch is the first axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.kernels.host.quantize.affine_quantize import dynamic_quantize
from lite.kernels.host.recurrent.recurrent_activation import Function, clipped, functions
from lite.plugin.kernel import Array, Attributes, kernel

Cell = Callable[[Array, Sequence[Array], Array, Array, Sequence[Function]], list[Array]]
"""From projected input, states, the weights and bias of the hidden state and the functions: new states."""


@kernel("lstm_sequence", attrs=Attributes)
def lstm_sequence(
    X: Array,
    W: Array,
    R: Array,
    B: Array | None,
    SequenceLength: Array | None,
    H0: Array | None,
    C0: Array | None,
    P: Array | None,
    *,
    attrs: Attributes,
) -> tuple[Array, Array, Array]:
    """ONNX LSTM: outputs of every step, the last hidden states and cells; P are peepholes ``[D, 3·H]``."""
    return _lstm(X, W, R, B, SequenceLength, (H0, C0), P, attrs, lambda h: h)


@kernel("dynamic_quantize_lstm", attrs=Attributes)
def dynamic_quantize_lstm(
    X: Array,
    W: Array,
    R: Array,
    B: Array | None,
    SequenceLength: Array | None,
    H0: Array | None,
    C0: Array | None,
    P: Array | None,
    *,
    attrs: Attributes,
) -> tuple[Array, Array, Array]:
    """`lstm_sequence` of X, and in each step of the hidden states, as rounded to 8 bits by their ranges.

    ONNX Runtime's DynamicQuantizeLSTM on one thread; on more, it takes the range of a part of the batch.
    """
    return _lstm(_rounded(X), W, R, B, SequenceLength, (H0, C0), P, attrs, _rounded)


def _rounded(x: Array) -> Array:
    """The numbers of `dynamic_quantize`."""
    codes, scale, zero = dynamic_quantize(x)
    result: Array = (codes.astype(np.float32) - np.float32(zero)) * scale
    return result


def _lstm(
    X: Array,
    W: Array,
    R: Array,
    B: Array | None,
    lengths: Array | None,
    initial: Sequence[Array | None],
    P: Array | None,
    attrs: Attributes,
    factor: Callable[[Array], Array],
) -> tuple[Array, Array, Array]:
    """An LSTM; `factor` makes the factor of R out of a hidden state."""
    hidden = R.shape[2]
    peepholes = np.zeros((len(R), 3, hidden), X.dtype) if P is None else P.reshape(-1, 3, hidden)
    input_forget = attrs.flag("input_forget")

    def cell(direction: int) -> Cell:
        peephole = widened(peepholes[direction])

        def step(
            x: Array, states: Sequence[Array], weight: Array, bias: Array, f: Sequence[Function]
        ) -> list[Array]:
            gates = (x + factor(states[0]) @ weight + bias).reshape(len(x), 4, hidden)
            memory = states[1]
            input_gate = f[0](gates[:, 0] + peephole[0] * memory)
            forget_gate = 1 - input_gate if input_forget else f[0](gates[:, 2] + peephole[2] * memory)
            memory = forget_gate * memory + input_gate * f[1](gates[:, 3])
            return [f[0](gates[:, 1] + peephole[1] * memory) * f[2](memory), memory]

        return step

    out, (h, c) = _run(X, W, R, B, lengths, initial, attrs, ("Sigmoid", "Tanh", "Tanh"), cell)
    return out, h, c


@kernel("gru_sequence", attrs=Attributes)
def gru_sequence(
    X: Array,
    W: Array,
    R: Array,
    B: Array | None,
    SequenceLength: Array | None,
    H0: Array | None,
    *,
    attrs: Attributes,
) -> tuple[Array, Array]:
    """ONNX GRU: outputs of every step, and the last hidden states."""
    hidden = R.shape[2]
    linear_before_reset = attrs.flag("linear_before_reset")

    def step(
        x: Array, states: Sequence[Array], weight: Array, bias: Array, f: Sequence[Function]
    ) -> list[Array]:
        h, both = states[0], 2 * hidden
        gates = f[0](x[:, :both] + h @ weight[:, :both] + bias[:both])
        update, reset = gates[:, :hidden], gates[:, hidden:]
        if linear_before_reset:
            candidate = reset * (h @ weight[:, both:] + bias[both:])
        else:
            candidate = (reset * h) @ weight[:, both:] + bias[both:]
        candidate = f[1](x[:, both:] + candidate)
        return [(1 - update) * candidate + update * h]

    out, (h,) = _run(X, W, R, B, SequenceLength, [H0], attrs, ("Sigmoid", "Tanh"), lambda _: step)
    return out, h


@kernel("rnn_sequence", attrs=Attributes)
def rnn_sequence(
    X: Array,
    W: Array,
    R: Array,
    B: Array | None,
    SequenceLength: Array | None,
    H0: Array | None,
    *,
    attrs: Attributes,
) -> tuple[Array, Array]:
    """ONNX RNN: outputs of every step, and the last hidden states."""

    def step(
        x: Array, states: Sequence[Array], weight: Array, bias: Array, f: Sequence[Function]
    ) -> list[Array]:
        return [f[0](x + states[0] @ weight + bias)]

    out, (h,) = _run(X, W, R, B, SequenceLength, [H0], attrs, ("Tanh",), lambda _: step)
    return out, h


def _run(
    X: Array,
    W: Array,
    R: Array,
    B: Array | None,
    lengths: Array | None,
    initial: Sequence[Array | None],
    attrs: Attributes,
    activations: Sequence[str],
    cell: Callable[[int], Cell],
) -> tuple[Array, list[Array]]:
    """Run all directions; `activations` are the default functions of one.

    After the end of a sequence outputs are zero, and states are unchanged.
    """
    batch_first = attrs.integer("layout") == 1
    x = widened(X.swapaxes(0, 1) if batch_first else X)
    steps, batch, _ = x.shape
    directions, gates, hidden = R.shape
    zeros = np.zeros((directions, batch, hidden), x.dtype)
    first = [zeros if s is None else widened(s.swapaxes(0, 1) if batch_first else s) for s in initial]
    biases = np.zeros((directions, 2 * gates), x.dtype) if B is None else widened(B)
    out = np.zeros((steps, directions, batch, hidden), x.dtype)
    last = [np.array(s) for s in first]
    bound = functions(
        attrs.strings("activations") or [*activations] * directions,
        attrs.reals("activation_alpha"),
        attrs.reals("activation_beta"),
    )
    clip = attrs.real("clip")
    per_direction = len(bound) // directions
    for n in range(directions):
        step, weight, bias = cell(n), widened(R[n]).T, biases[n, gates:]
        own = bound[n * per_direction : (n + 1) * per_direction]
        # The third function of an LSTM takes the cell state, which is not clipped.
        f = [*(clipped(each, clip) for each in own[:2]), *own[2:]]
        projected = x @ widened(W[n]).T + biases[n, :gates]
        states = [s[n] for s in first]
        for at, inside in _positions(steps, lengths, attrs.text("direction") == "reverse" or n == 1):
            if inside is None:
                states = step(projected[at], states, weight, bias, f)
                out[at, n] = states[0]
                continue
            rows = np.arange(batch)
            new = step(projected[at, rows], states, weight, bias, f)
            states = [np.where(inside[:, None], a, b) for a, b in zip(new, states, strict=True)]
            out[at[inside], n, rows[inside]] = new[0][inside]
        for result, state in zip(last, states, strict=True):
            result[n] = state
    if batch_first:
        out, last = out.transpose(2, 0, 1, 3), [state.swapaxes(0, 1) for state in last]
    return out.astype(X.dtype), [state.astype(X.dtype) for state in last]


def _positions(steps: int, lengths: Array | None, backward: bool) -> Iterator[tuple[Any, Array | None]]:
    """For each iteration the position of the step, and None.

    With lengths, the positions of all rows ``int[B]``, and whether they are inside their sequence.
    """
    if lengths is None:
        yield from ((at, None) for at in (range(steps)[::-1] if backward else range(steps)))
        return
    counts = lengths.astype(np.int64)
    for n in range(steps):
        inside = n < counts
        yield np.where(inside, counts - 1 - n if backward else n, 0), inside
