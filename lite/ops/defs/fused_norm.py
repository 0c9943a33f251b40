"""Normalisations fused with the sums before them."""

from __future__ import annotations

from lite.ops.rules import broadcast_right
from lite.ops.schema import op
from lite.ops.view import Meta, OpView


def _skip_layernorm(op: OpView) -> Meta:
    x, y = op["X"], op["Y"]
    shape = broadcast_right(op, x.dims, y.dims)
    if not 0 < op.integer("begin_norm_axis") < len(shape):
        raise op.error(
            "attribute begin_norm_axis", "an axis other than the first", op.integer("begin_norm_axis")
        )
    return Meta(x.dtype, shape)


def _embeddings(op: OpView) -> Meta:
    ids, tables = op.all("Ids"), op.all("Embs")
    if len(ids) != len(tables):
        raise op.error("Ids, Embs", "as many ids as tables", f"{len(ids)} and {len(tables)}")
    shape = (*ids[0].dims, tables[0].dims[1])
    for other, table in zip(ids[1:], tables[1:], strict=True):
        shape = broadcast_right(op, shape, (*other.dims, table.dims[1]))
    return Meta(tables[0].dtype, shape)


# Paddle's skip_layernorm op: the layer_norm of X + Y.
op(
    "skip_layernorm",
    "X:float/2- Y:float/1- Scale?:float Bias?:float",
    "Out",
    _skip_layernorm,
    attrs={"epsilon": 1e-5, "begin_norm_axis": 1},
    lod="X",
)
# Paddle's fused_embedding_eltwise_layernorm op: the layer_norm over the last axis of a sum of lookups.
op(
    "fused_embedding_eltwise_layernorm",
    "Ids*:int/1- Embs*:float/2 Scale?:float Bias?:float",
    "Out",
    _embeddings,
    attrs={"epsilon": 1e-5},
    lod="Ids",
)
