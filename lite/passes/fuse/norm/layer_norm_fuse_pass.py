"""Fuses the parts of layer_norm."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from lite.dataclass import dataclass
from lite.ir.graph import Graph, Node, Value
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.activation.powers import power_of
from lite.passes.fuse.elementwise.affine import affine
from lite.passes.match import attributes, become, is_plain_float, producer, sole_producer
from lite.passes.registry import register_pass


@dataclass(frozen=True)
class _Norm:
    """The last node of ``(x − mean) / √(variance + epsilon)`` over the axes from `begin` on."""

    last: Node
    x: Value
    epsilon: float
    begin: int


@register_pass
class LayerNormFusePass(Pass):
    """Replaces mean, deviation, variance, root, quotient and optional scale and bias by layer_norm::

        %m = reduce_mean(X=%x) {dim = [-1], keep_dim = true}
        %d = elementwise_sub(X=%x, Y=%m)             ->  Y=%y = layer_norm(X=%x, Scale=%w, Bias=%b)
        %q = square(X=%d)                                    {epsilon = 1e-5, begin_norm_axis = 2}
        %v = reduce_mean(X=%q) {dim = [-1], keep_dim = true}
        %e = scale(X=%v) {bias = 1e-5}
        %s = sqrt(X=%e)
        %n = elementwise_div(X=%d, Y=%s)
        %p = elementwise_mul(X=%n, Y=%w)
        %y = elementwise_add(X=%p, Y=%b)

    Scale and bias are constants with one number for each element of the last axes.
    """

    name: ClassVar[str] = "layer_norm_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("reduce_mean",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Means over axes that are not the last ones, or over all axes, stay."""
        quotients = ("elementwise_div", "elementwise_mul")
        changes = [_fuse(graph, node) for node in graph if node.op in quotients]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))


def _fuse(graph: Graph, node: Node) -> bool:
    norm = _norm(node)
    if norm is None:
        return False
    last, inputs = norm.last, {"X": [norm.x]}
    for op, slot in (("elementwise_mul", "Scale"), ("elementwise_add", "Bias")):
        user = last.output("Out").only_user
        vector = None if user is None or user.op != op else _vector(graph, user, last.output("Out"), norm)
        if user is not None and vector is not None:
            last, inputs[slot] = user, [vector]
    become(last, "layer_norm", inputs, {"epsilon": norm.epsilon, "begin_norm_axis": norm.begin})
    return True


def _norm(node: Node) -> _Norm | None:
    deviation, variance, epsilon = _deviation_over_root(node)
    if deviation is None or variance is None:
        return None
    mean = sole_producer(variance, ("reduce_mean",))
    sub = producer(deviation, ("elementwise_sub",))
    if mean is None or sub is None or power_of(mean.input("X"), deviation) != 2:
        return None
    x = sub.input("X")
    begin = _first_axis(mean, x)
    first = sole_producer(sub.input("Y"), ("reduce_mean",))
    if begin is None or first is None or first.input("X") is not x or _first_axis(first, x) != begin:
        return None
    if mean.input("X").only_user is not mean:
        return None
    values = (x, deviation, mean.input("X"), variance, node.output("Out"))
    readers = {mean.input("X").producer, node}
    if not is_plain_float(*values) or deviation.is_result or set(deviation.users) - readers:
        return None
    return _Norm(node, x, epsilon, begin)


def _deviation_over_root(node: Node) -> tuple[Value | None, Value | None, float]:
    """The dividend, and the value under the root with the number that is added to it."""
    x, y = node.input("X"), node.input("Y")
    if node.op == "elementwise_mul":
        attrs = attributes(node)
        if attrs["scale"] != 1 or attrs["bias"] != 0:
            return None, None, 0.0
    wanted = 0.5 if node.op == "elementwise_div" else -0.5
    pairs = ((x, y),) if node.op == "elementwise_div" else ((x, y), (y, x))
    for deviation, root in pairs:
        if root.only_user is None:
            continue
        for inner in _inner(root):
            found = None if inner.producer is None or inner.only_user is None else affine(inner.producer)
            plus = found is not None and found.factor == 1 and found.shift > 0
            if found is not None and plus and power_of(root, inner) == wanted:
                return deviation, found.x, found.shift
    return None, None, 0.0


def _inner(root: Value) -> list[Value]:
    """The values that may be under the root: one or two ops before it, as in ``1 / √e``."""
    found: list[Value] = []
    value = root
    for _ in range(2):
        node = value.producer
        if node is None or len(node.inputs.get("X", ())) != 1:
            break
        if value is not root and value.only_user is None:
            break
        value = node.input("X")
        found.append(value)
    return found


def _first_axis(mean: Node, x: Value) -> int | None:
    """The first of the last axes over which a mean is taken, kept as ones; never the first of all axes."""
    attrs = attributes(mean)
    if x.shape is None or not attrs["keep_dim"] or attrs["reduce_all"]:
        return None
    if attrs["out_dtype"] not in (-1, None if x.dtype is None else x.dtype.code):
        return None
    rank = len(x.shape)
    axes = sorted({axis % rank for axis in attrs.integers("dim")}) if rank else []
    return axes[0] if axes and axes[0] > 0 and axes == list(range(axes[0], rank)) else None


def _vector(graph: Graph, node: Node, value: Value, norm: _Norm) -> Value | None:
    """The other operand of a product or sum, one number for each element of the last axes."""
    constant = node.input("Y") if node.input("X") is value else node.input("X")
    attrs = attributes(node)
    shape = () if norm.x.shape is None else norm.x.shape
    data, last = constant.data, shape[norm.begin :]
    if data is None or constant.dtype != norm.x.dtype or not is_plain_float(constant, node.output("Out")):
        return None
    if attrs.get("scale", 1.0) != 1 or attrs.get("bias", 0.0) != 0:
        return None
    # The result has the LoD of X.
    if constant is node.input("X") and norm.x.lod_level:
        return None
    sizes = [dim for dim in last if isinstance(dim, int)]
    at_end = data.ndim <= len(shape) and attrs["axis"] in (-1, len(shape) - data.ndim)
    if not at_end or data.shape[-len(last) :] != last or data.size != math.prod(sizes):
        return None
    return (
        constant
        if data.ndim == 1
        else graph.add_constant(constant.name, np.ascontiguousarray(data).reshape(-1))
    )
