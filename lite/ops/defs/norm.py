"""Normalisations: by batch, layer, group, instance, neighbouring channels, or a vector's length."""

from lite.ir.program import AttrType
from lite.ir.types import Dim, DType
from lite.ops.rules import same_as, total
from lite.ops.schema import Attr, floats, op
from lite.ops.view import Inferred, Meta, OpView
from lite.ops.window import channels


def _statistics_dtype(dtype: DType) -> DType:
    """The type of means and variances: narrow types are summed in float32."""
    return dtype if dtype == DType.FLOAT64 else DType.FLOAT32


def _batch_norm(op: OpView) -> Inferred:
    x = op["X"]
    count = channels(op.text("data_layout"), x.dims)
    statistic = Meta(_statistics_dtype(x.dtype), (count,))
    names = ("MeanOut", "VarianceOut", "SavedMean", "SavedVariance")
    return {"Y": Meta(x.dtype, x.shape), **dict.fromkeys(names, statistic)}


def _layer_norm(op: OpView) -> Inferred:
    x, axis = op["X"], op.integer("begin_norm_axis")
    if not 0 <= axis < x.rank:
        raise op.error("attribute begin_norm_axis", f"an axis of {x}", axis)
    statistic = Meta(_statistics_dtype(x.dtype), (total(x.dims[:axis]),))
    return {"Y": Meta(x.dtype, x.shape), "Mean": statistic, "Variance": statistic}


def _group_norm(op: OpView) -> Inferred:
    x, groups = op["X"], op.integer("groups")
    count = channels(op.text("data_layout"), x.dims)
    if groups < 1 or (isinstance(count, int) and count % groups):
        raise op.error("attribute groups", f"a divisor of {count} channels", groups)
    statistic = Meta(_statistics_dtype(x.dtype), (x.dims[0], groups))
    return {"Y": Meta(x.dtype, x.shape), "Mean": statistic, "Variance": statistic}


def _instance_norm(op: OpView) -> Inferred:
    x = op["X"]
    statistic = Meta(_statistics_dtype(x.dtype), (total(x.dims[:2]),))
    return {"Y": Meta(x.dtype, x.shape), "SavedMean": statistic, "SavedVariance": statistic}


def _norm(op: OpView) -> Inferred:
    x = op["X"]
    axis = x.axis(op.integer("axis"))
    if not 0 <= axis < x.rank:
        raise op.error("attribute axis", f"an axis of {x}", op.integer("axis"))
    lengths = (*x.dims[:axis], 1, *x.dims[axis + 1 :])
    return {"Out": Meta(x.dtype, x.shape), "Norm": Meta(x.dtype, lengths)}


def _lrn(op: OpView) -> Inferred:
    x = Meta(op["X"].dtype, op["X"].shape)
    return {"Out": x, "MidOut": x}


def _p_norm(op: OpView) -> Meta:
    x, keep = op["X"], op.flag("keepdim")
    if op.flag("asvector"):
        return Meta(x.dtype, (1,) * x.rank if keep else ())
    axis = x.axis(op.integer("axis"))
    if not 0 <= axis < x.rank:
        raise op.error("attribute axis", f"an axis of {x}", op.integer("axis"))
    kept: tuple[Dim, ...] = (1,) if keep else ()
    return Meta(x.dtype, (*x.dims[:axis], *kept, *x.dims[axis + 1 :]))


_BATCH_NORM: dict[str, float | bool | str] = {
    "epsilon": 1e-5,
    "data_layout": "NCHW",
    "is_test": True,
    "use_global_stats": False,
    "trainable_statistics": False,
}
for _name in ("batch_norm", "sync_batch_norm"):
    op(
        _name,
        "X:float/2- Scale?:float Bias?:float Mean:float Variance:float MomentumTensor?:float",
        "Y MeanOut? VarianceOut? SavedMean? SavedVariance? ReserveSpace?",
        _batch_norm,
        attrs=_BATCH_NORM,
        lod="X",
        inplace={"Y": "X"},
        canonical="batch_norm" if _name == "sync_batch_norm" else None,
    )

op(
    "layer_norm",
    "X:float/1- Scale?:float Bias?:float",
    "Y Mean? Variance?",
    _layer_norm,
    attrs={"epsilon": 1e-5, "begin_norm_axis": 1},
    lod="X",
)
op(
    "group_norm",
    "X:float/2- Scale?:float Bias?:float",
    "Y Mean? Variance?",
    _group_norm,
    attrs={"epsilon": 1e-5, "groups": Attr(AttrType.INT, None, low=1), "data_layout": "NCHW"},
)
op(
    "instance_norm",
    "X:float/2- Scale?:float Bias?:float",
    "Y SavedMean? SavedVariance?",
    _instance_norm,
    attrs={"epsilon": 1e-5, "activation": "", "activation_params": floats()},
)
op(
    "lrn",
    "X:float/4",
    "Out MidOut?",
    _lrn,
    attrs={"n": 5, "k": 2.0, "alpha": 0.0001, "beta": 0.75, "data_format": "AnyLayout"},
)
op("norm", "X:float/1-", "Out Norm?", _norm, attrs={"axis": -1, "epsilon": 1e-10}, lod="X")
op(
    "p_norm",
    "X:float",
    "Out",
    _p_norm,
    attrs={"porder": 2.0, "axis": -1, "epsilon": 1e-12, "keepdim": False, "asvector": False},
)
op(
    "affine_channel",
    "X:float/2- Scale:float Bias:float",
    "Out",
    same_as("X"),
    attrs={"data_layout": "NCHW"},
    lod="X",
    inplace={"Out": "X"},
)
