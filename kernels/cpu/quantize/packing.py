"""Packs signed weights and the vectors beside them for `compiled.microkernels.quantized_tiles`."""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array

_MOST = 128
"""The greatest sum of two positive or two negative weights with which 255 times both fits 16 bits."""


def is_wide(weight: Array) -> bool:
    """Whether products with ``int8[O, K]`` need 16-bit weights: sums of pairs may have more than 16 bits."""
    from lite.kernels.cpu.tile_sizes import HAS_PAIRS

    if not HAS_PAIRS:
        return False
    flat = np.zeros((weight.shape[0], weight.shape[1] + weight.shape[1] % 2), np.int16)
    flat[:, : weight.shape[1]] = weight
    return any((np.maximum(w[:, ::2], 0) + np.maximum(w[:, 1::2], 0)).max() > _MOST for w in (flat, -flat))


def packed_weights(weight: Array, lanes: int) -> Array:
    """Pack ``int8[O, K]`` as panels ``int8[K/4, lanes, 4]``, flat, as uint8.

    A panel has `lanes` outputs; O and K are padded with zeros.  Weights that are wide are packed as
    ``int8[K/4, 2, lanes, 2]``, in the order in which they are multiplied as int16.
    """
    outputs, size = weight.shape
    padded = np.zeros((-(-outputs // lanes) * lanes, -(-size // 4) * 4), np.int8)
    padded[:outputs, :size] = weight
    split = padded.reshape(-1, lanes, padded.shape[1] // 4, 4).transpose(0, 2, 1, 3)
    if is_wide(weight):
        panels, depth = split.shape[:2]
        split = split.reshape(panels, depth, lanes, 2, 2).transpose(0, 1, 3, 2, 4)
    return np.ascontiguousarray(split).reshape(-1).view(np.uint8)


_BLOCK = 128 * 1024
"""Bytes of the rows that are multiplied by one panel after the other; they fit in a second-level cache."""


def block_rows(row_bytes: int, tile: int, rows: int) -> int:
    """The rows, in tiles of `tile` rows and of `rows` at most, that are multiplied by one panel at a time."""
    return min(max(_BLOCK // row_bytes // tile, 1), -(-rows // tile)) * tile


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
