"""Ops that read and write rows or elements by index, and one-hot vectors."""

from __future__ import annotations

from lite.ir.types import UNKNOWN, Dim, DType, Shape
from lite.ops.attrs import choice, number
from lite.ops.rules import apply, checked_axis, same_as
from lite.ops.schema import LOD_BY_KERNEL, Canonical, Trait, old_spelling, op
from lite.ops.shape_input import element
from lite.ops.view import Meta, OpView


def _gather(op: OpView) -> Meta:
    x, index = op["X"], op["Index"]
    if index.rank == 2 and index.dims[1] not in (1, UNKNOWN):
        raise op.error("slot Index", "one dimension (or a second one of 1)", index)
    axis = element(op, "axis", "Axis")
    if axis is None:
        return Meta(x.dtype, (UNKNOWN,) * (x.rank - 1 + min(index.rank, 1)))
    return Meta(x.dtype, _picked(op, x, axis, index.dims[:1]))


def _index_select(op: OpView) -> Meta:
    return Meta(op["X"].dtype, _picked(op, op["X"], op.integer("dim"), op["Index"].dims))


def _picked(op: OpView, x: Meta, axis: int, rows: Shape) -> Shape:
    axis = checked_axis(op, x, axis, "axis")
    return (*x.dims[:axis], *rows, *x.dims[axis + 1 :])


def _gather_nd(op: OpView) -> Meta:
    x, index = op["X"], op["Index"]
    depth = index.dims[-1]
    if isinstance(depth, str):
        return Meta(x.dtype, None)
    batch = op.integer("batch_dims")
    if batch + depth > x.rank or batch >= index.rank:
        raise op.error("slot Index", f"at most {x.rank - batch} numbers on the last axis", index)
    return Meta(x.dtype, (*index.dims[:-1], *x.dims[batch + depth :]))


def _lookup_table(op: OpView) -> Meta:
    ids, width = op["Ids"], op["W"].dims[1]
    if op.op == "lookup_table_v2":
        return Meta(op["W"].dtype, (*ids.dims, width))
    if ids.dims[-1] not in (1, UNKNOWN):
        raise op.error("slot Ids", "a last dimension of 1", ids)
    if op.op == "lookup_table_dequant":
        width = apply(width, lambda size: (size - 2) * 4)
    return Meta(op["W"].dtype, (*ids.dims[:-1], width))


op(
    "gather",
    "Slices of X along an axis, by index.",
    "X/1- Index:index/0-2 Axis?:index",
    "Out",
    _gather,
    attrs={"axis": 0},
    attr_slots={"Axis": "axis"},
    traits=(Trait.MOVEMENT,),
)
op(
    "index_select",
    "Old spelling of gather, along axis `dim`.",
    "X/1- Index:index/1",
    "Out",
    _index_select,
    attrs={"dim": 0},
    canonical=Canonical("gather", lambda attrs: {"axis": attrs["dim"]}),
    traits=(Trait.MOVEMENT,),
)
# batch_dims is ONNX's.
op(
    "gather_nd",
    "Slices of X at coordinates; `batch_dims` leading axes of X and Index correspond.",
    "X Index:index/1-",
    "Out",
    _gather_nd,
    attrs={"batch_dims": number(0, 0)},
    traits=(Trait.MOVEMENT,),
)
op(
    "lookup_table_v2",
    "Rows of an embedding table.",
    "W/2 Ids:int",
    "Out",
    _lookup_table,
    attrs={"padding_idx": -1},
    lod="Ids",
)
old_spelling(
    "lookup_table",
    "lookup_table_v2",
    ", where Ids have a last dimension of 1",
    inputs="W/2 Ids:int/1-",
)
op(
    "lookup_table_dequant",
    "Rows of an embedding table of 8-bit numbers with a range per row.",
    "W:float32/2 Ids:int/1-",
    "Out",
    _lookup_table,
    attrs={"padding_idx": -1},
    lod="Ids",
)
op(
    "scatter",
    "X with rows replaced by Updates or, without overwrite, by their sums.",
    "X/1- Ids:index/0-2 Updates",
    "Out",
    same_as("X"),
    attrs={"overwrite": True},
    inplace={"Out": "X"},
)
op(
    "scatter_nd_add",
    "X with Updates added at coordinates.",
    "X/1- Index:index/1- Updates",
    "Out",
    same_as("X"),
    inplace={"Out": "X"},
)


def _axis(op: OpView, name: str, x: Meta) -> int:
    return checked_axis(op, x, op.integer(name), f"attribute {name}")


def _take(op: OpView) -> Meta:
    x = op["X"]
    axis = _axis(op, "axis", x)
    return Meta(x.dtype, (*x.dims[:axis], *op["Index"].dims, *x.dims[axis + 1 :]))


def _take_along_axis(op: OpView) -> Meta:
    x, index = op["Input"], op["Index"]
    _axis(op, "Axis", x)
    if x.rank != index.rank:
        raise op.error("slot Index", f"rank {x.rank} like Input", index)
    return Meta(x.dtype, index.shape)


def _put_along_axis(op: OpView) -> Meta:
    x, index = op["Input"], op["Index"]
    _axis(op, "Axis", x)
    if index.shape is not None and x.rank != index.rank:
        raise op.error("slot Index", f"rank {x.rank} like Input", index)
    return Meta(x.dtype, x.shape)


def _tensor_scatter(op: OpView) -> Meta:
    x, updates = op["X"], op["Updates"]
    axis = _axis(op, "axis", x)
    if updates.shape is not None and updates.rank != x.rank:
        raise op.error("slot Updates", f"rank {x.rank} like X", updates)
    if axis == 0:
        raise op.error("attribute axis", "an axis after the batch, axis 0", axis)
    return Meta(x.dtype, x.shape)


def _cache_append(op: OpView) -> Meta:
    x, updates = op["X"], op["Updates"]
    before, lengths = x.dims[2], op.values("Length")
    rows = max(before, *lengths) if lengths and isinstance(before, int) else UNKNOWN
    return Meta(x.dtype, (*updates.dims[:2], rows, updates.dims[3]))


def _reverse_sequence(op: OpView) -> Meta:
    x = op["X"]
    if _axis(op, "batch_axis", x) == _axis(op, "time_axis", x):
        raise op.error("batch_axis, time_axis", "different axes", op.integer("time_axis"))
    return Meta(x.dtype, x.shape)


def _compress(op: OpView) -> Meta:
    x = op["X"]
    axis = _axis(op, "axis", x)
    dims: list[Dim] = list(x.dims)
    dims[axis] = UNKNOWN
    return Meta(x.dtype, tuple(dims))


# Negative indices count from the end.
op(
    "take",
    "Slices of X along an axis by an Index of any rank, after ONNX Gather.",
    "X/1- Index:index",
    "Out",
    _take,
    attrs={"axis": 0},
    traits=(Trait.MOVEMENT,),
)
# As in ONNX GatherElements, Index may be smaller than Input on the other axes.
op(
    "take_along_axis",
    "Elements of Input along an axis, by an index for each element of the result.",
    "Input/1- Index:index/1-",
    "Result",
    _take_along_axis,
    attrs={"Axis": 0},
    traits=(Trait.MOVEMENT,),
)
op(
    "put_along_axis",
    "Input with elements written or combined along an axis, by an index for each.",
    "Input/1- Index:index/1- Value",
    "Result",
    _put_along_axis,
    attrs={
        "Axis": 0,
        "Reduce": choice("assign", "add", "mul", "multiply", "amax", "amin", "mean"),
        "Include_self": True,
    },
    inplace={"Result": "Input"},
)
# The reduction add is scatter_nd_add.
op(
    "scatter_nd_update",
    "X with Updates written or combined at coordinates, after ONNX ScatterND.",
    "X Index:index/1- Updates",
    "Out",
    same_as("X"),
    attrs={"reduction": choice("assign", "multiply", "amax", "amin")},
    inplace={"Out": "X"},
)
# Starts has a position along `axis` for each sample.
op(
    "tensor_scatter",
    "X with Updates written along an axis from Starts on, after ONNX TensorScatter.",
    "X/2- Updates/2- Starts?:index/1",
    "Out",
    _tensor_scatter,
    attrs={"axis": -2, "mode": choice("linear", "circular")},
    inplace={"Out": "X"},
)
# Out has as many rows as Length says, or as X if these are more.
op(
    "cache_append",
    "The first Starts[i] rows of sample i in a cache X, then Updates, then zeros. litebridge's own.",
    "X:float/4 Updates:float/4 Starts:index/1 Length:index/1",
    "Out",
    _cache_append,
)
op(
    "reverse_sequence",
    "X with the first SequenceLens elements along time_axis reversed, after ONNX ReverseSequence.",
    "X/2- SequenceLens:index/1",
    "Out",
    _reverse_sequence,
    attrs={"batch_axis": number(1, 0), "time_axis": number(0, 0)},
    traits=(Trait.MOVEMENT,),
)
# Condition may be shorter than the axis.
op(
    "compress",
    "Slices along an axis where Condition holds, after ONNX Compress.",
    "X/1- Condition:bool/1",
    "Out",
    _compress,
    attrs={"axis": 0},
    traits=(Trait.MOVEMENT,),
)


def _one_hot(op: OpView) -> Meta:
    x = op["X"]
    depth = element(op, "depth", "depth_tensor")
    dims = x.dims
    if op.op == "one_hot":
        if dims[-1] not in (1, UNKNOWN):
            raise op.error("slot X", "a last dimension of 1", x)
        dims = dims[:-1]
    return Meta(op.dtype("dtype", DType.FLOAT32), (*dims, UNKNOWN if depth is None else depth))


def _one_hot_values(op: OpView) -> Meta:
    x, depth = op["X"], element(op, "depth", "Depth")
    axis = op.integer("axis")
    if not -x.rank - 1 <= axis <= x.rank:
        raise op.error("attribute axis", f"a position among the {x.rank} axes of {x}", axis)
    position = axis % (x.rank + 1)
    dims = (*x.dims[:position], UNKNOWN if depth is None else depth, *x.dims[position:])
    return Meta(op["Values"].dtype, dims)


# Values has the off value and the on value; negative indices count from the end.
op(
    "one_hot_values",
    "One-hot vectors of two values, after ONNX OneHot.",
    "X:number Depth?:number Values/1",
    "Out",
    _one_hot_values,
    attrs={"depth": 1, "axis": -1},
    attr_slots={"Depth": "depth"},
)
for _name, _about, _input, _canonical in (
    ("one_hot_v2", "One-hot vectors of the indices in X.", "X:index", None),
    ("one_hot", "Old spelling of one_hot_v2, where X has a last dimension of 1.", "X:index/1-", "one_hot_v2"),
):
    op(
        _name,
        _about,
        f"{_input} depth_tensor?:index",
        "Out",
        _one_hot,
        attrs={"depth": 1, "dtype": 5, "allow_out_of_range": False},
        lod="X",
        canonical=_canonical,
        attr_slots={"depth_tensor": "depth"},
    )


def _where_index(op: OpView) -> Meta:
    return Meta(DType.INT64, (UNKNOWN, op["Condition"].rank))


def _split_lod(op: OpView) -> dict[str, Meta]:
    x = op["X"]
    part = Meta(x.dtype, (UNKNOWN, *x.dims[1:]))
    return {"OutTrue": part, "OutFalse": part}


def _merge_lod(op: OpView) -> Meta:
    part = op["InTrue"]
    return Meta(part.dtype, (UNKNOWN, *part.dims[1:]))


op("where_index", "Coordinates of the elements that are not zero.", "Condition", "Out", _where_index)
op(
    "tril_triu",
    "The lower or upper triangle of matrices.",
    "X/2- DiagonalTensor?:index",
    "Out",
    same_as("X"),
    attrs={"diagonal": 0, "lower": True},
    attr_slots={"DiagonalTensor": "diagonal"},
)
op(
    "split_lod_tensor",
    "Splits X into the rows where Mask holds and the others.",
    "X/1- Mask:bool",
    "OutTrue OutFalse",
    _split_lod,
    attrs={"level": 0},
    lod=LOD_BY_KERNEL,
)
op(
    "merge_lod_tensor",
    "Rows of InTrue and InFalse in the order that Mask gives.",
    "X Mask:bool InTrue/1- InFalse/1-",
    "Out",
    _merge_lod,
    attrs={"level": 0},
    lod=LOD_BY_KERNEL,
)
