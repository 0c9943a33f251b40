"""sequence_reshape on the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.errors import ExecutionError
from lite.ir.types import Lod
from lite.kernels.host.sequence.lod import need_lod
from lite.plugin.kernel import Array, kernel


@kernel("sequence_reshape")
def sequence_reshape(
    X: Array, *, new_dim: int, lods: Mapping[str, Sequence[Lod]]
) -> tuple[Array, dict[str, list[Lod]]]:
    """Rows of another width: [T, D] → [T * D / new_dim, new_dim]; the offsets change in proportion."""
    (lod,) = lods["X"]
    level = need_lod("sequence_reshape", "X", lod)[0]
    depth = X.shape[1]
    if any(offset * depth % new_dim for offset in level):
        raise ExecutionError(
            f"sequence_reshape: new_dim: expected a divisor of {depth} times each offset in {level}, "
            f"got {new_dim}"
        )
    return X.reshape(-1, new_dim), {"Out": [(tuple(offset * depth // new_dim for offset in level),)]}
