"""Packs signed weights and the vectors beside them for `compiled.microkernels.quantized_tiles`."""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array

_MOST = 128
"""The greatest sum of two magnitudes of weights with which 255 times both fits 16 bits."""


def packed_weights(weight: Array, lanes: int) -> Array:
    """Pack ``int8[O, K]`` as panels ``int8[K/4, lanes, 4]``, flat, as uint8.

    A panel has `lanes` outputs; O and K are padded with zeros.  Where the processor adds products in pairs,
    the groups of four come first whose pairs of weights add up to 128 at most, and the int32 places of the
    groups in the input, in bytes, and the number of these first groups follow the panel.
    """
    from lite.kernels.cpu.tile_sizes import HAS_PAIRS

    outputs, size = weight.shape
    padded = np.zeros((-(-outputs // lanes) * lanes, -(-size // 4) * 4), np.int8)
    padded[:outputs, :size] = weight
    split = padded.reshape(-1, lanes, padded.shape[1] // 4, 4).transpose(0, 2, 1, 3)
    panels = np.ascontiguousarray(split)
    if not HAS_PAIRS:
        return panels.reshape(-1).view(np.uint8)
    sizes = np.abs(panels.astype(np.int16))
    is_long = ((sizes[..., ::2] + sizes[..., 1::2]) > _MOST).any((2, 3))
    order = np.argsort(is_long, axis=1, kind="stable")
    sorted_panels = np.take_along_axis(panels, order[:, :, None, None], 1)
    count, depth = order.shape
    ends = np.concatenate([4 * order, depth - is_long.sum(1, keepdims=True)], 1).astype(np.int32)
    rows = [sorted_panels.reshape(count, -1).view(np.uint8), ends.view(np.uint8).reshape(count, -1)]
    return np.concatenate(rows, 1).reshape(-1)


def packed_vectors(weight: Array, zero_point: int, scale: Array, bias: Array | None, padded: int) -> Array:
    """The first sums, scales and biases of ``int8[O, K]``: ``float32[padded / LANES, 3, LANES]``, flat.

    The first sums are int32 in the same bits: minus `zero_point` times the sum of each row.
    """
    from lite.kernels.cpu.tile_sizes import LANES

    outputs = weight.shape[0]
    rows = np.zeros((3, padded), np.float32)
    rows[0, :outputs] = (-zero_point * weight.astype(np.int32).sum(1, dtype=np.int32)).view(np.float32)
    rows[1, :outputs] = scale.reshape(-1)
    rows[2, :outputs] = 0 if bias is None else bias.reshape(-1)
    return np.ascontiguousarray(rows.reshape(3, -1, LANES).transpose(1, 0, 2)).reshape(-1)
