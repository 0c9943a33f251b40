"""Fuses the parts of attention."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from lite.dataclass import dataclass
from lite.ir.graph import Graph, Node, Value
from lite.ir.program import AttrValue
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.attention.heads import heads_joined, heads_of, parts_of
from lite.passes.fuse.elementwise.affine import affine_producer
from lite.passes.match import attributes, become, is_plain_float, sole_producer
from lite.passes.registry import register_pass


@dataclass(frozen=True)
class _Attention:
    """``softmax(scale · q · kᵀ + mask) · v``, whose last node is `last`.

    With `nan_as_zero`, 0 takes the place of NaN after the softmax.
    """

    last: Node
    q: Value
    k: Value
    v: Value
    mask: Value | None
    scale: float
    nan_as_zero: bool = False


@register_pass
class AttentionFusePass(Pass):
    """Replaces two products with a softmax between them by one op::

        %a = scale(X=%q) {scale = 0.25}
        %b = matmul_v2(X=%a, Y=%k) {trans_y = true}
        %c = elementwise_add(X=%b, Y=%mask)          ->  %y = fused_attention(Q=%q, K=%k, V=%v, Mask=%mask)
        %d = softmax(X=%c)                                   {scale = 0.25}
        %y = matmul_v2(X=%d, Y=%v)

    If q, k and v are heads, split from ``[batch, rows, columns]`` by reshape2 and transpose2, and the result
    is joined again, these ops are fused, too (`head_number`).  If all three are split from one tensor, that
    split is fused as well (``fused_qkv_attention``).  PyTorch's exporter replaces NaN of the softmax, which a
    row without an unmasked column has, by 0 (`nan_as_zero`)::

        %n = isnan_v2(X=%d)
        %z = where(Condition=%n, X=0, Y=%d)
        %y = matmul_v2(X=%z, Y=%v)
    """

    name: ClassVar[str] = "attention_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("softmax",)
    after: ClassVar[tuple[str, ...]] = (
        "canonicalize_pass",
        "reshape_sizes_fold_pass",
        "transpose2_matmul_fuse_pass",
    )

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """The parts stay if another node reads a value in between."""
        changes = [_fuse(node) for node in graph if node.op == "softmax"]
        return Outcome.of(any(changes))


def _fuse(softmax: Node) -> bool:
    found = _attention(softmax)
    if found is None:
        return False
    mask = {} if found.mask is None else {"Mask": [found.mask]}
    common: dict[str, AttrValue] = {"scale": found.scale}
    if found.nan_as_zero:
        common["nan_as_zero"] = True
    packed = parts_of(found.q, found.k, found.v)
    joined = heads_joined(found.last)
    if joined is not None and packed is not None:
        attrs = {**common, "head_number": packed.heads}
        become(joined, "fused_qkv_attention", {"QKV": [packed.source], **mask}, attrs)
        return True
    cut = [heads_of(value) for value in (found.q, found.k, found.v)]
    first, *others = cut
    if (
        joined is not None
        and first is not None
        and all(o is not None and o.heads == first.heads for o in others)
    ):
        sources = [[heads.source] for heads in cut if heads is not None]
        inputs = dict(zip(("Q", "K", "V"), sources, strict=True))
        become(joined, "fused_attention", {**inputs, **mask}, {**common, "head_number": first.heads})
        return True
    inputs = {"Q": [found.q], "K": [found.k], "V": [found.v]}
    become(found.last, "fused_attention", {**inputs, **mask}, common)
    return True


def _attention(softmax: Node) -> _Attention | None:
    scores, probabilities = softmax.input("X"), softmax.output("Out")
    cleared = _cleared(probabilities)
    weights = probabilities if cleared is None else cleared
    last = weights.only_user
    if last is None or last.op != "matmul_v2" or scores.shape is None or len(scores.shape) < 2:
        return None
    if attributes(softmax)["axis"] not in (-1, len(scores.shape) - 1):
        return None
    v, out = last.input("Y"), last.output("Out")
    if not _is_plain(last, trans_y=False) or last.input("X") is not weights:
        return None
    found = _scores(scores)
    if found is None or v.shape is None or len(v.shape) < 2:
        return None
    values = [found.q, found.k, v, scores, probabilities, weights, out]
    if not is_plain_float(*values) or len({value.dtype for value in values}) > 1:
        return None
    return replace(found, last=last, v=v, nan_as_zero=cleared is not None)


def _cleared(value: Value) -> Value | None:
    """``value`` with 0 in place of NaN, if that is all it is used for."""
    if len(value.users) != 2 or value.is_result:
        return None
    for test in value.users:
        is_nan = test.output("Out") if test.op == "isnan_v2" else None
        select = None if is_nan is None else is_nan.only_user
        if select is None or select.op != "where" or select.input("Y") is not value:
            continue
        zero, out = select.input("X").data, select.output("Out")
        if select in value.users and zero is not None and not zero.any() and out.shape == value.shape:
            return out
    return None


def _scores(value: Value) -> _Attention | None:
    """The attention whose scores are `value`, as far as the scores determine it."""
    add = sole_producer(value, ("elementwise_add",))
    if add is None:
        return _product(value)
    x, y = add.input("X"), add.input("Y")
    for scores, mask in ((x, y), (y, x)):
        found = _product(scores)
        aligned = attributes(add)["axis"] == -1 or _rank(scores) == _rank(mask)
        if found is not None and aligned and mask.dtype == scores.dtype and _rank(mask) <= _rank(scores):
            return replace(found, mask=mask) if is_plain_float(mask) and _rank(mask) >= 0 else None
    return None


def _product(value: Value) -> _Attention | None:
    """scale · q · kᵀ, with the scale before or after the product."""
    value, scale = _unscaled(value)
    product = sole_producer(value, ("matmul_v2",))
    if product is None or not _is_plain(product, trans_y=True):
        return None
    (q, before), (k, also) = _unscaled(product.input("X")), _unscaled(product.input("Y"))
    if min(_rank(q), _rank(k)) < 2 or not is_plain_float(value):
        return None
    return _Attention(product, q, k, k, None, scale * before * also)


def _unscaled(value: Value) -> tuple[Value, float]:
    found = affine_producer(value)
    return (value, 1.0) if found is None or not found.is_product else (found.x, found.factor)


def _is_plain(product: Node, *, trans_y: bool) -> bool:
    attrs = attributes(product)
    return not attrs["trans_x"] and attrs["trans_y"] == trans_y


def _rank(value: Value) -> int:
    return -1 if value.shape is None else len(value.shape)
