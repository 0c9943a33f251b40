"""Matrix products, attention and determinants."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.tools.fuzz.draw import Draw, Value, row
from lite.tools.fuzz.evaluate import Rejected


@row(1.4)
def matmul(d: Draw) -> Value:
    """MatMul of every combination of ranks, with constants on either side."""
    x = d.value(low=1, high=4, where=lambda v: 0 not in v.shape)
    inner = x.shape[-1]
    if d.chance(0.3) and x.rank >= 2:
        other = d.find(where=lambda v: v.rank >= 2 and v.shape[-2] == inner and v.shape[:-2] == x.shape[:-2])
        if other is not None:
            return d.node("MatMul", [x, other])
    columns = d.pick((1, 2, 3, 4, 8, 16))
    kind = d.integer(0, 4)
    shape: tuple[int, ...] = (inner, columns)
    if kind == 0:
        shape = (inner,)
    elif kind == 1 and x.rank > 2:
        shape = (*(n if d.chance(0.6) else 1 for n in x.shape[:-2]), inner, columns)
    elif kind == 2 and x.rank >= 2:
        rows = d.integer(1, 4)
        left = d.fresh(d.array((rows, x.shape[-2])), constant=0.7)
        return d.node("MatMul", [left, x])
    return d.node("MatMul", [x, d.fresh(d.array(shape), constant=0.8)])


@row(0.9)
def gemm(d: Draw) -> Value:
    """Gemm with transposes, scales, and biases of every broadcastable shape."""
    x = d.value(rank=2, where=lambda v: 0 not in v.shape)
    trans_a, trans_b = d.integer(0, 1), d.integer(0, 1)
    rows, inner = x.shape[::-1] if trans_a else x.shape
    columns = d.pick((1, 2, 3, 8))
    w = d.fresh(d.array((columns, inner) if trans_b else (inner, columns)), constant=0.85)
    c = []
    if d.chance(0.7):
        c = [d.fresh(d.array(d.pick(((columns,), (1, columns), (rows, 1), (rows, columns), (), (1,)))))]
    attrs: dict[str, Any] = {"alpha": d.real()} if d.chance(0.3) else {}
    attrs |= {"beta": d.real()} if d.chance(0.3) else {}
    return d.node("Gemm", [x, w, *c], transA=trans_a, transB=trans_b, **attrs)


@row(0.3)
def einsum(d: Draw) -> Value:
    """Einsum in common and odd forms."""
    equation = _product(d) if d.chance(0.5) else d.pick(_EQUATIONS)
    # ONNX Runtime takes an axis of size 1 for any size, also where the model gives both one name.
    least = d.integer(1, 2)
    sizes = {letter: d.integer(least, 4) for letter in sorted({*equation, "b"})} | {"h": 2}
    inputs = []
    for term in equation.split("->")[0].split(","):
        array = d.array([sizes[letter] for letter in term.replace("...", "b")])
        if d.outer is not None or d.chance(0.4):
            inputs.append(d.constant(array))
        else:
            inputs.append(d.input(array, is_fixed=least == 1, valid=_without_ones))
    return d.node("Einsum", inputs, equation=equation)


_EQUATIONS = (
    "bnk,bkm->bnm",
    "bhnk,bhmk->bhnm",
    "bnhk,bmhk->bhnm",
    "...nhk,...mhk->...hnm",
    "...hnm,...mhk->...nhk",
    "...nk,km->...nm",
    "bnk,khm->bnhm",
    "bnhk,hkm->bnm",
    "nk,mk->nm",
    "bn,bn->b",
    "nk->kn",
    "...nk->...kn",
    "bnk->bk",
    "nk,k->n",
    "bnk,km->bnm",
    "bhnk,bhkm->bnhm",
    "nn->n",
    "bn,bm->nm",
)


def _without_ones(array: np.ndarray[Any, Any]) -> bool:
    return 1 not in array.shape


def _product(d: Draw) -> str:
    """A product of two tensors over up to two batch axes, rows, columns and sums, in any order."""
    letters = iter("abcdefgh")
    batch, rows, columns, sums = ("".join(next(letters) for _ in range(d.integer(0, 2))) for _ in range(4))
    terms = (batch + rows + sums, batch + sums + columns, batch + rows + columns)
    first, second, result = ("".join(d.random.sample(term, len(term))) for term in terms)
    return f"{first or 'a'},{second or 'a'}->{result}"


@row(0.3)
def attention(d: Draw) -> Value:
    """Attention of opset 23, on three and four axes, with masks."""
    if d.opset < 23:
        raise Rejected("no Attention yet")
    batch, heads, queries, keys, size = (d.integer(1, 3) for _ in range(5))
    q, k, v = (d.fresh(d.array((batch, heads, n, size)), constant=0.2) for n in (queries, keys, keys))
    mask = [d.fresh(d.array((queries, keys), d.pick(("float32", "bool"))))] if d.chance(0.4) else []
    attrs: dict[str, Any] = {"is_causal": 1} if d.chance(0.3) and not mask else {}
    return d.node("Attention", [q, k, v, *mask], **attrs)


@row(0.1)
def determinants(d: Draw) -> Value:
    """Det, MaxUnpool's inverse pair, CumProd-like rarities."""
    n = d.integer(1, 3)
    return d.node("Det", [d.fresh(d.array((*d.dims(d.integer(0, 1)), n, n)))])
