"""Sliding windows of ONNX convolutions and poolings; signals [N, C, L] as images of height 1."""

from __future__ import annotations

from collections.abc import Sequence

from lite.dataclass import dataclass
from lite.ir.types import Dim
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.sizes import Sizes


@dataclass(frozen=True)
class Windows:
    """Windows along each spatial axis; `paddings` are (before, after) pairs, axis by axis.

    `algorithm` is EXPLICIT where `paddings` hold, else the padding algorithm of the op.
    """

    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    paddings: list[int]
    algorithm: str = "EXPLICIT"

    @property
    def extents(self) -> list[int]:
        """The number of elements that each window spans."""
        return [d * (k - 1) + 1 for k, d in zip(self.kernel, self.dilations, strict=True)]

    def as_image(self) -> Windows:
        """Windows of a signal [N, C, L] as windows of the image [N, C, 1, L]."""
        return Windows(
            [1, *self.kernel],
            [1, *self.strides],
            [1, *self.dilations],
            [0, 0, *self.paddings],
            self.algorithm,
        )


def read_windows(
    node: OnnxNode, writer: BlockWriter, source: str, kernel: Sequence[int], *, same: bool = True
) -> Windows:
    """The windows of a node over `source`.

    If the spatial sizes of `source` are known, auto_pad becomes paddings.  Else the algorithm is Paddle's
    SAME if `same` allows it and it pads equally (SAME_UPPER, no dilation, no stride above the kernel), or
    else SAME_UPPER or SAME_LOWER.  Raises `ModelParseError` for invalid attributes.
    """
    rank = len(kernel)
    strides, dilations, pads = _attributes(node, rank)
    auto = node.string("auto_pad", "NOTSET")
    windows = Windows(list(kernel), strides, dilations, pairs(pads))
    if auto == "NOTSET":
        return windows
    if auto == "VALID":
        return Windows(windows.kernel, strides, dilations, [0] * (2 * rank))
    if auto not in ("SAME_UPPER", "SAME_LOWER"):
        raise node.error(f"auto_pad: expected NOTSET, VALID, SAME_UPPER or SAME_LOWER, got {auto!r}")
    totals = _same_totals(writer.shape(source), windows)
    if totals is None or min(totals) < 0:
        has_paddle = same and auto == "SAME_UPPER" and max(dilations) == 1
        has_paddle = has_paddle and all(size >= step for size, step in zip(kernel, strides, strict=True))
        algorithm = "SAME" if has_paddle else auto
        return Windows(windows.kernel, strides, dilations, [0] * (2 * rank), algorithm)
    halves = [(total // 2, total - total // 2) for total in totals]
    ordered = halves if auto == "SAME_UPPER" else [(after, before) for before, after in halves]
    return Windows(windows.kernel, strides, dilations, [side for pair in ordered for side in pair])


def _attributes(node: OnnxNode, rank: int) -> tuple[list[int], list[int], list[int]]:
    """Strides, dilations and pads; raises `ModelParseError` where they do not fit a window of `rank` axes."""
    strides = node.integers("strides") or [1] * rank
    dilations = node.integers("dilations") or [1] * rank
    pads = node.integers("pads") or [0] * (2 * rank)
    if not len(strides) == len(dilations) == len(pads) // 2 == rank:
        raise node.error(
            f"expected {rank} strides, {rank} dilations and {2 * rank} pads for a window of {rank} axes, "
            f"got {strides}, {dilations} and {pads}"
        )
    return strides, dilations, pads


def pad_same(node: OnnxNode, writer: BlockWriter, source: str, weight: str, rank: int) -> str:
    """Add ops that pad `source` with zeros as auto_pad demands, from its sizes in the run.

    The padding makes the output size ``ceil(size / stride)``; it is never negative.  `source` and `weight`
    have `rank` spatial axes from axis 2 on.
    """
    strides, dilations, _ = _attributes(node, rank)
    sizes, kernel = (Sizes.of(writer, name, 2, rank) for name in (source, weight))
    stride, dilation = (Sizes.constant(writer, numbers, source) for numbers in (strides, dilations))
    total = ((sizes - 1) // stride * stride + (kernel - 1) * dilation + 1 - sizes).max(0)
    less = total // 2
    sides = [less, total - less]
    before, after = sides if node.string("auto_pad", "") == "SAME_UPPER" else sides[::-1]
    return pad_by(writer, source, before, after, rank)


def pad_by(
    writer: BlockWriter, source: str, before: Sizes, after: Sizes, rank: int, out: str | None = None
) -> str:
    """Add a `pad_nd` of the spatial axes with zeros; a negative padding removes elements."""
    out = out or writer.new_name(source)
    inputs = {"X": source, "Paddings": before.followed_by(after).name}
    writer.emit("pad_nd", inputs, {"Out": out}, {"axes": [*range(2, rank + 2)]})
    return out


def pairs(pads: Sequence[int]) -> list[int]:
    """ONNX's pads (all before, then all after) as (before, after) pairs of each axis."""
    rank = len(pads) // 2
    return [side for axis in range(rank) for side in (pads[axis], pads[axis + rank])]


def _same_totals(shape: Sequence[Dim] | None, windows: Windows) -> list[int] | None:
    """The padding along each axis that makes the output size ``ceil(size / stride)``; None if unknown.

    A negative padding means that elements are removed.
    """
    totals = []
    sizes = () if shape is None else shape[2:]
    if len(sizes) != len(windows.kernel):
        return None
    for size, stride, extent in zip(sizes, windows.strides, windows.extents, strict=True):
        if stride == 1:
            totals.append(extent - 1)
        elif isinstance(size, int):
            totals.append((-(-size // stride) - 1) * stride + extent - size)
        else:
            return None
    return totals


def spatial_rank(node: OnnxNode, writer: BlockWriter, *names: str) -> int | None:
    """The number of spatial axes, from the node's attributes or the first value whose rank is known."""
    for attribute in ("kernel_shape", "strides", "dilations"):
        values = node.integers(attribute)
        if values:
            return len(values)
    ranks = [rank for name in names if (rank := writer.rank(name)) is not None]
    return ranks[0] - 2 if ranks else None


def as_image(writer: BlockWriter, line: str) -> str:
    """``[N, C, L]`` as ``[N, C, 1, L]``."""
    array = writer.constant(line)
    if array is not None:
        return writer.weight(array[:, :, None], line)
    return writer.unary("unsqueeze2", line, {"axes": [2]})


def as_line(writer: BlockWriter, image: str, out: str) -> None:
    """``[N, C, 1, L]`` as ``[N, C, L]``."""
    writer.unary("squeeze2", image, {"axes": [2]}, out)


def channels_first(writer: BlockWriter, name: str) -> str:
    """``[N, …, C]`` as ``[N, C, …]``."""
    rank = writer.known_rank(name)
    return writer.unary("transpose2", name, {"axis": [0, rank - 1, *range(1, rank - 1)]})


def channels_last(writer: BlockWriter, name: str, out: str) -> None:
    """``[N, C, …]`` as ``[N, …, C]``."""
    writer.unary("transpose2", name, {"axis": [0, *range(2, writer.known_rank(name)), 1]}, out)
