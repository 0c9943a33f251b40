"""Makes fused_attention of attention that keeps no keys and values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from lite.ir.graph import Graph, Node, Value
from lite.ir.program import AttrValue
from lite.ir.types import UNKNOWN, Dim, DType
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes, become, is_plain_float
from lite.passes.registry import register_pass

_OTHERS = ("PastKey", "PastValue", "KeyLengths", "Sink")


@register_pass
class PlainAttentionFusePass(Pass):
    """Replaces ONNX's op where it does no more than the fused one::

        %y = attention(Q=%q, K=%k, V=%v, Mask=%m)  ->  %y = fused_attention(Q=%q, K=%k, V=%v, Mask=%m)
             {q_num_heads = 8, kv_num_heads = 8}            {head_number = 8, scale = 0.25,
                                                             nan_as_zero = true}

    A causal one of known sizes gets a constant mask.  Q, K and V that are the parts of one tensor become one
    operand (``fused_qkv_attention``).  It stays with keys and values from before, a cap, windows, heads that
    share keys, and a boolean mask.
    """

    name: ClassVar[str] = "plain_attention_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("attention",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """The outputs other than Out are dropped where nothing reads them."""
        limits: dict[tuple[int, int, int, DType], Value] = {}
        changes = [_fuse(node, limits) for node in graph if node.op == "attention"]
        return Outcome.of(any(changes))


def _fuse(node: Node, limits: dict[tuple[int, int, int, DType], Value]) -> bool:
    """Change a node, and return whether it did; `limits` are the masks of causal ones so far."""
    attrs, out = attributes(node), node.output("Out")
    q, k, v = operands = [node.input(slot) for slot in ("Q", "K", "V")]
    if any(value.is_used for value in node.all_outputs() if value is not out):
        return False
    if any(node.optional_input(slot) is not None for slot in _OTHERS) or not is_plain_float(*operands):
        return False
    windows = (attrs.integer("left_window_size"), attrs.integer("right_window_size"))
    if attrs.real("softcap") > 0 or windows != (-1, -1) or len({value.dtype for value in operands}) > 1:
        return False
    heads, depth = _heads(operands, attrs.integer("q_num_heads"), attrs.integer("kv_num_heads"))
    mask = node.optional_input("Mask")
    if not depth or not _adds(mask, q, k):
        return False
    may_be_empty = mask is not None
    if attrs.flag("is_causal"):
        rows, keys = ((value.shape or ())[1 if heads else 2] for value in (q, k))
        if mask is not None or not isinstance(rows, int) or not isinstance(keys, int) or q.dtype is None:
            return False
        first = keys - rows if attrs.flag("causal_lower_right") else 0
        may_be_empty = first < 0
        mask = limits.get((rows, keys, first, q.dtype))
        if mask is None:
            numbers = np.where(np.tri(rows, keys, first, dtype=bool), 0, -np.inf).astype(q.dtype.numpy)
            mask = limits[rows, keys, first, q.dtype] = node.graph.add_constant(f"{out.name}_causal", numbers)
    settings: dict[str, AttrValue] = {
        "scale": attrs.real("scale") or depth**-0.5,
        "head_number": heads,
        "nan_as_zero": may_be_empty,
    }
    inputs = {} if mask is None else {"Mask": [mask]}
    node.outputs = {"Out": [out]}
    packed = _packed(operands) if heads else None
    if packed is not None:
        become(node, "fused_qkv_attention", {"QKV": [packed], **inputs}, settings)
    else:
        become(node, "fused_attention", {"Q": [q], "K": [k], "V": [v], **inputs}, settings)
    return True


def _heads(operands: Sequence[Value], q_heads: int, kv_heads: int) -> tuple[int, int | None]:
    """The heads in the rows of operands, 0 where they are an axis, and the columns of a head, if known."""
    shapes = [value.shape or () for value in operands]
    ranks, columns = {len(shape) for shape in shapes}, shapes[0][-1] if shapes[0] else None
    if ranks == {3} and q_heads == kv_heads > 0 and isinstance(columns, int):
        return q_heads, columns // q_heads
    if ranks == {4} and _are_same([shape[1] for shape in shapes]) and isinstance(columns, int):
        return 0, columns
    return 0, None


def _are_same(sizes: Sequence[Dim]) -> bool:
    """Whether sizes are the same, also if only the run knows them."""
    return UNKNOWN not in sizes and len(set(sizes)) == 1


def _adds(mask: Value | None, q: Value, k: Value) -> bool:
    """Whether a mask is one to add, with a column for each key; so is none."""
    if mask is None:
        return True
    if mask.shape is None or k.shape is None or not mask.shape or not is_plain_float(mask):
        return False
    return mask.dtype == q.dtype and _are_same([mask.shape[-1], k.shape[-2]])


def _packed(operands: Sequence[Value]) -> Value | None:
    """The tensor whose equal parts along its rows are the operands, if they are."""
    split = operands[0].producer
    if split is None or split.op != "split" or list(split.outputs.get("Out", ())) != list(operands):
        return None
    is_last = attributes(split)["axis"] in (-1, 2) and split.optional_input("AxisTensor") is None
    has_equal_parts = _are_same([(value.shape or (UNKNOWN,))[-1] for value in operands])
    return split.input("X") if is_last and has_equal_parts else None
