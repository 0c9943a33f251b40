"""Fuses the parts of squeeze-and-excite."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.ir.program import AttrValue
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.convolution.convolution import (
    activation_of,
    groups_of,
    is_pointwise,
    is_unpadded,
    sole_convolution,
)
from lite.passes.match import attributes, become, is_plain_float, sole_producer
from lite.passes.registry import register_pass


@register_pass
class SqueezeExciteFusePass(Pass):
    """Replaces an image times a gate that two 1×1 convolutions compute from the means of its channels::

        %m = pool2d(X=%x) {pooling_type = "avg", global_pooling = true}
        Output=%s = conv2d(Input=%m, Filter=%w1, Bias=%b1) {activation = "relu"}
        Output=%g = conv2d(Input=%s, Filter=%w2, Bias=%b2) {activation = "hard_sigmoid"}
        %y = elementwise_mul(X=%x, Y=%g)
        ->
        %y = squeeze_excite(X=%x, Squeeze=%w1, SqueezeBias=%b1, Excite=%w2, ExciteBias=%b2)
                 {squeeze_activation = "relu", excite_activation = "hard_sigmoid"}

    PostScale and PostShift of the second convolution become GateScale and GateShift.
    """

    name: ClassVar[str] = "squeeze_excite_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("elementwise_mul",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "conv_activation_fuse_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """The parts stay if another node reads a value in between."""
        changes = [_fuse(node) for node in graph if node.op == "elementwise_mul"]
        return Outcome.of(any(changes))


def _fuse(product: Node) -> bool:
    attrs = attributes(product)
    if attrs["scale"] != 1 or attrs["bias"] != 0:
        return False
    x, y = product.input("X"), product.input("Y")
    return any(_fuse_gate(product, image, gate) for image, gate in ((x, y), (y, x)))


def _fuse_gate(product: Node, image: Value, gate: Value) -> bool:
    if image.shape is None or len(image.shape) != 4 or not is_plain_float(image, product.output("Out")):
        return False
    excite = _pointwise(gate)
    squeeze = None if excite is None else _pointwise(excite.input("Input"))
    if excite is None or squeeze is None or {"PostScale", "PostShift"} & squeeze.inputs.keys():
        return False
    pool = sole_producer(squeeze.input("Input"), ("pool2d",))
    if pool is None or not _is_mean(pool) or pool.input("X") is not image:
        return False
    inputs = {
        "X": [image],
        "Squeeze": squeeze.inputs["Filter"],
        "SqueezeBias": squeeze.inputs.get("Bias", []),
        "Excite": excite.inputs["Filter"],
        "ExciteBias": excite.inputs.get("Bias", []),
        "GateScale": excite.inputs.get("PostScale", []),
        "GateShift": excite.inputs.get("PostShift", []),
    }
    inputs = {slot: list(values) for slot, values in inputs.items()}
    become(
        product,
        "squeeze_excite",
        inputs,
        {**_activation(squeeze, "squeeze"), **_activation(excite, "excite")},
    )
    return True


def _pointwise(value: Value) -> Node | None:
    """The dense layer that computes `value`: a 1×1 convolution whose weights are constants."""
    conv = sole_convolution(value)
    if conv is None or conv.op != "conv2d" or "ResidualData" in conv.inputs:
        return None
    attrs = attributes(conv)
    plain = groups_of(attrs) == 1 and attrs["data_format"] != "NHWC"
    return conv if plain and is_pointwise(conv) and is_unpadded(conv) else None


def _is_mean(pool: Node) -> bool:
    attrs = attributes(pool)
    whole = attrs["global_pooling"] or (attrs["adaptive"] and attrs["ksize"] == [1, 1])
    return bool(whole) and attrs["pooling_type"] == "avg" and attrs["data_format"] != "NHWC"


def _activation(conv: Node, prefix: str) -> dict[str, AttrValue]:
    attrs = attributes(conv)
    params = attrs["activation_params"] if attrs["activation"] else []
    return {f"{prefix}_activation": activation_of(conv), f"{prefix}_params": params}
