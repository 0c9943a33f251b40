"""Lengths for attention."""

from __future__ import annotations

from collections.abc import Sequence

from lite.kernels.cpu.lengths.products import padded_channels
from lite.kernels.cpu.lengths.rows import ACTIVATION_PARAMETERS
from lite.plugin.kernel import Array

FEW_ROWS = 3
"""Rows of Q up to which K and V are read as they are: with more, packing them pays."""

STEPS = 20
"""The elements of `steps`: four for each of Q, K, V, the mask and the result."""


def attend(
    q: None, k: None, v: None, mask: None, zeros: Array, parameters: Array, scratch: None, out: None,
    steps: Array, scale: float, heads: int, rows: int, keys: int, depth: int, size: int, key_columns: int,
    columns: int, block: int, has_mask: int, nan_as_zero: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.attention.attend`."""
    samples = count // heads
    sizes = ((rows, depth), (keys, depth), (keys, size), (rows, keys), (rows, size))
    lengths = []
    for n, (lines, width) in enumerate(sizes):
        offset, per_sample, per_head, per_line = steps[4 * n : 4 * n + 4].tolist()
        last = (samples - 1) * per_sample + (heads - 1) * per_head + (lines - 1) * per_line
        lengths.append(offset + last + width)
    *read, written = lengths
    if not has_mask:
        read[3] = 0
    padded = max(padded_channels(keys, key_columns), padded_channels(size, columns))
    return (
        *read, padded, ACTIVATION_PARAMETERS,
        scratch_elements(rows, keys, depth, size, key_columns, columns, block), written, STEPS,
    )  # fmt: skip


def scratch_elements(
    rows: int, keys: int, depth: int, size: int, key_columns: int, columns: int, block: int
) -> int:
    """The elements of scratch memory of `attend`."""
    if rows <= FEW_ROWS:
        return keys
    padded_keys, padded_size = padded_channels(keys, key_columns), padded_channels(size, columns)
    return padded_keys * depth + keys * padded_size + block * (padded_keys + 1)
