"""Lengths for attention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lite.kernels.cpu.lengths.index import FAILURES
from lite.kernels.cpu.lengths.products import padded_channels
from lite.kernels.cpu.lengths.rows import ACTIVATION_PARAMETERS
from lite.plugin.kernel import Array

FEW_ROWS = 3
"""Rows of Q up to which K and V are read as they are: with more, packing them pays."""

STEPS = 27
"""The elements of `steps`: four for each of Q, K, V, the mask and the result, and those of `Visible`."""

ROTATION_STEPS = 3
"""The elements of `steps` of `rotate`."""

FAR = 1 << 40
"""More keys than there are."""


class Visible(NamedTuple):
    """Which keys the rows of Q see, and which heads share them.

    `shared` heads of Q see one head of K and V.  Row 0 is at the position `first` among the keys, or with
    `ends_with_rows` the last row is at the sample's last key.  A row sees `before` keys before its position
    and `after` ones after it, and with `has_lengths` only the first ones of its sample.  With `has_sinks`,
    each head of Q has one more score, whose value is zero.
    """

    shared: int = 1
    first: int = 0
    before: int = FAR
    after: int = FAR
    has_lengths: int = 0
    ends_with_rows: int = 0
    has_sinks: int = 0


def attend(
    q: None, k: None, v: None, mask: None, lengths: None, sinks: None, zeros: Array, parameters: Array,
    scratch: None, out: None, steps: Array, scale: float, cap: float, heads: int, rows: int, keys: int,
    depth: int, size: int, key_columns: int, columns: int, block: int, has_mask: int, nan_as_zero: int,
    parts: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.attention.attend`."""
    samples, visible = count // parts // heads, Visible(*steps[20:].tolist())
    sizes = ((rows, depth), (keys, depth), (keys, size), (rows, keys), (rows, size))
    least = []
    for n, (lines, width) in enumerate(sizes):
        offset, per_sample, per_head, per_line = steps[4 * n : 4 * n + 4].tolist()
        last_head = (heads - 1) // (visible.shared if n in (1, 2) else 1)
        last = (samples - 1) * per_sample + last_head * per_head + (lines - 1) * per_line
        least.append(offset + last + width)
    *read, written = least
    if not has_mask:
        read[3] = 0
    padded = max(padded_channels(keys, key_columns), padded_channels(size, columns))
    return (
        *read, samples * visible.has_lengths, heads * visible.has_sinks, padded, ACTIVATION_PARAMETERS,
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


def rotate(
    x: None, cos: None, sin: None, positions: None, out: None, failures: Array, steps: Array, rows: int,
    heads: int, size: int, pairs: int, angles: int, has_positions: int, interleaved: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.rotary.rotate`."""
    elements = count * heads * size
    return elements, angles * pairs, angles * pairs, count * has_positions, elements, FAILURES, ROTATION_STEPS
