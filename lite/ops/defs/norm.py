"""Normalisations: by batch, layer, group, instance, neighbouring channels, or a vector's norm; softmax."""

from __future__ import annotations

from lite.ir.program import AttrType
from lite.ir.types import UNKNOWN, Dim, DType
from lite.ops.attrs import Attr, floats, number
from lite.ops.broadcast import broadcast_right
from lite.ops.rules import checked_axis, same_as, total
from lite.ops.schema import old_spelling, op
from lite.ops.view import Inferred, Meta, OpView
from lite.ops.window import channels


def _statistics_dtype(dtype: DType) -> DType:
    """The type of means and variances: narrow types are summed in float32."""
    return dtype if dtype == DType.FLOAT64 else DType.FLOAT32


def _pairwise_coupling(op: OpView) -> Meta:
    x = op["X"]
    pairs = x.dims[1]
    if not isinstance(pairs, int):
        return Meta(x.dtype, (x.dims[0], UNKNOWN))
    classes = round((1 + (1 + 8 * pairs) ** 0.5) / 2)
    if pairs < 1 or classes * (classes - 1) // 2 != pairs:
        raise op.error("slot X", "a column for each pair of classes", x)
    return Meta(x.dtype, (x.dims[0], classes))


def _batch_norm(op: OpView) -> Inferred:
    x = op["X"]
    count = channels(op.text("data_layout"), x.dims) if x.rank > 1 else 1
    statistic = Meta(_statistics_dtype(x.dtype), (count,))
    names = ("MeanOut", "VarianceOut", "SavedMean", "SavedVariance")
    return {"Y": Meta(x.dtype, x.shape), **dict.fromkeys(names, statistic)}


def _check_vectors(op: OpView, count: Dim) -> None:
    """Raises `GraphError` if Scale or Bias does not have `count` elements."""
    for slot in ("Scale", "Bias"):
        for vector in op.all(slot):
            length = total(vector.dims) if vector.shape is not None else None
            if isinstance(length, int) and isinstance(count, int) and length != count:
                raise op.error(slot, f"{count} elements", length)


def _layer_norm(op: OpView) -> Inferred:
    x, axis = op["X"], op.integer("begin_norm_axis")
    if not 0 <= axis < x.rank:
        raise op.error("attribute begin_norm_axis", f"an axis of {x}", axis)
    _check_vectors(op, total(x.dims[axis:]))
    statistic = Meta(_statistics_dtype(x.dtype), (total(x.dims[:axis]),))
    return {"Y": Meta(x.dtype, x.shape), "Mean": statistic, "Variance": statistic}


def _group_norm(op: OpView) -> Inferred:
    x, groups = op["X"], op.integer("groups")
    count = channels(op.text("data_layout"), x.dims)
    if groups < 1 or (isinstance(count, int) and count % groups):
        raise op.error("attribute groups", f"a divisor of {count} channels", groups)
    _check_vectors(op, count)
    statistic = Meta(_statistics_dtype(x.dtype), (x.dims[0], groups))
    return {"Y": Meta(x.dtype, x.shape), "Mean": statistic, "Variance": statistic}


def _instance_norm(op: OpView) -> Inferred:
    x = op["X"]
    _check_vectors(op, x.dims[1])
    statistic = Meta(_statistics_dtype(x.dtype), (total(x.dims[:2]),))
    return {"Y": Meta(x.dtype, x.shape), "SavedMean": statistic, "SavedVariance": statistic}


def _norm(op: OpView) -> Inferred:
    x = op["X"]
    axis = checked_axis(op, x, op.integer("axis"), "attribute axis")
    lengths = (*x.dims[:axis], 1, *x.dims[axis + 1 :])
    return {"Out": Meta(x.dtype, x.shape), "Norm": Meta(x.dtype, lengths)}


def _lrn(op: OpView) -> Inferred:
    x = Meta(op["X"].dtype, op["X"].shape)
    return {"Out": x, "MidOut": x}


def _p_norm(op: OpView) -> Meta:
    x, keep = op["X"], op.flag("keepdim")
    if op.flag("asvector"):
        return Meta(x.dtype, (1,) * x.rank if keep else ())
    axis = checked_axis(op, x, op.integer("axis"), "attribute axis")
    kept: tuple[Dim, ...] = (1,) if keep else ()
    return Meta(x.dtype, (*x.dims[:axis], *kept, *x.dims[axis + 1 :]))


# A vector is a sample of one channel in each element, as in ONNX.
op(
    "batch_norm",
    "Normalisation by the mean and variance of each channel.",
    "X:float/1- Scale?:float Bias?:float Mean:float Variance:float MomentumTensor?:float",
    "Y MeanOut? VarianceOut? SavedMean? SavedVariance? ReserveSpace?",
    _batch_norm,
    attrs={
        "epsilon": 1e-5,
        "data_layout": "NCHW",
        "is_test": True,
        "use_global_stats": False,
        "trainable_statistics": False,
    },
    lod="X",
    inplace={"Y": "X"},
)
old_spelling("sync_batch_norm", "batch_norm")
op(
    "layer_norm",
    "Normalisation over the axes from begin_norm_axis on.",
    "X:float/1- Scale?:float Bias?:float",
    "Y Mean? Variance?",
    _layer_norm,
    attrs={"epsilon": 1e-5, "begin_norm_axis": 1},
    lod="X",
)
op(
    "group_norm",
    "Normalisation over groups of channels.",
    "X:float/2- Scale?:float Bias?:float",
    "Y Mean? Variance?",
    _group_norm,
    attrs={"epsilon": 1e-5, "groups": Attr(AttrType.INT, None, low=1), "data_layout": "NCHW"},
)
op(
    "instance_norm",
    "Normalisation over each channel of each sample.",
    "X:float/2- Scale?:float Bias?:float",
    "Y SavedMean? SavedVariance?",
    _instance_norm,
    attrs={"epsilon": 1e-5, "activation": "", "activation_params": floats()},
)
op(
    "lrn",
    "Local response normalisation across neighbouring channels.",
    "X:float/4",
    "Out MidOut?",
    _lrn,
    attrs={"n": 5, "k": 2.0, "alpha": 0.0001, "beta": 0.75, "data_format": "AnyLayout"},
)
op(
    "norm",
    "X divided by its Euclidean norm along an axis.",
    "X:float/1-",
    "Out Norm?",
    _norm,
    attrs={"axis": -1, "epsilon": 1e-10},
    lod="X",
)
op(
    "p_norm",
    "Norm of order porder along an axis, or of all elements.",
    "X:float",
    "Out",
    _p_norm,
    attrs={"porder": 2.0, "axis": -1, "epsilon": 1e-12, "keepdim": False, "asvector": False},
)
op(
    "affine_channel",
    "X · Scale + Bias with one number per channel.",
    "X:float/2- Scale:float Bias:float",
    "Out",
    same_as("X"),
    attrs={"data_layout": "NCHW"},
    lod="X",
    inplace={"Out": "X"},
)


def _rms_norm(op: OpView) -> Meta:
    x, axis = op["X"], op.integer("begin_norm_axis")
    if not 0 <= axis < x.rank:
        raise op.error("attribute begin_norm_axis", f"an axis of {x}", axis)
    return Meta(x.dtype, x.shape)


op(
    "rms_norm",
    "X divided by its root mean square over the axes from begin_norm_axis on.",
    "X:float/1- Scale?:float",
    "Y",
    _rms_norm,
    attrs={"epsilon": 1e-5, "begin_norm_axis": 1},
    lod="X",
)
op(
    "lp_normalize",
    "X divided by its norm of order porder along an axis, after ONNX LpNormalization.",
    "X:float/1-",
    "Out",
    same_as("X"),
    attrs={"axis": -1, "porder": number(2, 1, 2)},
    lod="X",
)


def _skip_layernorm(op: OpView) -> Meta:
    x, y = op["X"], op["Y"]
    shape = broadcast_right(op, x.dims, y.dims)
    if not 0 < op.integer("begin_norm_axis") < len(shape):
        raise op.error("attribute begin_norm_axis", f"1 to {len(shape) - 1}", op.integer("begin_norm_axis"))
    _check_vectors(op, total(shape[op.integer("begin_norm_axis") :]))
    return Meta(x.dtype, shape)


def _embeddings(op: OpView) -> Meta:
    ids, tables = op.all("Ids"), op.all("Embs")
    if len(ids) != len(tables):
        raise op.error("Ids, Embs", "as many ids as tables", f"{len(ids)} and {len(tables)}")
    shape = (*ids[0].dims, tables[0].dims[1])
    for other, table in zip(ids[1:], tables[1:], strict=True):
        shape = broadcast_right(op, shape, (*other.dims, table.dims[1]))
    return Meta(tables[0].dtype, shape)


op(
    "skip_layernorm",
    "layer_norm of X + Y, as Paddle's fused op.",
    "X:float/2- Y:float/1- Scale?:float Bias?:float",
    "Out",
    _skip_layernorm,
    attrs={"epsilon": 1e-5, "begin_norm_axis": 1},
    lod="X",
)
op(
    "fused_embedding_eltwise_layernorm",
    "layer_norm over the last axis of a sum of embedding lookups, as Paddle's fused op.",
    "Ids*:int/1- Embs*:float/2 Scale?:float Bias?:float",
    "Out",
    _embeddings,
    attrs={"epsilon": 1e-5},
    lod="Ids",
)


def _along_axis(op: OpView) -> Meta:
    x = op["X"]
    axis = op.integer("axis")
    if x.shape and not -len(x.shape) <= axis < len(x.shape):
        raise op.error("attribute axis", f"an axis of {x}", axis)
    return Meta(x.dtype, x.shape)


for _name, _about in (
    ("softmax", "exp(X) divided by its sum along an axis."),
    ("log_softmax", "Logarithm of softmax."),
    ("hardmax", "1 at the first maximum along an axis, 0 elsewhere, after ONNX Hardmax."),
):
    op(_name, _about, "X:float", "Out", _along_axis, attrs={"axis": -1}, lod="X", inplace={"Out": "X"})
op(
    "pairwise_coupling",
    "Probabilities of classes from those of each pair. litebridge's own, for ONNX SVMClassifier.",
    "X:float/2",
    "Out",
    _pairwise_coupling,
)
