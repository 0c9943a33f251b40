"""How well the words of two texts match: similarity matrices of sequences."""

from lite.ir.types import UNKNOWN
from lite.ops.rules import total
from lite.ops.schema import LOD_BY_KERNEL, number, op
from lite.ops.view import Inferred, Meta, OpView


def _match(op: OpView) -> Inferred:
    """Out holds a matrix per sequence and channel; Tmp is X times W, [rows, dim_t * width]."""
    x = op["X"]
    return {
        "Out": Meta(x.dtype, (UNKNOWN, 1)),
        "Tmp": Meta(x.dtype, (x.dims[0], total((op.integer("dim_t"), x.dims[1])))),
    }


op(
    "match_matrix_tensor",
    "X:float/2 Y:float/2 W:float/3",
    "Out Tmp?",
    _match,
    attrs={"dim_t": number(1, low=1)},
    lod=LOD_BY_KERNEL,
)
