"""Sliding windows: where convolutions and poolings read, and how large their outputs are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lite.ir.types import UNKNOWN, Dim
from lite.ops.view import OpView


@dataclass(frozen=True)
class Window:
    """A window that slides along one axis.

    `before` and `after` are the padding; they are 0 for padding algorithm SAME along an axis whose
    size is not known, where only `out` can be told.
    """

    kernel: int
    stride: int
    dilation: int
    before: int
    after: int
    same: bool = False

    @property
    def extent(self) -> int:
        """How many neighbouring elements the window spans."""
        return self.dilation * (self.kernel - 1) + 1

    def out(self, size: Dim, ceil: bool = False) -> Dim:
        """The number of window positions; a symbolic `size` is kept where the output has the same."""
        grown = self.before + self.after - self.extent
        if isinstance(size, int):
            return (size + grown + (self.stride - 1 if ceil else 0)) // self.stride + 1
        keeps = self.stride == 1 and (self.same or grown == -1)
        return size if keeps else UNKNOWN

    def transposed(self, size: Dim, extra: int = 0) -> Dim:
        """The size that this window, sliding, makes `size` of: the transposed convolution's output."""
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
    ``ceil(size / stride)``, puts the odd element of padding behind, and sets the dilation to 1.
    """
    step = len(paddings) // len(sizes)
    found: list[Window] = []
    for n, size in enumerate(sizes):
        k, s, d = kernel[n], strides[n], dilations[n]
        before, after = paddings[n * step], paddings[n * step + step - 1]
        if algorithm == "SAME":
            total = max((-(-size // s) - 1) * s + k - size, 0) if isinstance(size, int) else 0
            found.append(Window(k, s, 1, total // 2, total - total // 2, same=True))
        elif algorithm == "VALID":
            found.append(Window(k, s, d, 0, 0))
        else:
            found.append(Window(k, s, d, before, after))
    return found


def check_windows(op: OpView, rank: int, lists: Sequence[str], paddings: str = "paddings") -> None:
    """Whether these attributes have one number per spatial axis, and the paddings one or two each.

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


def is_channel_last(data_format: str) -> bool:
    """Whether channels are the last axis: ``NHWC``, ``NLC``, ``NDHWC`` in either case."""
    return data_format.upper().endswith("C")


def spatial(data_format: str, dims: Sequence[Dim]) -> list[Dim]:
    """The spatial dimensions of an image of this format."""
    return list(dims[1:-1] if is_channel_last(data_format) else dims[2:])


def channels(data_format: str, dims: Sequence[Dim]) -> Dim:
    """The channel dimension of an image of this format."""
    return dims[-1] if is_channel_last(data_format) else dims[1]


def image_shape(data_format: str, batch: Dim, channel: Dim, sizes: Sequence[Dim]) -> tuple[Dim, ...]:
    """The shape of an image of this format."""
    return (batch, *sizes, channel) if is_channel_last(data_format) else (batch, channel, *sizes)
