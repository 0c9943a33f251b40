"""lod_reset on the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from lite.errors import ExecutionError
from lite.ir.types import Lod
from lite.plugin.kernel import Array, kernel


@kernel("lod_reset")
def lod_reset(
    X: Array,
    Y: Array | None,
    *,
    target_lod: list[int],
    append: bool,
    lods: Mapping[str, Sequence[Lod]],
) -> tuple[Array, dict[str, list[Lod]]]:
    """X with the LoD of Y or, where Y has none, the level that Y's elements or `target_lod` spell.

    `append` keeps X's levels in front of that one.
    """
    if Y is not None and lods["Y"][0]:
        return X, {"Out": [lods["Y"][0]]}
    level = tuple(target_lod) if Y is None else tuple(Y.reshape(-1).tolist())
    if len(level) < 2 or level[0] != 0 or any(a > b for a, b in pairwise(level)):
        raise ExecutionError(f"lod_reset: expected rising offsets from 0 on, got {list(level)}")
    return X, {"Out": [(*lods["X"][0], level) if append else (level,)]}
