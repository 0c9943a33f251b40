"""Elementwise functions of one tensor that are no activations."""

from lite.ir.program import AttrType
from lite.ir.types import DType
from lite.ops.rules import same_as
from lite.ops.schema import choice, floats, number, op, required
from lite.ops.view import Meta, OpView

_REAL = (
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cos",
    "cosh",
    "erf",
    "exp",
    "expm1",
    "log",
    "log10",
    "log1p",
    "log2",
    "reciprocal",
    "rsqrt",
    "sin",
    "sinh",
    "sqrt",
    "tan",
)
_NUMBER = ("abs", "ceil", "floor", "negative", "rint", "round", "sign", "square", "trunc")


def _cast(op: OpView) -> Meta:
    return Meta(DType.from_code(op.integer("out_dtype")), op["X"].shape)


def _bitcast(op: OpView) -> Meta:
    x, dtype = op["X"], DType.from_code(op.integer("dtype"))
    if dtype.itemsize != x.dtype.itemsize:
        raise op.error("attribute dtype", f"a type as wide as {x.dtype}", dtype)
    return Meta(dtype, x.shape)


def _dropout(op: OpView) -> dict[str, Meta]:
    x = op["X"]
    return {"Out": Meta(x.dtype, x.shape), "Mask": Meta(DType.UINT8, x.shape)}


for _name in _REAL:
    op(_name, "X:float", "Out", same_as("X"), lod="X", inplace={"Out": "X"})

for _name in _NUMBER:
    op(_name, "X:number", "Out", same_as("X"), lod="X", inplace={"Out": "X"})

op(
    "scale",
    "X ScaleTensor?",
    "Out",
    same_as("X"),
    # What follows bias_after_scale is ours: a fused activation and a second `scale` behind it.
    attrs={
        "scale": 1.0,
        "bias": 0.0,
        "bias_after_scale": True,
        "activation": "",
        "activation_params": floats(),
        "scale1": 1.0,
        "bias1": 0.0,
    },
    attr_slots={"ScaleTensor": "scale"},
    lod="X",
    inplace={"Out": "X"},
)
op(
    "clip",
    "X:number Min? Max?",
    "Out",
    same_as("X"),
    attrs={"min": 0.0, "max": 0.0},
    attr_slots={"Min": "min", "Max": "max"},
    lod="X",
    inplace={"Out": "X"},
)
op(
    "cast",
    "X",
    "Out",
    _cast,
    attrs={"in_dtype": -1, "out_dtype": required(AttrType.INT)},
    lod="X",
)
# ONNX BitCast: the same bytes as another element type of the same width.
op("bitcast", "X", "Out", _bitcast, attrs={"dtype": required(AttrType.INT)}, view={"Out": "X"}, lod="X")
# ONNX Shrink; Paddle's hard_shrink has no bias, its softshrink has a bias of lambd.
op(
    "shrink",
    "X:number",
    "Out",
    same_as("X"),
    attrs={"lambd": 0.5, "bias": 0.0},
    lod="X",
    inplace={"Out": "X"},
)
op(
    "dropout",
    "X:float Seed?",
    "Out Mask?",
    _dropout,
    attrs={
        "dropout_prob": number(0.5, 0.0, 1.0),
        "dropout_implementation": choice("downgrade_in_infer", "upscale_in_train"),
    },
    lod="X",
    inplace={"Out": "X"},
)
op(
    "pow",
    "X:number FactorTensor?",
    "Out",
    same_as("X"),
    attrs={"factor": 1.0},
    attr_slots={"FactorTensor": "factor"},
    lod="X",
    inplace={"Out": "X"},
)
op("increment", "X:number", "Out", same_as("X"), attrs={"step": 1.0}, lod="X", inplace={"Out": "X"})
