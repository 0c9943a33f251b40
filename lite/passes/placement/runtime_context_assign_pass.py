"""Checks that every node can run on its place."""

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
    """Checks that every node has a kernel and that its inputs are stored as the kernel requires.

    In Paddle-Lite, this pass gives each kernel a context of its target.  Here contexts belong to the
    runtime, of which every clone of a predictor has one.  The pass only checks what kernels need before
    they get one, because a list of passes in an unusual order may lack casts::

        %y = relu(X=%x) @npu/any/any, %x on the host  ->  PassError
    """

    name: ClassVar[str] = "runtime_context_assign_pass"
    after: ClassVar[tuple[str, ...]] = ("static_kernel_pick_pass", "type_target_cast_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Raises `PassError` for the first node that cannot run, with the reason."""
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
    """Why the kernel of a node cannot read a value, in one sentence; None if it can."""
    place = node.place
    if place is None or value.place is None:
        return None
    text = f"its kernel on {place} cannot read {value!r} on {value.place}"
    if not shares_memory(target_of(value), target):
        return f"{text}; run type_target_cast_pass after static_kernel_pick_pass"
    if is_image(value) and Layout.ANY is not place.layout is not value.place.layout:
        return f"{text}; run type_layout_cast_pass after static_kernel_pick_pass"
    return None
