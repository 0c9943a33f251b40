"""The LSTM of TensorFlow Lite with all its choices, by numpy, step by step."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.activation.gate import logistic
from lite.kernels.host.compute_dtype import widened
from lite.kernels.host.recurrent.recurrent_activation import Function
from lite.plugin.kernel import Array, Attributes, kernel

_EPSILON = 1e-8

_FUNCTIONS: dict[str, Function] = {
    "identity": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "relu_n1_to_1": lambda x: np.clip(x, -1, 1),
    "tanh": np.tanh,
}


@kernel("projected_lstm", attrs=Attributes)
def projected_lstm(
    X: Array,
    W: Array,
    R: Array,
    B: Array | None,
    P: Array | None,
    Gain: Array | None,
    Projection: Array | None,
    ProjectionBias: Array | None,
    *,
    attrs: Attributes,
) -> Array:
    """The outputs ``[T, B, P]`` of every step; the states start with zeros.

    The rows of W ``[4·H, I]``, R ``[4·H, P]``, B and Gain are the input, output, forget and cell gate; the
    peepholes P are the first three.  With Gain, the sum of a gate is normalised over its H elements, without
    the bias, and multiplied by Gain.  Projection is ``[P, H]``; without it P is H.
    """
    x, weight, recurrent = widened(X), widened(W).T, widened(R).T
    steps, batch, _ = x.shape
    size = weight.shape[1] // 4
    zeros = np.zeros(4 * size, x.dtype)
    bias = (zeros if B is None else widened(B)).reshape(4, size)
    peephole = (zeros[size:] if P is None else widened(P)).reshape(3, size)
    gain = None if Gain is None else widened(Gain).reshape(4, size)
    function = _FUNCTIONS[attrs.text("activation")]
    cell_clip, projection_clip = attrs.real("cell_clip"), attrs.real("projection_clip")

    def gate(number: int, total: Array) -> Array:
        if gain is not None:
            centred = total - total.mean(-1, keepdims=True)
            variance = np.square(centred).mean(-1, keepdims=True)
            total = centred / np.sqrt(variance + _EPSILON) * gain[number]
        result: Array = total + bias[number]
        return result

    hidden, memory = np.zeros((batch, recurrent.shape[0]), x.dtype), np.zeros((batch, size), x.dtype)
    out = np.zeros((steps, *hidden.shape), x.dtype)
    for at in range(steps)[::-1] if attrs.flag("is_reverse") else range(steps):
        sums = (x[at] @ weight + hidden @ recurrent).reshape(batch, 4, size)
        input_gate = logistic(gate(0, sums[:, 0] + peephole[0] * memory))
        forget_gate = logistic(gate(2, sums[:, 2] + peephole[2] * memory))
        memory = forget_gate * memory + input_gate * function(gate(3, sums[:, 3]))
        if cell_clip > 0:
            memory = np.clip(memory, -cell_clip, cell_clip)
        hidden = logistic(gate(1, sums[:, 1] + peephole[1] * memory)) * function(memory)
        if Projection is not None:
            hidden = hidden @ widened(Projection).T
            if ProjectionBias is not None:
                hidden = hidden + widened(ProjectionBias)
            if projection_clip > 0:
                hidden = np.clip(hidden, -projection_clip, projection_clip)
        out[at] = hidden
    result: Array = out.astype(X.dtype)
    return result
