"""gru on the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.types import Lod
from lite.kernels.host.activation.gate import GATES
from lite.kernels.host.recurrent.gru_cell import GruCell
from lite.kernels.host.recurrent.lod_batch import longest_first, steps
from lite.kernels.host.sequence.lod import need_lod
from lite.plugin.kernel import Array, kernel


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
    lods: Mapping[str, Sequence[Lod]],
) -> tuple[tuple[Array], dict[str, list[Lod]]]:
    """Paddle gru op: one layer over the sequences of Input [T, 3 * D]; Hidden [T, D]."""
    (lod,) = lods["Input"]
    level = need_lod("gru", "Input", lod)[0]
    cell = GruCell(*GruCell.weights(Weight), GATES[gate_activation], GATES[activation], origin_mode)
    x = Input if Bias is None else Input + Bias
    out = np.zeros((len(Input), Weight.shape[0]), Input.dtype)
    hidden = (
        np.zeros((len(level) - 1, Weight.shape[0]), Input.dtype) if H0 is None else H0[longest_first(level)]
    )
    for rows in steps(level, is_reverse):
        hidden, _, _ = cell.step(x[rows], hidden[: len(rows)])
        out[rows] = hidden
    return (out,), {"Hidden": [lod]}
