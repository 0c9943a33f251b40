"""unfold: the patches of an image as columns."""

from __future__ import annotations

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.row import Row
from lite.ops.defs.rearrange import sides
from lite.plugin.device import BridgeOp, bridge


def _why_not(op: BridgeOp) -> str | None:
    if not isinstance(op["X"].dims[1], int):
        return f"the number of channels must be known, X is {op['X']}"
    return None


def _unfold(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """OpenVINO puts the channels behind the places in a patch, Paddle in front of them."""
    rows, columns = op.integers("kernel_sizes")
    channels = int(op["X"].dims[1])
    found = sides(op.integers("paddings"))
    top, bottom, left, right = found if len(found) == 4 else [found[0], found[0], found[1], found[1]]
    if any((top, bottom, left, right)):
        x = b.op.pad(x, b.ints([0, 0, top, left]), b.ints([0, 0, bottom, right]), "constant", b.like(0, x))
    patches = b.op.extract_image_patches(
        x, [rows, columns], op.integers("strides"), op.integers("dilations"), "valid"
    )
    apart = b.reshape(patches, [0, rows * columns, channels, -1])
    return b.reshape(b.transpose(apart, [0, 2, 1, 3]), [0, channels * rows * columns, -1])


bridge("openvino", "unfold")(Row("X", _unfold, why=_why_not))
