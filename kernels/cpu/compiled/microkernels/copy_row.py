"""Copies of rows, which are often short."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit.decorators import inlined
from lite.kernels.cpu.compiled.jit.vector import copy, load, load_part, store, store_part
from lite.kernels.cpu.tile_sizes import LANES


@inlined
def copy_row(x: Any, start: int, out: Any, dest: int, width: int) -> None:
    """Copy `width` elements; no overlap."""
    if width > 32 * LANES:
        copy(out, dest, x, start, width)
    elif width >= LANES:
        last = width - LANES
        for n in range(0, last, LANES):
            store(load(x, start + n), out, dest + n)
        # The last vector is moved back over elements that were copied before: a masked store takes longer.
        store(load(x, start + last), out, dest + last)
    else:
        store_part(load_part(x, start, width), out, dest, width)
