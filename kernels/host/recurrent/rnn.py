"""rnn by numpy: stacked LSTM, GRU or simple layers, one or both directions, time-major."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from lite.dataclass import dataclass
from lite.kernels.host.activation.gate import logistic
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel, write


@dataclass(frozen=True)
class _Layer:
    """The weights of one layer: gates last, directions stacked so that one time loop serves both.

    `input` is ``[I, D·G]`` with `bias` ``[D·G]``; `hidden` is ``[D, H, G]``; `reset_bias` ``[D, 1, H]`` is
    the part of GRU's hidden bias that the reset gate scales.
    """

    input: Array
    bias: Array | float
    hidden: Array
    reset_bias: Array | float


_Share = Callable[[str, Callable[[], Array]], Array]


def _prepare(ctx: PrepareContext) -> KernelFunction | None:
    weights = [meta.value for meta in ctx.inputs["WeightList"]]
    known = [value for value in weights if value is not None]
    if len(known) != len(weights):
        return None
    mode, directions = ctx.attrs.text("mode"), 2 if ctx.attrs.flag("is_bidirec") else 1
    layers = _pack(known, mode, directions, ctx.attrs.integer("num_layers"), ctx.shared)

    def run(
        Input: Array,
        PreState: list[Array],
        WeightList: list[Array],
        SequenceLength: Array | None,
        out: tuple[Array, list[Array]] | None = None,
    ) -> tuple[Array, list[Array]]:
        return _run(Input, PreState, layers, SequenceLength, mode, out)

    return run


@kernel("rnn", prepare=_prepare, packs=("WeightList",))
def rnn(
    Input: Array,
    PreState: list[Array],
    WeightList: list[Array],
    SequenceLength: Array | None,
    *,
    mode: str,
    is_bidirec: bool,
    num_layers: int,
    out: tuple[Array, list[Array]] | None = None,
) -> tuple[Array, list[Array]]:
    """Paddle rnn without dropout: Out ``[T, B, D·H]`` and the last states, each ``[L·D, B, H]``.

    Input is ``float[T, B, I]``.  WeightList has the input and hidden weights of each layer and direction,
    then their biases.  After the end of a sequence (SequenceLength ``[B]``) outputs are zero, and states
    are unchanged.
    """
    layers = _pack(WeightList, mode, 2 if is_bidirec else 1, num_layers, lambda _, make: make())
    return _run(Input, PreState, layers, SequenceLength, mode, out)


def _pack(weights: Sequence[Array], mode: str, directions: int, layers: int, share: _Share) -> list[_Layer]:
    cells = layers * directions
    packed: list[_Layer] = []
    for layer in range(layers):
        first = layer * directions
        at = range(2 * first, 2 * (first + directions), 2)
        inputs = [weights[n] for n in at]
        hiddens = [weights[n + 1] for n in at]
        bias: Array | float = 0.0
        reset_bias: Array | float = 0.0
        if len(weights) == 4 * cells:
            input_bias = np.stack([weights[2 * cells + n] for n in at])
            hidden_bias = np.stack([weights[2 * cells + n + 1] for n in at])
            if mode == "GRU":
                reset = hidden_bias.shape[1] // 3 * 2
                reset_bias = hidden_bias[:, None, reset:].copy()
                hidden_bias[:, reset:] = 0
            bias = (input_bias + hidden_bias).reshape(-1)
        packed.append(
            _Layer(
                share(f"input_{layer}", partial(_side_by_side, inputs)),
                bias,
                share(f"hidden_{layer}", partial(_one_above_other, hiddens)),
                reset_bias,
            )
        )
    return packed


def _side_by_side(weights: Sequence[Array]) -> Array:
    return np.ascontiguousarray(np.concatenate(weights).T)


def _one_above_other(weights: Sequence[Array]) -> Array:
    return np.stack([weight.T for weight in weights])


def _run(
    x: Array,
    states: Sequence[Array],
    layers: Sequence[_Layer],
    lengths: Array | None,
    mode: str,
    out: tuple[Array, list[Array]] | None,
) -> tuple[Array, list[Array]]:
    directions = layers[0].hidden.shape[0]
    masks = None if lengths is None else _masks(len(x), lengths, directions)
    last = [np.empty(state.shape, x.dtype) for state in states] if out is None else out[1]
    for number, layer in enumerate(layers):
        cells = slice(number * directions, (number + 1) * directions)
        now = [last_state[cells] for last_state in last]
        for state, initial in zip(now, states, strict=True):
            state[...] = initial[cells]
        x = _layer(x, now, layer, masks, mode)
    return write(None if out is None else out[0], x), last


def _masks(steps: int, lengths: Array, directions: int) -> Array:
    """Whether step t, in the order of each direction, is inside the sequence: ``bool[T, D, B, 1]``."""
    forward = np.arange(steps)[:, None, None] < lengths[:, None]
    both = [forward, forward[::-1]][:directions]
    return np.stack(both, axis=1)


def _layer(x: Array, states: Sequence[Array], layer: _Layer, masks: Array | None, mode: str) -> Array:
    """Run one layer in all directions; writes the last states to `states`."""
    steps, batch, width = x.shape
    directions, hidden, gates = layer.hidden.shape
    projected = x.reshape(steps * batch, width) @ layer.input
    projected += layer.bias
    projected = projected.reshape(steps, batch, directions, gates).transpose(0, 2, 1, 3)
    if directions == 2:
        projected = np.stack((projected[:, 0], projected[::-1, 1]), axis=1)
    outputs = np.empty((steps, directions, batch, hidden), x.dtype)
    cell = _CELLS[mode]
    h = states[0]
    for step in range(steps):
        inside = None if masks is None or masks[step].all() else masks[step]
        before = [] if inside is None else [h, *(state.copy() for state in states[1:])]
        h = cell(projected[step], h, states, layer, outputs[step])
        if inside is not None:
            h = np.where(inside, h, before[0])
            np.copyto(outputs[step], 0, where=~inside)
            for state, old in zip(states[1:], before[1:], strict=True):
                np.copyto(state, old, where=~inside)
    states[0][...] = h
    if directions == 2:
        outputs = np.stack((outputs[:, 0], outputs[::-1, 1]), axis=2)
        return outputs.reshape(steps, batch, directions * hidden)
    return outputs[:, 0]


def _lstm(gates: Array, h: Array, states: Sequence[Array], layer: _Layer, out: Array) -> Array:
    """Gates i, f, c, o: c' = f * c + i * tanh(c~), h' = o * tanh(c')."""
    gates = h @ layer.hidden + gates
    size = out.shape[-1]
    candidate = np.tanh(gates[..., 2 * size : 3 * size])
    gates = logistic(gates, out=gates)
    memory = states[1]
    memory *= gates[..., size : 2 * size]
    candidate *= gates[..., :size]
    memory += candidate
    np.tanh(memory, out=out)
    out *= gates[..., 3 * size :]
    return out


def _gru(gates: Array, h: Array, states: Sequence[Array], layer: _Layer, out: Array) -> Array:
    """Gates r, z, c: c~ = tanh(x_c + r * (h_c + b_c)), h' = z * (h - c~) + c~."""
    size = out.shape[-1]
    from_hidden = h @ layer.hidden
    both = logistic(from_hidden[..., : 2 * size] + gates[..., : 2 * size])
    candidate = from_hidden[..., 2 * size :]
    candidate += layer.reset_bias
    candidate *= both[..., :size]
    candidate += gates[..., 2 * size :]
    np.tanh(candidate, out=candidate)
    np.subtract(h, candidate, out=out)
    out *= both[..., size:]
    out += candidate
    return out


def _tanh(gates: Array, h: Array, states: Sequence[Array], layer: _Layer, out: Array) -> Array:
    np.matmul(h, layer.hidden, out=out)
    out += gates
    return np.tanh(out, out=out)


def _relu(gates: Array, h: Array, states: Sequence[Array], layer: _Layer, out: Array) -> Array:
    np.matmul(h, layer.hidden, out=out)
    out += gates
    return np.maximum(out, 0, out=out)


_CELLS = {"LSTM": _lstm, "GRU": _gru, "RNN_TANH": _tanh, "RNN_RELU": _relu}
