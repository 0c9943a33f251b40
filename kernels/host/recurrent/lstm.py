"""lstm and lstm_unit by numpy (S. Hochreiter and J. Schmidhuber, "Long Short-Term Memory", 1997)."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.activation.gate import GATES, logistic
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.lod import Lods, longest_first, need_lod, steps


@kernel("lstm")
def lstm(
    Input: Array,
    H0: Array | None,
    C0: Array | None,
    Weight: Array,
    Bias: Array,
    *,
    use_peepholes: bool,
    is_reverse: bool,
    gate_activation: str,
    cell_activation: str,
    candidate_activation: str,
    lods: Lods,
) -> tuple[tuple[Array, Array], Lods]:
    """Paddle lstm: one layer over the sequences of Input ``float[T, 4·D]``; Hidden and Cell are ``[T, D]``.

    The four parts are candidate, input, forget and output gate.  Bias is ``[1, 4·D]``, with peepholes
    ``[1, 7·D]``: the last three parts scale the cell for the input, forget and output gate.
    """
    (lod,) = lods["Input"]
    level = need_lod("lstm", "Input", lod, len(Input))[0]
    size, dtype = Weight.shape[0], Input.dtype
    bias = Bias.reshape(-1)
    x = Input + bias[: 4 * size]
    peepholes = bias[4 * size : 7 * size].reshape(3, size) if use_peepholes else np.zeros((3, size), dtype)
    gate, squash, propose = GATES[gate_activation], GATES[cell_activation], GATES[candidate_activation]
    order = longest_first(level)
    zeros = np.zeros((len(level) - 1, size), dtype)
    hidden, cell = zeros if H0 is None else H0[order], zeros if C0 is None else C0[order]
    hiddens, cells = np.zeros((len(Input), size), dtype), np.zeros((len(Input), size), dtype)
    for rows in steps(level, is_reverse):
        hidden, cell = hidden[: len(rows)], cell[: len(rows)]
        gates = (x[rows] + hidden @ Weight).reshape(len(rows), 4, size)
        gates[:, 1:3] += cell[:, None] * peepholes[:2]
        input_gate, forget_gate = gate(gates[:, 1]), gate(gates[:, 2])
        cell = forget_gate * cell + input_gate * propose(gates[:, 0])
        hidden = gate(gates[:, 3] + cell * peepholes[2]) * squash(cell)
        hiddens[rows], cells[rows] = hidden, cell
    return (hiddens, cells), {"Hidden": [lod], "Cell": [lod]}


@kernel("lstm_unit")
def lstm_unit(X: Array, C_prev: Array, *, forget_bias: float) -> tuple[Array, Array]:
    """Paddle lstm_unit: one step from X ``[B, 4·D]``; C and H are ``[B, D]``.

    The parts of X are the input, forget and output gate and the candidate.
    """
    input_gate, forget_gate, output_gate, candidate = np.split(X, 4, axis=1)
    cell = logistic(forget_gate + X.dtype.type(forget_bias)) * C_prev
    cell += logistic(input_gate) * np.tanh(candidate)
    return cell, logistic(output_gate) * np.tanh(cell)
