"""lookup_table_v2 and lookup_table_dequant by numpy."""

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("lookup_table_v2")
def lookup_table_v2(W: Array, Ids: Array, *, padding_idx: int, out: Array | None = None) -> Array:
    """Paddle lookup_table_v2: the rows Ids of W; zeros for the id `padding_idx`, unless it is -1."""
    if Ids.size and (Ids.min() < 0 or Ids.max() >= len(W)):
        raise IndexError(f"Ids: expected rows of W from 0 to {len(W) - 1}, got {Ids.min()} to {Ids.max()}")
    result: Array = W.take(Ids, axis=0, out=out, mode="clip")
    if padding_idx != -1:
        result[Ids == padding_idx] = 0
    return result


@kernel("lookup_table_dequant")
def lookup_table_dequant(W: Array, Ids: Array, *, padding_idx: int, out: Array | None = None) -> Array:
    """Paddle lookup_table_dequant: rows of a table of 8-bit numbers.

    A row of W has the least and the greatest value, then four numbers in the bytes of each float32.  They
    divide the range between these values into 256 steps.
    """
    rows = lookup_table_v2(W, Ids[..., 0], padding_idx=padding_idx)
    least, greatest = rows[..., :1], rows[..., 1:2]
    steps = np.ascontiguousarray(rows[..., 2:]).view(np.uint8)
    return np.add((greatest - least) / np.float32(256) * steps, least, out=out)
