"""Weights of products in panels: the order in which tiles of a convolution or product read them."""

from __future__ import annotations

import numpy as np

from lite.ir.types import Array

PANEL = 64
"""The channels of a whole panel: four of the widest vectors."""


def packed(matrix: Array, vector: int) -> Array:
    """``[K, N]`` as panels of 64 columns, the last one padded to a multiple of `vector`."""
    count, columns = matrix.shape
    panels = []
    for first in range(0, columns, PANEL):
        part = matrix[:, first : first + PANEL]
        width = -(-part.shape[1] // vector) * vector
        panel = np.zeros((count, width), matrix.dtype)
        panel[:, : part.shape[1]] = part
        panels.append(panel.reshape(-1))
    return np.concatenate(panels)


def panel_fields(count: int, columns: int, vector: int) -> dict[str, int]:
    """The sizes of packed weights for lb_conv: those of whole panels, and the width of the last one."""
    last = (
        -(-(columns % PANEL or PANEL) // vector) * vector
        if columns > PANEL
        else -(-columns // vector) * vector
    )
    width = PANEL if columns > PANEL else last
    return {"panel": width, "w_panel": count * width, "w_step": width, "w_last": last}


def packed_quads(taps: Array, vector: int) -> Array:
    """``int8[T, K, N]`` as panels of ``[tap][K / 4][column][4]``, padded with zeros."""
    count = taps.shape[1]
    padded = np.pad(taps, ((0, 0), (0, -count % 4), (0, 0)))
    quads = padded.reshape(taps.shape[0] * padded.shape[1] // 4, 4, -1).transpose(0, 2, 1)
    panels = []
    for first in range(0, quads.shape[1], PANEL):
        part = quads[:, first : first + PANEL]
        panels.append(np.pad(part, ((0, 0), (0, -part.shape[1] % vector), (0, 0))).reshape(-1))
    return np.concatenate(panels)
