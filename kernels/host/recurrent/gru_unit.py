"""gru_unit on the host."""

from __future__ import annotations

from lite.kernels.host.activation.gate import GATE_NUMBERS, GATES
from lite.kernels.host.recurrent.gru_cell import GruCell
from lite.plugin.kernel import Array, kernel


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
    """Paddle gru_unit op: one step; Hidden [B, D], Gate [B, 3 * D], ResetHiddenPrev [B, D]."""
    functions = (GATES[GATE_NUMBERS[gate_activation]], GATES[GATE_NUMBERS[activation]])
    cell = GruCell(*GruCell.weights(Weight), *functions, origin_mode)
    return cell.step(Input if Bias is None else Input + Bias.reshape(-1), HiddenPrev)
