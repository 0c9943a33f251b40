"""Ops on sequences: runs of rows of axis 0, cut by LoD."""

from __future__ import annotations

from lite.ir.program import AttrType
from lite.ir.types import UNKNOWN, DType
from lite.ops.attrs import choice, ints, number, required
from lite.ops.rules import apply, same_as, total
from lite.ops.schema import LOD_BY_KERNEL, op
from lite.ops.view import Inferred, Meta, OpView


def _unknown_rows(op: OpView) -> Inferred:
    """As X, but the LoD of the inputs decides how many rows there are."""
    x = op["X"]
    return Meta(x.dtype, (UNKNOWN, *x.dims[1:]))


def _concat(op: OpView) -> Inferred:
    first, *others = op.all("X")
    rows: int | str = 0
    for x in (first, *others):
        size = x.dims[0]
        rows = rows + size if isinstance(rows, int) and isinstance(size, int) else UNKNOWN
    return Meta(first.dtype, (rows, *first.dims[1:]))


def _conv(op: OpView) -> Inferred:
    """X [T, D] and Filter [context * D, N] → [T, N]."""
    x, weight = op["X"], op["Filter"]
    rows, depth = x.dims
    expected = apply(depth, lambda size: size * op.integer("contextLength"))
    if isinstance(expected, int) and isinstance(weight.dims[0], int) and expected != weight.dims[0]:
        raise op.error("slot Filter", f"{expected} rows", weight)
    return Meta(x.dtype, (rows, weight.dims[1]))


def _mask(op: OpView) -> Inferred:
    """Lengths [...] → [..., maxlen], or up to the longest where maxlen is negative."""
    maximum = op.values("MaxLenTensor")
    most = maximum[0] if maximum else UNKNOWN if op.get("MaxLenTensor") else op.integer("maxlen")
    if isinstance(most, int) and most < 0:
        lengths = op.values("X")
        most = max(lengths, default=0) if lengths is not None else UNKNOWN
    return Meta(op.dtype("out_dtype", DType.INT64), (*op["X"].dims, most))


def _pad(op: OpView) -> Inferred:
    """X [T, ...] → Out [sequences, padded_length, ...] and Length [sequences]."""
    x, length = op["X"], op.integer("padded_length")
    out = Meta(x.dtype, (UNKNOWN, length if length >= 0 else UNKNOWN, *x.dims[1:]))
    return {"Out": out, "Length": Meta(DType.INT64, (UNKNOWN,))}


def _unpad(op: OpView) -> Inferred:
    """X [sequences, padded length, ...] → [T, ...], with one column where X has no more axes."""
    x = op["X"]
    lengths = op.values("Length")
    rows = UNKNOWN if lengths is None else sum(lengths)
    return Meta(x.dtype, (rows, *(x.dims[2:] or (1,))))


def _reshape(op: OpView) -> Inferred:
    """X [T, D] → [T * D / new_dim, new_dim]."""
    x, width = op["X"], op.integer("new_dim")
    rows, depth = x.dims
    if isinstance(rows, str) or isinstance(depth, str):
        return Meta(x.dtype, (rows if depth == width else UNKNOWN, width))
    if rows * depth % width:
        raise op.error("slot X", f"a multiple of new_dim={width} elements", x)
    return Meta(x.dtype, (rows * depth // width, width))


def _topk_avg_pooling(op: OpView) -> Inferred:
    """Out has a row per row of ROW, and a column per channel and number in topks."""
    rows = op["ROW"].dims[0]
    width = op.integer("channel_num") * len(op.integers("topks"))
    return {"Out": Meta(op["X"].dtype, (rows, width)), "pos": Meta(DType.INT32, (UNKNOWN,))}


def _pool(op: OpView) -> Inferred:
    """As X, with a row per sequence."""
    x = op["X"]
    shape = (UNKNOWN, *x.dims[1:])
    return {"Out": Meta(x.dtype, shape), "MaxIndex": Meta(DType.INT32, shape)}


for _name, _about, _inputs, _output, _rule in (
    (
        "sequence_concat",
        "Concatenates sequences of the same position in each input.",
        "X*/1-",
        "Out",
        _concat,
    ),
    ("sequence_expand_as", "Repeats each row of X over the sequence of Y.", "X/1- Y", "Out", _unknown_rows),
    ("sequence_reverse", "Reverses the rows of each sequence.", "X/1-", "Y", same_as("X")),
    ("sequence_softmax", "Softmax over each sequence.", "X:float/1-", "Out", same_as("X")),
    ("sequence_unpad", "Rows of a padded tensor as sequences.", "X/2- Length:int64/1", "Out", _unpad),
):
    op(_name, _about, _inputs, _output, _rule, lod=LOD_BY_KERNEL)
op(
    "sequence_conv",
    "Convolution over neighbouring rows of each sequence.",
    "X:float/2 Filter:float/2 PaddingData?:float/2",
    "Out",
    _conv,
    attrs={
        "contextLength": 1,
        "contextStart": 0,
        "contextStride": number(1, 1, 1),
        "paddingTrainable": False,
    },
    lod=LOD_BY_KERNEL,
)
op(
    "sequence_expand",
    "Repeats sequences of X by the lengths of the sequences of Y.",
    "X/1- Y",
    "Out",
    _unknown_rows,
    attrs={"ref_level": number(-1, low=-1)},
    lod=LOD_BY_KERNEL,
)
op(
    "sequence_mask",
    "For each length, ones up to it and zeros after.",
    "X:number MaxLenTensor?:index",
    "Y",
    _mask,
    attrs={"maxlen": -1, "out_dtype": 3},
)
op(
    "sequence_pad",
    "Sequences as the rows of one tensor, padded to equal length.",
    "X/1- PadValue",
    "Out Length",
    _pad,
    attrs={"padded_length": number(-1, low=-1)},
    lod=LOD_BY_KERNEL,
)
op(
    "sequence_pool",
    "Sum, mean, first, last or maximum of the rows of each sequence.",
    "X:number/1-",
    "Out MaxIndex?:int32",
    _pool,
    attrs={
        "pooltype": choice("AVERAGE", "SUM", "SQRT", "LAST", "FIRST", "MAX"),
        "pad_value": 0.0,
        "is_test": False,
    },
    lod=LOD_BY_KERNEL,
)
op(
    "sequence_reshape",
    "Rows of another width, per sequence.",
    "X/2",
    "Out",
    _reshape,
    attrs={"new_dim": required(AttrType.INT)},
    lod=LOD_BY_KERNEL,
    view={"Out": "X"},
)
op(
    "sequence_topk_avg_pooling",
    "Averages of the k greatest elements of each row of match matrices.",
    "X:float ROW COLUMN",
    "Out pos?",
    _topk_avg_pooling,
    attrs={"topks": ints(), "channel_num": number(1, low=1)},
    lod=LOD_BY_KERNEL,
)
op(
    "sequence_arithmetic",
    "Arithmetic of two sequences of different lengths, row by row.",
    "X:number/1- Y:number/1-",
    "Out",
    same_as("X"),
    attrs={"op_type": number(1, 1, 3)},
    lod=LOD_BY_KERNEL,
)
op(
    "lod_reset",
    "X with another LoD.",
    "X/1- Y?",
    "Out",
    same_as("X"),
    attrs={"target_lod": ints(), "append": False},
    lod=LOD_BY_KERNEL,
    view={"Out": "X"},
)


def _match(op: OpView) -> Inferred:
    """Out holds a matrix per sequence and channel; Tmp is X times W, [rows, dim_t * width]."""
    x = op["X"]
    return {
        "Out": Meta(x.dtype, (UNKNOWN, 1)),
        "Tmp": Meta(x.dtype, (x.dims[0], total((op.integer("dim_t"), x.dims[1])))),
    }


op(
    "match_matrix_tensor",
    "Similarity matrices X · W · Yᵀ of the words of two texts, per channel.",
    "X:float/2 Y:float/2 W:float/3",
    "Out Tmp?",
    _match,
    attrs={"dim_t": number(1, low=1)},
    lod=LOD_BY_KERNEL,
)


def _var_conv_2d(op: OpView) -> Inferred:
    expected = (
        op.integer("OutputChannel"),
        op.integer("InputChannel") * op.integer("KernelH") * op.integer("KernelW"),
    )
    filter_shape = op["W"].dims
    if any(isinstance(dim, int) and dim != n for dim, n in zip(filter_shape, expected, strict=True)):
        raise op.error("W", f"the shape {list(expected)}", op["W"])
    pixels = Meta(op["X"].dtype, (UNKNOWN, 1))
    return {"Out": pixels, "Col": pixels}


op(
    "var_conv_2d",
    "Convolution of images of various sizes, held in sequences.",
    "X:float ROW COLUMN W:float/2",
    "Out Col?",
    _var_conv_2d,
    attrs={
        "InputChannel": number(1, 1),
        "OutputChannel": number(1, 1),
        "KernelH": number(1, 1),
        "KernelW": number(1, 1),
        "StrideH": number(1, 1),
        "StrideW": number(1, 1),
    },
    lod=LOD_BY_KERNEL,
)
