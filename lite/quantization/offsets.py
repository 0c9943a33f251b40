"""The constants that follow the layers of a float model: biases, and the parameters of normalisations."""

from __future__ import annotations

from collections.abc import Sequence

from lite.dataclass import dataclass
from lite.ir.graph import Graph, Node, Value
from lite.quantization.layers import PADDLE, Layer


@dataclass(frozen=True)
class Slice:
    """A constant, and the axis along which its channels lie."""

    name: str
    axis: int


@dataclass(frozen=True)
class Offset:
    """A constant with a number for each channel that is added to a layer's result, or subtracted (-1)."""

    name: str
    sign: int = 1


def nodes_of(graph: Graph, layers: Sequence[Layer]) -> dict[str, Node]:
    """The node of each layer by the layer's name: the only one that reads its weight."""
    nodes: dict[str, Node] = {}
    for layer in layers:
        weight = graph.constants.get(layer.weight or "")
        if weight is not None and len(weight.users) == 1 and not weight.result_count:
            node = next(iter(weight.users))
            if node.op in PADDLE:
                nodes[layer.name] = node
    return nodes


def only_reader(value: Value) -> Node | None:
    """The node that alone reads a value, once; None for a result of the model."""
    if value.result_count or len(value.users) != 1 or next(iter(value.users.values())) != 1:
        return None
    return next(iter(value.users))


def vector(value: Value, channels: int) -> str | None:
    """The name of a constant with a number for each channel that only one node reads; None for others."""
    if value.data is None or value.data.shape != (channels,) or only_reader(value) is None:
        return None
    return value.name


def added(node: Node, channels: int, axis: int) -> Slice | None:
    """The constant that an elementwise_add adds to the channels along `axis` of its first operand."""
    x, y = node.input("X"), node.input("Y")
    if x.shape is None or y.data is None or only_reader(y) is None:
        return None
    rank, sizes = len(x.shape), y.data.shape
    start = node.attrs.get("axis", -1)
    first = start if isinstance(start, int) and start >= 0 else rank - len(sizes)
    place = axis % rank - first
    if first < 0 or not 0 <= place < len(sizes) or sizes[place] != channels or y.data.size != channels:
        return None
    return Slice(y.name, place)


def offset_of(node: Node, channels: int) -> Offset | None:
    """The constant that is added to the result of a layer's node; None if there is none of its own."""
    for value in node.inputs.get("Bias", ()):
        name = vector(value, channels)
        return None if name is None else Offset(name)
    after = only_reader(next(iter(node.all_outputs())))
    if after is None:
        return None
    if after.op == "elementwise_add":
        bias = added(after, channels, 1 if "conv" in node.op else -1)
        return None if bias is None else Offset(bias.name)
    if after.op == "batch_norm":
        name = vector(after.input("Mean"), channels)
        return None if name is None else Offset(name, -1)
    return None
