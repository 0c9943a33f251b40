"""Every node can run where it was placed."""

from __future__ import annotations

from typing import ClassVar

from lite.errors import PassError
from lite.ir.graph import Graph, Node, Value
from lite.ir.types import Layout
from lite.ops import SCHEMAS
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.placement.cast_insertion import COPIES, is_image, target_of
from lite.passes.registry import register_pass
from lite.plugin.kernel import KERNELS
from lite.plugin.kernel.target import shares_memory


@register_pass
class RuntimeContextAssignPass(Pass):
    """Changes nothing: checks that every node has a kernel, which gets the values it is declared for.

    Paddle-Lite gives each kernel a context of its target here.  Ours belong to the runtime, of which
    every clone has one, so that a graph holds none; what a kernel needs before that is checked, since a
    list of passes in an odd order may have left casts out::

        %y = relu(X=%x) @npu/any/any, %x on the host  ->  PassError
    """

    name: ClassVar[str] = "runtime_context_assign_pass"
    after: ClassVar[tuple[str, ...]] = ("static_kernel_pick_pass", "type_target_cast_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Raises `PassError` for the first node that cannot run, with what it lacks."""
        for node in graph:
            schema = SCHEMAS.get(node.op)
            if node.blocks or (schema is not None and schema.control_flow):
                continue
            problem = _problem(node)
            if problem is not None:
                raise PassError(f"{node!r}: {problem}")
        return Outcome.UNCHANGED


def _problem(node: Node) -> str | None:
    if node.place is None:
        return "no kernel was picked; static_kernel_pick_pass must run before"
    if (node.op, node.place) not in KERNELS:
        return f"there is no kernel on {node.place}"
    if node.op in COPIES:
        return None
    return next(
        (text for value in node.all_inputs() if (text := _misfit(node.place.target, node, value))), None
    )


def _misfit(target: str, node: Node, value: Value) -> str | None:
    """A sentence when the kernel of `node` cannot read `value`."""
    place = node.place
    if place is None or value.place is None:
        return None
    text = f"its kernel on {place} cannot read {value!r} on {value.place}"
    if not shares_memory(target_of(value), target):
        return f"{text}; type_target_cast_pass must run behind"
    if is_image(value) and Layout.ANY is not place.layout is not value.place.layout:
        return f"{text}; type_layout_cast_pass must run behind"
    return None
