"""Lets convolutions pad their images themselves."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.ops.window import spatial_axes
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.quantize.byte_grid import ByteGrid, grid_of
from lite.passes.match import attributes, erase_unread, producer
from lite.passes.registry import register_pass


@register_pass
class PadConvFusePass(Pass):
    """Adds zeros around an image to the padding of the convolution that reads it::

        %p = pad_nd(X=%x) {paddings = [0, 0, 1, 1]}
        %y = conv2d(Input=%p) {paddings = [1, 1]}    ->  %y = conv2d(Input=%x) {paddings = [1, 2, 1, 2]}

        %p = pad_nd(X=%q, Value=%z) : uint8
        %x = affine_dequantize(X=%p, ZeroPoint=%z)       %x = affine_dequantize(X=%q, ZeroPoint=%z)
        %y = conv2d(Input=%x)                        ->  %y = conv2d(Input=%x) {paddings = …}

    The example pads the axes 2 and 3.  Reals that are padded and quantised then are quantised without border.
    Networks of TensorFlow pad images at one side more than at the other.
    """

    name: ClassVar[str] = "pad_conv_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("pad_nd",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Paddings are constant, not negative and smaller than the window; the value is that of 0."""
        changes = [_fuse(graph, node) for node in list(graph) if node.op == "conv2d"]
        if any(changes):
            graph.drop_unused_constants()
        return Outcome.of(any(changes))


def _fuse(graph: Graph, conv: Node) -> bool:
    image = conv.input("Input")
    between = _quantisation(image)
    pad = producer(between[0].input("X") if between else image, ("pad_nd",))
    if pad is None or image.lod_level:
        return False
    is_of_bytes = len(between) == 1
    grid = grid_of(between[-1]) if between else None
    if between and (grid is None or any(not _is_equal(grid, grid_of(node)) for node in between)):
        return False
    if _value(pad) != (grid.zero_point if grid is not None and is_of_bytes else 0):
        return False
    paddings = _paddings(conv, pad)
    if paddings is None:
        return False
    inner = pad.input("X")
    for node in between:
        inner = _copied(graph, node, inner, conv)
    conv.set_input("Input", [inner])
    conv.attrs.update({"paddings": paddings, "padding_algorithm": "EXPLICIT"})
    erase_unread([image])
    return True


def _quantisation(image: Value) -> list[Node]:
    """The nodes that make reals of bytes for a convolution, and before that bytes of reals."""
    dequantize = producer(image, ("affine_dequantize",))
    if dequantize is None:
        return []
    quantize = producer(dequantize.input("X"), ("affine_quantize",))
    return [dequantize] if quantize is None else [quantize, dequantize]


def _is_equal(grid: ByteGrid | None, other: ByteGrid | None) -> bool:
    return grid is not None and other is not None and grid.is_equal(other)


def _copied(graph: Graph, node: Node, x: Value, before: Node) -> Value:
    """The result of a node for another input."""
    out = graph.new_value(graph.unique_name(f"{node.output('Out').name}_inner"), like=node.output("Out"))
    out.shape = x.shape
    graph.add_node(node.op, {**node.inputs, "X": [x]}, {"Out": [out]}, node.attrs, before=before)
    return out


def _value(pad: Node) -> float | None:
    """The number that is put around an image; None where it is none that is known."""
    attrs, value = attributes(pad), pad.optional_input("Value")
    if attrs.text("mode") != "constant":
        return None
    if value is None:
        return attrs.real("value")
    return None if value.data is None or value.data.size != 1 else float(value.data.reshape(-1)[0])


def _paddings(conv: Node, pad: Node) -> list[int] | None:
    """The paddings ``[top, bottom, left, right]`` of both; None where they do not fit together."""
    x, weight, attrs = pad.input("X"), conv.input("Filter"), attributes(conv)
    if x.shape is None or weight.shape is None or {"Paddings", "Axes"} & set(pad.inputs):
        return None
    axes = spatial_axes(attrs.text("data_format"), len(x.shape))
    own, given = _own(attrs.text("padding_algorithm"), attrs.integers("paddings")), attributes(pad)
    chosen = [axis % len(x.shape) for axis in given.integers("axes")] or list(range(len(x.shape)))
    sides = given.integers("paddings")
    if own is None or len(sides) != 2 * len(chosen) or min(sides) < 0:
        return None
    for n, axis in enumerate(chosen):
        before, after = sides[n], sides[len(chosen) + n]
        if axis in axes:
            own[2 * axes.index(axis)] += before
            own[2 * axes.index(axis) + 1] += after
        elif before or after:
            return None
    windows = zip(weight.shape[2:], attrs.integers("dilations"), strict=True)
    reach = [(size - 1) * step for size, step in windows if isinstance(size, int)]
    if len(reach) != len(axes) or any(side > reach[n // 2] for n, side in enumerate(own)):
        return None
    return own


def _own(algorithm: str, paddings: list[int]) -> list[int] | None:
    if algorithm == "VALID":
        return [0] * 4
    if algorithm != "EXPLICIT" or min(paddings, default=0) < 0:
        return None
    return list(paddings) if len(paddings) == 4 else [each for each in paddings for _ in range(2)]
