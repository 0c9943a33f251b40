"""An activation behind arithmetic of two tensors."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.activation.activations import activation_params, is_activation
from lite.passes.match import is_plain_float, sole_producer, take_output
from lite.passes.registry import register_pass

_ARITHMETIC = frozenset(f"elementwise_{name}" for name in ("add", "div", "max", "min", "mul", "pow", "sub"))


@register_pass
class ElementwiseActivationFusePass(Pass):
    """An activation becomes attributes of the arithmetic before it::

    %s = elementwise_add(X=%a, Y=%b)  ->  %y = fusion_elementwise_add_activation(X=%a, Y=%b)
    %y = relu(X=%s)                           {act_type = "relu", activation_params = []}
    """

    name: ClassVar[str] = "elementwise_activation_fuse_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "fc_fuse_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Arithmetic takes one activation; a second one behind it stays."""
        changes = [_fuse(node) for node in graph if is_activation(node)]
        return Outcome.of(any(changes))


def _fuse(activation: Node) -> bool:
    arithmetic = sole_producer(activation.input("X"), _ARITHMETIC)
    if arithmetic is None or not is_plain_float(*arithmetic.all_inputs()):
        return False
    arithmetic.op = f"fusion_{arithmetic.op}_activation"
    arithmetic.attrs["act_type"] = activation.op
    arithmetic.attrs["activation_params"] = activation_params(activation)
    take_output(arithmetic, "Out", activation, "Out")
    return True
