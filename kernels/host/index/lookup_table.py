"""lookup_table_v2 and lookup_table_dequant by numpy."""

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("lookup_table_v2")
def lookup_table_v2(W: Array, Ids: Array, *, padding_idx: int, out: Array | None = None) -> Array:
    """The rows of W that Ids name; zeros where an id is `padding_idx` (-1: no id is)."""
    if Ids.size and (Ids.min() < 0 or Ids.max() >= len(W)):
        raise IndexError(f"Ids: expected rows of W from 0 to {len(W) - 1}, got {Ids.min()} to {Ids.max()}")
    result: Array = W.take(Ids, axis=0, out=out, mode="clip")
    if padding_idx != -1:
        result[Ids == padding_idx] = 0
    return result


@kernel("lookup_table_dequant")
def lookup_table_dequant(W: Array, Ids: Array, *, padding_idx: int, out: Array | None = None) -> Array:
    """Rows of a table of bytes.

    A row of W is the least and the greatest value, then the bytes, four in the place of a float32; they
    divide the range between the two in 256 steps.
    """
    rows = lookup_table_v2(W, Ids[..., 0], padding_idx=padding_idx)
    least, greatest = rows[..., :1], rows[..., 1:2]
    steps = np.ascontiguousarray(rows[..., 2:]).view(np.uint8)
    return np.add((greatest - least) / np.float32(256) * steps, least, out=out)
