"""lstm_unit on the host."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.activation.gate import logistic
from lite.plugin.kernel import Array, kernel


@kernel("lstm_unit")
def lstm_unit(X: Array, C_prev: Array, *, forget_bias: float) -> tuple[Array, Array]:
    """Paddle lstm_unit op: one step from X [B, 4 * D], whose parts are the input, forget and output gate
    and the candidate; C and H [B, D]."""
    input_gate, forget_gate, output_gate, candidate = np.split(X, 4, axis=1)
    cell = logistic(forget_gate + X.dtype.type(forget_bias)) * C_prev
    cell += logistic(input_gate) * np.tanh(candidate)
    return cell, logistic(output_gate) * np.tanh(cell)
