"""gru and gru_unit by numpy (K. Cho et al., "Learning Phrase Representations using RNN", 2014)."""

from __future__ import annotations

import numpy as np

from lite.dataclass import dataclass
from lite.kernels.host.activation.gate import GATE_NUMBERS, GATES, Gate
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.lod import Lods, longest_first, need_lod, steps


@dataclass(frozen=True)
class _GruCell:
    """One step of Paddle's GRU on projected input; `gates` is ``[D, 2·D]``, `candidate` ``[D, D]``."""

    gates: Array
    candidate: Array
    gate_activation: Gate
    activation: Gate
    origin_mode: bool

    @staticmethod
    def weights(weight: Array) -> tuple[Array, Array]:
        """The two matrices that Weight ``[D, 3·D]`` stores one after the other."""
        size = weight.shape[0]
        flat = weight.reshape(-1)
        return flat[: 2 * size * size].reshape(size, 2 * size), flat[2 * size * size :].reshape(size, size)

    def step(self, x: Array, hidden: Array) -> tuple[Array, Array, Array]:
        """The next state, the gates and the reset state, from x ``[B, 3·D]`` and a state ``[B, D]``."""
        size = hidden.shape[1]
        gates = x.copy()
        gates[:, : 2 * size] += hidden @ self.gates
        gates[:, : 2 * size] = self.gate_activation(gates[:, : 2 * size])
        reset = gates[:, size : 2 * size] * hidden
        gates[:, 2 * size :] = self.activation(gates[:, 2 * size :] + reset @ self.candidate)
        update, candidate = gates[:, :size], gates[:, 2 * size :]
        if self.origin_mode:
            return candidate + update * (hidden - candidate), gates, reset
        return hidden + update * (candidate - hidden), gates, reset


@kernel("gru")
def gru(
    Input: Array,
    H0: Array | None,
    Weight: Array,
    Bias: Array | None,
    *,
    activation: str,
    gate_activation: str,
    is_reverse: bool,
    origin_mode: bool,
    lods: Lods,
) -> tuple[tuple[Array], Lods]:
    """Paddle gru: one layer over the sequences of Input ``float[T, 3·D]``; Hidden is ``[T, D]``."""
    (lod,) = lods["Input"]
    level = need_lod("gru", "Input", lod, len(Input))[0]
    cell = _GruCell(*_GruCell.weights(Weight), GATES[gate_activation], GATES[activation], origin_mode)
    x = Input if Bias is None else Input + Bias
    out = np.zeros((len(Input), Weight.shape[0]), Input.dtype)
    hidden = (
        np.zeros((len(level) - 1, Weight.shape[0]), Input.dtype) if H0 is None else H0[longest_first(level)]
    )
    for rows in steps(level, is_reverse):
        hidden, _, _ = cell.step(x[rows], hidden[: len(rows)])
        out[rows] = hidden
    return (out,), {"Hidden": [lod]}


@kernel("gru_unit")
def gru_unit(
    Input: Array,
    HiddenPrev: Array,
    Weight: Array,
    Bias: Array | None,
    *,
    activation: int,
    gate_activation: int,
    origin_mode: bool,
) -> tuple[Array, Array, Array]:
    """Paddle gru_unit: one step; Hidden ``[B, D]``, Gate ``[B, 3·D]``, ResetHiddenPrev ``[B, D]``."""
    functions = (GATES[GATE_NUMBERS[gate_activation]], GATES[GATE_NUMBERS[activation]])
    cell = _GruCell(*_GruCell.weights(Weight), *functions, origin_mode)
    return cell.step(Input if Bias is None else Input + Bias.reshape(-1), HiddenPrev)
