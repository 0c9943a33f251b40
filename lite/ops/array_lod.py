"""The LoD of a tensor array.

Each element of an array may have a LoD.  `array_lod` encodes them in the single LoD that a value has: a
first level with the number of levels of each element, then these levels, element by element.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from lite.ir.types import NO_LOD, Lod


def array_lod(lods: Sequence[Lod]) -> Lod:
    """The LoD of a tensor array, from the LoDs of its elements; empty where all of these are."""
    if not any(lods):
        return NO_LOD
    return (tuple(len(lod) for lod in lods), *itertools.chain.from_iterable(lods))


def element_lods(lod: Lod, count: int) -> list[Lod]:
    """The LoDs of the `count` elements of a tensor array, from its LoD."""
    if not lod:
        return [NO_LOD] * count
    levels = iter(lod[1:])
    return [tuple(itertools.islice(levels, depth)) for depth in lod[0]]
