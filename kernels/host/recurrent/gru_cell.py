"""One step of Paddle's GRU with projected input, shared by gru and gru_unit."""

from __future__ import annotations

from dataclasses import dataclass

from lite.kernels.host.activation.gate import Gate
from lite.plugin.kernel import Array


@dataclass(frozen=True)
class GruCell:
    """Weights as Paddle stores them in one [D, 3 * D] buffer: first [D, 2 * D] for the update and reset
    gates, then [D, D] for the candidate."""

    gates: Array
    candidate: Array
    gate_activation: Gate
    activation: Gate
    origin_mode: bool

    @staticmethod
    def weights(weight: Array) -> tuple[Array, Array]:
        """The two matrices in a Weight of shape [D, 3 * D]."""
        size = weight.shape[0]
        flat = weight.reshape(-1)
        return flat[: 2 * size * size].reshape(size, 2 * size), flat[2 * size * size :].reshape(size, size)

    def step(self, x: Array, hidden: Array) -> tuple[Array, Array, Array]:
        """From x [B, 3 * D] with bias and the hidden state [B, D]: the next one, the gates, reset state."""
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
