"""Lets products of integers scale their sums, add a bias and quantise the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import ClassVar

import numpy as np

from lite.dataclass import dataclass
from lite.ir.graph import Graph, Node, Value
from lite.ir.program import AttrValue
from lite.ir.types import Array, DType
from lite.ops.view import product
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes
from lite.passes.registry import register_pass

_FLOATS = (DType.FLOAT32, DType.FLOAT64)


@register_pass
class IntegerMatmulFusePass(Pass):
    """Merges the ops after the sums of a product of integers into the product::

        %p = integer_matmul(X=%a, Y=%b) : int32
        %f = cast(X=%p) : float32                      ->   %r = integer_matmul(X=%a, Y=%b, Scale=%s,
        %m = elementwise_mul(X=%f, Y=%s)                         Bias=%c) {out_scale=…} : uint8
        %y = elementwise_add(X=%m, Y=%c)
        %r = affine_quantize(X=%y, …) : uint8

    Scale and Bias are one number or one for each column; ops in float64 are computed in float32.  A result is
    rounded fewer times than in the model, so nothing changes in strict precision.
    """

    name: ClassVar[str] = "integer_matmul_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("integer_matmul", "affine_dequantize", "dequantize_linear")
    after: ClassVar[tuple[str, ...]] = ("quant_dequant_fuse_pass",)
    targets: ClassVar[tuple[str, ...]] = ("cpu",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Visits every product of integers."""
        if ctx.strict:
            return Outcome.UNCHANGED
        changes = [_fuse(graph, node) for node in list(graph) if node.op == "integer_matmul"]
        if any(changes):
            graph.drop_unused_constants()
        return Outcome.of(any(changes))


@dataclass(frozen=True, eq=False)
class _Epilogue:
    """``sums · scale + bias``, each a constant or a value of the graph, and the grid of bytes."""

    scale: Array | Value = field(default_factory=lambda: np.ones(1))
    bias: Array | Value | None = None
    out_scale: float = 0.0
    out_zero_point: int = 0

    def then(self, node: Node, value: Value) -> _Epilogue | None:
        """With the op of a node that reads `value`; None where it has another form."""
        if self.out_scale:
            return None
        if node.op == "cast":
            return self if node.output("Out").dtype in _FLOATS else None
        if node.op == "scale":
            attrs = attributes(node)
            if "ScaleTensor" in node.inputs or attrs.text("activation") or attrs.real("scale1") != 1:
                return None
            factor, summand = attrs.real("scale"), attrs.real("bias")
            if not attrs.flag("bias_after_scale"):
                summand *= factor
            scaled = self._times(np.array([factor]))
            return scaled if scaled is None or not summand else scaled._plus(np.array([summand]))
        if node.op in ("elementwise_mul", "elementwise_add"):
            other = _vector(node, value)
            if other is None:
                return None
            return self._times(other) if node.op == "elementwise_mul" else self._plus(other)
        return self._quantized(node) if node.op == "affine_quantize" and value.dtype in _FLOATS else None

    def _quantized(self, node: Node) -> _Epilogue | None:
        scale, zero = node.input("Scale").data, node.optional_input("ZeroPoint")
        point = np.zeros(1) if zero is None else zero.data
        is_byte = node.output("Out").dtype is DType.UINT8
        if not is_byte or scale is None or point is None or scale.size != 1 or point.size != 1:
            return None
        return replace(self, out_scale=float(scale.reshape(-1)[0]), out_zero_point=int(point.reshape(-1)[0]))

    def _times(self, factor: Array | Value) -> _Epilogue | None:
        if isinstance(factor, Value):
            is_first = not isinstance(self.scale, Value) and (self.scale == 1).all() and self.bias is None
            return replace(self, scale=factor) if is_first else None
        if isinstance(self.scale, Value) or isinstance(self.bias, Value):
            return None
        return replace(
            self, scale=self.scale * factor, bias=None if self.bias is None else self.bias * factor
        )

    def _plus(self, summand: Array | Value) -> _Epilogue | None:
        if isinstance(summand, Value):
            return replace(self, bias=summand) if self.bias is None else None
        if isinstance(self.bias, Value):
            return None
        return replace(self, bias=summand if self.bias is None else self.bias + summand)


def _vector(node: Node, value: Value) -> Array | Value | None:
    """The other operand, if it is one number or one for each element of the last axis; else None."""
    operands = [node.input("X"), node.input("Y")]
    others = [operand for operand in operands if operand is not value]
    if (
        len(others) != 1
        or value.shape is None
        or attributes(node).integer("axis") not in (-1, len(value.shape) - 1)
    ):
        return None
    [other] = others
    shape = other.shape if other.data is None else other.data.shape
    if shape is None or len(shape) > len(value.shape) or other.quant is not None:
        return None
    last = value.shape[-1] if value.shape else 1
    is_line = shape and shape[-1] == last and product(shape) == last
    if not (is_line or product(shape) == 1):
        return None
    if other.data is not None:
        return other.data.reshape(-1).astype(np.float64) if other.dtype in _FLOATS else None
    return other if other.dtype is DType.FLOAT32 else None


def _fuse(graph: Graph, node: Node) -> bool:
    if attributes(node).real("out_scale"):
        return False
    is_scaled = "Scale" in node.inputs
    epilogue, value = _Epilogue(), node.output("Out")
    path: list[Node] = []
    best: tuple[_Epilogue, int] | None = None
    while (user := value.only_user) is not None and not value.lod_level:
        following = epilogue.then(user, value)
        if following is None:
            break
        epilogue, value = following, next(iter(user.all_outputs()))
        path.append(user)
        # A product that has a scale takes no other one, only a grid.
        is_plain = (
            isinstance(epilogue.scale, np.ndarray) and (epilogue.scale == 1).all() and epilogue.bias is None
        )
        if epilogue.out_scale or (value.dtype is DType.FLOAT32 and not is_plain):
            best = epilogue, len(path)
        if is_scaled:
            break
    if best is None or (is_scaled and not best[0].out_scale):
        return False
    found, count = best
    inputs = {slot: list(values) for slot, values in node.inputs.items()}
    if not is_scaled:
        vectors = {"Scale": found.scale} | ({} if found.bias is None else {"Bias": found.bias})
        inputs |= {slot: [_value(graph, node, slot, vector)] for slot, vector in vectors.items()}
    attrs = {"out_scale": found.out_scale, "out_zero_point": found.out_zero_point} if found.out_scale else {}
    _replace(graph, node, path[:count], inputs, attrs)
    return True


def _value(graph: Graph, node: Node, slot: str, vector: Array | Value) -> Value:
    if isinstance(vector, Value):
        return vector
    name = f"{node.output('Out').name}_{slot.lower()}"
    return graph.add_constant(name, np.ascontiguousarray(vector, np.float32))


def _replace(
    graph: Graph,
    node: Node,
    path: Sequence[Node],
    inputs: Mapping[str, Sequence[Value]],
    attrs: Mapping[str, AttrValue],
) -> None:
    """A new product in the place of the last node of a path, where all its operands are computed."""
    last = path[-1]
    out = next(iter(last.all_outputs()))
    last.outputs, out.producer = {}, None
    graph.add_node("integer_matmul", inputs, {"Out": [out]}, attrs, before=last)
    for each in reversed((node, *path)):
        graph.erase(each)
