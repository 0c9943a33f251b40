"""Sliding windows of convolutions and poolings: the elements that they read, and their output sizes."""

from __future__ import annotations

from collections.abc import Sequence

from lite.dataclass import dataclass
from lite.ir.types import UNKNOWN, Dim
from lite.ops.view import OpView

ONNX_SAME = ("SAME_UPPER", "SAME_LOWER")
"""Padding algorithms that only `pool_nd` has."""


@dataclass(frozen=True)
class Window:
    """A window that slides along one axis.

    `before` and `after` are the padding, which cuts where it is negative.  For padding algorithm SAME along
    an axis of unknown size they are 0, and only `out` is valid.
    """

    kernel: int
    stride: int
    dilation: int
    before: int
    after: int
    same: bool = False

    @property
    def extent(self) -> int:
        """The number of neighbouring elements that the window spans."""
        return self.dilation * (self.kernel - 1) + 1

    def out(self, size: Dim, ceil: bool = False) -> Dim:
        """The number of window positions: a symbolic `size` where it is the same, else `UNKNOWN`."""
        grown = self.before + self.after - self.extent
        if isinstance(size, int):
            return (size + grown + (self.stride - 1 if ceil else 0)) // self.stride + 1
        keeps = self.stride == 1 and (self.same or grown == -1)
        return size if keeps else UNKNOWN

    def pooled(self, size: Dim, ceil: bool) -> Dim:
        """Like `out`, but as in ONNX no window begins in the padding after the input in ceil mode.

        A window that is less than a stride too large for the input has one position, as in ONNX Runtime.
        """
        count = self.out(size, ceil)
        missing = self.extent - self.before - self.after - size if isinstance(size, int) else 0
        if missing > 0:
            return 1 if missing < self.stride else 0
        if ceil and isinstance(count, int) and isinstance(size, int):
            return count - ((count - 1) * self.stride >= size + self.before)
        return count

    def transposed(self, size: Dim, extra: int = 0) -> Dim:
        """The output size of a transposed convolution with this window over an input of `size`."""
        if not isinstance(size, int):
            return UNKNOWN
        return (size - 1) * self.stride + self.extent - self.before - self.after + extra


def windows(
    sizes: Sequence[Dim],
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    paddings: Sequence[int],
    algorithm: str,
) -> list[Window]:
    """One window per spatial axis, as Paddle's conv and pool ops define them.

    `paddings` has one number per axis, or two (before, after).  SAME makes the output
    ``ceil(size / stride)``, puts the odd element of padding after the input, and sets the dilation to 1.
    SAME_UPPER and SAME_LOWER are those of ONNX's pools: the odd element is after or before the input, and
    elements are cut where windows are apart.
    """
    step = len(paddings) // len(sizes)
    result: list[Window] = []
    for n, size in enumerate(sizes):
        k, s, d = kernel[n], strides[n], dilations[n]
        before, after = paddings[n * step], paddings[n * step + step - 1]
        if algorithm == "SAME":
            total = max((-(-size // s) - 1) * s + k - size, 0) if isinstance(size, int) else 0
            result.append(Window(k, s, 1, total // 2, total - total // 2, same=True))
        elif algorithm in ONNX_SAME:
            total = (-(-size // s) - 1) * s + d * (k - 1) + 1 - size if isinstance(size, int) else 0
            # Halves of a negative total are rounded towards zero.
            before = int((total + (algorithm == "SAME_LOWER")) / 2)
            result.append(Window(k, s, d, before, total - before, same=True))
        elif algorithm == "VALID":
            result.append(Window(k, s, d, 0, 0))
        else:
            result.append(Window(k, s, d, before, after))
    return result


def onnx_windows(
    sizes: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    pads: Sequence[int],
    auto_pad: str,
) -> list[Window]:
    """One window per spatial axis, as ONNX Conv defines them.

    Empty lists mean ONNX's defaults; `pads` has the numbers before all axes, then those after all.
    """
    rank = len(sizes)
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    pads = pads if pads and auto_pad == "NOTSET" else [0] * (2 * rank)
    result = []
    for axis, (size, k, s, d) in enumerate(zip(sizes, kernel, strides, dilations, strict=True)):
        before, after = pads[axis], pads[axis + rank]
        if auto_pad.startswith("SAME"):
            total = max((-(-size // s) - 1) * s + d * (k - 1) + 1 - size, 0)
            before, after = total // 2, total - total // 2
            before, after = (before, after) if auto_pad == "SAME_UPPER" else (after, before)
        result.append(Window(k, s, d, before, after))
    return result


def check_windows(op: OpView, rank: int, lists: Sequence[str], paddings: str = "paddings") -> None:
    """Check that these attributes have one number for each spatial axis, and the paddings one or two.

    Raises `GraphError` naming the attribute; strides and dilations must be positive.
    """
    for name in lists:
        values = op.integers(name)
        if len(values) != rank:
            raise op.error(f"attribute {name}", f"{rank} numbers", values)
        if min(values) < 1:
            raise op.error(f"attribute {name}", "positive numbers", values)
    if len(op.integers(paddings)) not in (rank, 2 * rank):
        raise op.error(f"attribute {paddings}", f"{rank} or {2 * rank} numbers", op.integers(paddings))


def paddings_by_axis(paddings: Sequence[int]) -> list[int]:
    """The paddings of unfold (top, left, bottom, right, or one per axis) as top, bottom, left, right."""
    if len(paddings) == 2:
        return list(paddings)
    top, left, bottom, right = paddings
    return [top, bottom, left, right]


def is_channel_last(data_format: str) -> bool:
    """Whether channels are the last axis: ``NHWC``, ``NLC``, ``NDHWC`` in either case."""
    return data_format.upper().endswith("C")


def spatial_axes(data_format: str, rank: int) -> list[int]:
    """The spatial axes of an image of this format, first to last."""
    return list(range(1, rank - 1)) if is_channel_last(data_format) else list(range(2, rank))


def spatial(data_format: str, dims: Sequence[Dim]) -> list[Dim]:
    """The spatial dimensions of an image of this format."""
    return list(dims[1:-1] if is_channel_last(data_format) else dims[2:])


def channels(data_format: str, dims: Sequence[Dim]) -> Dim:
    """The channel dimension of an image of this format."""
    return dims[-1] if is_channel_last(data_format) else dims[1]


def image_shape(data_format: str, batch: Dim, channel: Dim, sizes: Sequence[Dim]) -> tuple[Dim, ...]:
    """The shape of an image of this format."""
    return (batch, *sizes, channel) if is_channel_last(data_format) else (batch, channel, *sizes)
