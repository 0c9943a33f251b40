"""Convolution of images of various sizes, held in sequences."""

from lite.ir.types import UNKNOWN
from lite.ops.schema import number, op
from lite.ops.view import Inferred, Meta, OpView


def _var_conv_2d(op: OpView) -> Inferred:
    wanted = (
        op.integer("OutputChannel"),
        op.integer("InputChannel") * op.integer("KernelH") * op.integer("KernelW"),
    )
    filter_shape = op["W"].dims
    if any(isinstance(dim, int) and dim != n for dim, n in zip(filter_shape, wanted, strict=True)):
        raise op.error("W", f"the shape {list(wanted)}", op["W"])
    pixels = Meta(op["X"].dtype, (UNKNOWN, 1))
    return {"Out": pixels, "Col": pixels}


op(
    "var_conv_2d",
    "X:float ROW COLUMN W:float/2",
    "Out Col?",
    _var_conv_2d,
    attrs={
        "InputChannel": number(1, 1),
        "OutputChannel": number(1, 1),
        "KernelH": number(1, 1),
        "KernelW": number(1, 1),
        "StrideH": number(1, 1),
        "StrideW": number(1, 1),
    },
    lod="kernel",
)
