"""conv3d with channels last → transpose2 and conv3d; grid_sampler of volumes → grid_sample."""

from __future__ import annotations

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import Shape
from lite.passes.cleanup.spelling import spelling

_FIRST, _LAST = [0, 4, 1, 2, 3], [0, 2, 3, 4, 1]
"""The permutations from NDHWC to NCDHW and back."""


@spelling("conv3d", "conv3d_transpose")
def channels_first(graph: Graph, node: Node) -> bool:
    """Volumes with channels last are transposed before and after::

    %y = conv3d(Input=%x) {NDHWC}    ->    %a = transpose2(X=%x)
                                           %b = conv3d(Input=%a) {NCDHW}
                                           %y = transpose2(X=%b)
    """
    if node.attrs.get("data_format") != "NDHWC":
        return False
    x, y = node.input("Input"), node.output("Output")
    first, result = _moved(graph, x, _FIRST), _moved(graph, y, _FIRST)
    graph.add_node("transpose2", {"X": [x]}, {"Out": [first]}, {"axis": _FIRST}, before=node)
    inputs = {slot: [first] if slot == "Input" else list(values) for slot, values in node.inputs.items()}
    attrs = {**node.attrs, "data_format": "NCDHW"}
    graph.add_node(node.op, inputs, {"Output": [result]}, attrs, before=node)
    for slot in list(node.inputs):
        node.set_input(slot, ())
    node.op, node.attrs = "transpose2", {"axis": _LAST}
    node.set_input("X", [result])
    node.outputs = {"Out": [y]}
    return True


def _moved(graph: Graph, like: Value, order: list[int]) -> Value:
    value = graph.new_value(graph.unique_name(f"{like.name}_moved"), like=like)
    if like.shape is not None:
        shape: Shape = tuple(like.shape[axis] for axis in order)
        value.shape = shape
    return value


@spelling("grid_sampler")
def grid_of_volume(_: Graph, node: Node) -> bool:
    """Samples of volumes are `grid_sample`, which names its modes as ONNX does."""
    x, y = node.input("X"), node.output("Output")
    if x.shape is None or len(x.shape) != 5:
        return False
    mode = node.attrs.get("mode", "bilinear")
    node.op = "grid_sample"
    node.attrs = {
        "mode": "nearest" if mode == "nearest" else "linear",
        "padding_mode": node.attrs.get("padding_mode", "zeros"),
        "align_corners": node.attrs.get("align_corners", True),
    }
    node.outputs = {"Out": [y]}
    return True
