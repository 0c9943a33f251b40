"""lstm_sequence, gru_sequence and rnn_sequence on the host: one direction after the other, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.kernels.host.recurrent.recurrent_activation import Function, functions
from lite.plugin.kernel import Array, kernel

Cell = Callable[[Array, Sequence[Array], Array, Array, Sequence[Function]], list[Array]]
"""From projected input, states, the weights and bias of the hidden state and the functions: new states."""


@kernel("lstm_sequence")
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
    direction: str,
    activations: Sequence[str],
    activation_alpha: Sequence[float],
    activation_beta: Sequence[float],
    clip: float,
    layout: int,
    input_forget: bool,
) -> tuple[Array, Array, Array]:
    """ONNX LSTM: outputs of every step, the last hidden states, the last cells."""
    hidden = R.shape[2]
    peepholes = np.zeros((len(R), 3, hidden), X.dtype) if P is None else P.reshape(-1, 3, hidden)

    def cell(number: int) -> Cell:
        look = widened(peepholes[number])

        def step(
            x: Array, states: Sequence[Array], weight: Array, bias: Array, f: Sequence[Function]
        ) -> list[Array]:
            gates = (x + states[0] @ weight + bias).reshape(len(x), 4, hidden)
            memory = states[1]
            taken = f[0](gates[:, 0] + look[0] * memory)
            kept = 1 - taken if input_forget else f[0](gates[:, 2] + look[2] * memory)
            memory = kept * memory + taken * f[1](gates[:, 3])
            return [f[0](gates[:, 1] + look[1] * memory) * f[2](memory), memory]

        return step

    chosen = functions(
        activations or ("Sigmoid", "Tanh", "Tanh") * len(R), activation_alpha, activation_beta, clip
    )
    out, states = _run(X, W, R, B, SequenceLength, [H0, C0], direction, layout, chosen, cell)
    return out, states[0], states[1]


@kernel("gru_sequence")
def gru_sequence(
    X: Array,
    W: Array,
    R: Array,
    B: Array | None,
    SequenceLength: Array | None,
    H0: Array | None,
    *,
    direction: str,
    activations: Sequence[str],
    activation_alpha: Sequence[float],
    activation_beta: Sequence[float],
    clip: float,
    layout: int,
    linear_before_reset: bool,
) -> tuple[Array, Array]:
    """ONNX GRU: outputs of every step, and the last hidden states."""
    hidden = R.shape[2]

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

    chosen = functions(activations or ("Sigmoid", "Tanh") * len(R), activation_alpha, activation_beta, clip)
    out, states = _run(X, W, R, B, SequenceLength, [H0], direction, layout, chosen, lambda _: step)
    return out, states[0]


@kernel("rnn_sequence")
def rnn_sequence(
    X: Array,
    W: Array,
    R: Array,
    B: Array | None,
    SequenceLength: Array | None,
    H0: Array | None,
    *,
    direction: str,
    activations: Sequence[str],
    activation_alpha: Sequence[float],
    activation_beta: Sequence[float],
    clip: float,
    layout: int,
) -> tuple[Array, Array]:
    """ONNX RNN: outputs of every step, and the last hidden states."""

    def step(
        x: Array, states: Sequence[Array], weight: Array, bias: Array, f: Sequence[Function]
    ) -> list[Array]:
        return [f[0](x + states[0] @ weight + bias)]

    chosen = functions(activations or ("Tanh",) * len(R), activation_alpha, activation_beta, clip)
    out, states = _run(X, W, R, B, SequenceLength, [H0], direction, layout, chosen, lambda _: step)
    return out, states[0]


def _run(
    X: Array,
    W: Array,
    R: Array,
    B: Array | None,
    lengths: Array | None,
    initial: Sequence[Array | None],
    direction: str,
    layout: int,
    chosen: Sequence[Function],
    cell: Callable[[int], Cell],
) -> tuple[Array, list[Array]]:
    """All directions; behind the end of a sequence outputs are zero and states stay."""
    x = widened(X.swapaxes(0, 1) if layout else X)
    steps, batch, _ = x.shape
    directions, gates, hidden = R.shape
    zeros = np.zeros((directions, batch, hidden), x.dtype)
    given = [zeros if s is None else widened(s.swapaxes(0, 1) if layout else s) for s in initial]
    biases = np.zeros((directions, 2 * gates), x.dtype) if B is None else widened(B)
    out = np.zeros((steps, directions, batch, hidden), x.dtype)
    last = [np.array(s) for s in given]
    share = len(chosen) // directions
    for n in range(directions):
        step, weight, bias = cell(n), widened(R[n]).T, biases[n, gates:]
        functions_here = chosen[n * share : (n + 1) * share]
        projected = x @ widened(W[n]).T + biases[n, :gates]
        states = [s[n] for s in given]
        for at, inside in _turns(steps, lengths, direction == "reverse" or n == 1):
            if inside is None:
                states = step(projected[at], states, weight, bias, functions_here)
                out[at, n] = states[0]
                continue
            rows = np.arange(batch)
            new = step(projected[at, rows], states, weight, bias, functions_here)
            states = [np.where(inside[:, None], a, b) for a, b in zip(new, states, strict=True)]
            out[at[inside], n, rows[inside]] = new[0][inside]
        for kept, state in zip(last, states, strict=True):
            kept[n] = state
    if layout:
        out, last = out.transpose(2, 0, 1, 3), [state.swapaxes(0, 1) for state in last]
    return out.astype(X.dtype), [state.astype(X.dtype) for state in last]


def _turns(steps: int, lengths: Array | None, backward: bool) -> Iterator[tuple[Any, Array | None]]:
    """For each turn the step it is about and None; with lengths, each row's and whether it is inside."""
    if lengths is None:
        yield from ((at, None) for at in (range(steps)[::-1] if backward else range(steps)))
        return
    counts = lengths.astype(np.int64)
    for turn in range(steps):
        inside = turn < counts
        yield np.where(inside, counts - 1 - turn if backward else turn, 0), inside
