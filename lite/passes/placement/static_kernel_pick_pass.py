"""Picks the kernel that runs each op."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from typing import ClassVar

from lite.errors import PassError, suggest
from lite.ir.graph import Graph, Node
from lite.ir.types import HOST, DType, Layout, Place
from lite.ops import SCHEMAS, canonical_op
from lite.ops.window import is_channel_last
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.registry import register_pass
from lite.plugin.kernel import Kernel, kernels_of
from lite.plugin.loader import load_kernels

_HALVES = (DType.FLOAT16, DType.BFLOAT16)
_Key = tuple[int, bool, bool, bool, int]


@register_pass
class StaticKernelPickPass(Pass):
    """Gives every node the place of the kernel that runs it::

        %y = relu(X=%x)  ->  %y = relu(X=%x) @host/any/any

    Paddle-Lite adds up points for target, element type and layout, weighted by the rank of the place.
    Here the same order of importance is a sort key, smallest first: the position of the place in
    `valid_places`, whether the kernel names an element type, whether this is the type of the op, whether
    the kernel has the layout of the place, and the order of registration.  A place with a floating point
    type accepts ops of any other one, around which ``type_precision_cast_pass`` puts casts.  So do kernels
    for float32 accept ops of float16 and bfloat16 unless every rounding is kept (`PassContext.strict`): few
    processors compute in these types.  The host is always the last place.  The executor runs ops with
    control flow, so they get no kernel.
    """

    name: ClassVar[str] = "static_kernel_pick_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)
    whole_program: ClassVar[bool] = True

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Raises one `PassError` that lists all ops without a kernel."""
        nodes = [node for each in graph.walk() for node in each if not _is_executed(node)]
        others = list(takewhile(lambda place: place.target != HOST, ctx.valid_places))
        widens = not ctx.strict
        picks = _picks(nodes, others, widens=widens)
        left = [node for node, kernel in picks.items() if kernel is None]
        places = [*ctx.valid_places, *([] if Place(HOST) in ctx.valid_places else [Place(HOST)])]
        # Few models need many kernels of the host: they are imported for the ops that no other kernel runs.
        picks |= _picks(left, places, widens=widens)
        missing = Counter(node.op for node in left if picks[node] is None)
        if missing:
            load_kernels(missing)
            raise PassError(_missing_text(missing, places))
        changed = False
        for node, kernel in picks.items():
            place = kernel.place if kernel is not None else None
            changed |= node.place != place
            node.place = place
        return Outcome.of(changed)


def _picks(nodes: Sequence[Node], places: Sequence[Place], *, widens: bool) -> dict[Node, Kernel | None]:
    """The kernel of each node on one of these places; None for a node without one.

    With `widens`, kernels for float32 run ops of float16 and bfloat16.
    """
    ops = sorted({node.op for node in nodes})
    load_kernels(ops, {place.target for place in places})
    places = _with_own_types(places, ops)
    return {node: _pick(node, places, widens=widens) for node in nodes}


def _with_own_types(places: Sequence[Place], ops: Sequence[str]) -> list[Place]:
    """The places; after one with a type for which its target has no kernel, the target with any type.

    Such a place asks for small weights: kernels for float32 read them.
    """
    found = {(kernel.place.target, kernel.place.dtype) for op in ops for kernel in kernels_of(op)}
    widened: list[Place] = []
    for place in places:
        widened.append(place)
        if place.dtype is not None and (place.target, place.dtype) not in found:
            widened.append(Place(place.target, None, place.layout))
    return widened


def _is_executed(node: Node) -> bool:
    schema = SCHEMAS.get(node.op)
    return bool(node.blocks) or (schema is not None and schema.control_flow)


def _pick(node: Node, places: Sequence[Place], *, widens: bool) -> Kernel | None:
    dtype, channel_last = _dtype(node), _has_channel_last(node)
    taken = (dtype, DType.FLOAT32) if widens and dtype in _HALVES else (dtype,)
    keys = [
        (
            (
                position,
                kernel.place.dtype is None,
                kernel.place.dtype is not dtype,
                kernel.place.layout != place.layout,
                order,
            ),
            kernel,
        )
        for order, kernel in enumerate(kernels_of(node.op))
        for position, place in enumerate(places)
        if any(_fits(kernel.place, place, each) for each in taken)
        and not (channel_last and kernel.place.layout is Layout.NHWC)
    ]
    return min(keys, key=_first)[1] if keys else None


def _first(pair: tuple[_Key, Kernel]) -> _Key:
    return pair[0]


def _dtype(node: Node) -> DType | None:
    """The first floating point type among the inputs and outputs of a node, or else the first type."""
    types = [value.dtype for value in (*node.all_inputs(), *node.all_outputs()) if value.dtype is not None]
    return next((dtype for dtype in types if dtype.is_float), types[0] if types else None)


def _fits(kernel: Place, place: Place, dtype: DType | None) -> bool:
    return (
        kernel.target == place.target
        and _takes(kernel.dtype, place.dtype, dtype)
        and (kernel.layout == place.layout or Layout.ANY in (kernel.layout, place.layout))
    )


def _takes(kernel: DType | None, place: DType | None, dtype: DType | None) -> bool:
    """Whether a kernel for one element type can run an op of `dtype` on a place for the type `place`.

    A place for another floating point type than the op's asks for casts before and after the op.  An op
    without floating point types needs a kernel for its own type, whatever the place's.
    """
    if kernel is None:
        return True
    if dtype is not None and not dtype.is_float:
        return kernel is dtype
    if place is not None and dtype is not None:
        return kernel is place and (kernel is dtype or kernel.is_float)
    return kernel is dtype and place in (None, kernel)


def _has_channel_last(node: Node) -> bool:
    """Whether the op's own data format is NHWC; kernels for NHWC run only ops whose format is NCHW."""
    formats = (node.attrs.get(name) for name in ("data_format", "data_layout"))
    return any(isinstance(text, str) and is_channel_last(text) for text in formats)


def _missing_text(missing: Counter[str], places: Sequence[Place]) -> str:
    lines = [f"  {op} × {count}: {_reason(op)}" for op, count in sorted(missing.items())]
    tried = ", ".join(str(place) for place in places)
    types = "1 op type" if len(missing) == 1 else f"{len(missing)} op types"
    text = f"no kernel for {types} (places tried: {tried}):\n" + "\n".join(lines)
    is_old = any(canonical_op(op) != op for op in missing)
    return f"{text}\nold spellings have none: canonicalize_pass must run before" if is_old else text


def _reason(op: str) -> str:
    kernels = kernels_of(op)
    if kernels:
        return "there are kernels for " + ", ".join(sorted({str(kernel.place) for kernel in kernels}))
    if op in SCHEMAS:
        return "no target has one"
    return f"the op is unknown{suggest(op, SCHEMAS)}"
