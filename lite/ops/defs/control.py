"""Control flow, tensor arrays, and ops that pass tensors on.

The executor runs the ops with sub-blocks; `lite.ir.build` describes how their values pair up.  The ops
after ONNX's sequences return a new tensor array and never write to their input; a negative position
counts from the end.
"""

from __future__ import annotations

from dataclasses import replace

from lite.ir.types import UNKNOWN, DType
from lite.ops.attrs import longs, number
from lite.ops.rules import checked_axis, common_shape
from lite.ops.schema import LOD_BY_KERNEL, Trait, old_spelling, op
from lite.ops.view import Inferred, Meta, OpView


def _unknown(_: OpView) -> Inferred:
    """The outputs are known after the run only."""
    return {}


op(
    "while",
    "Runs its block as long as Condition holds.",
    "Condition:bool X?*",
    "Out*",
    _unknown,
    attrs={"carried": 0},
    control_flow=True,
)
for _name in ("conditional_block", "conditional_block_infer"):
    op(
        _name,
        "Runs its block if Cond holds.",
        "Cond?* Input?*",
        "Out?*",
        _unknown,
        attrs={"carried": 0, "is_scalar_condition": False},
        control_flow=True,
    )
op(
    "subgraph",
    "A region of the graph that a device runs. litebridge's own.",
    "Inputs?*",
    "Outputs*",
    _unknown,
    attrs={"device": "", "region": 0},
    control_flow=True,
)


def _passed(slot: str, op: OpView) -> Meta:
    x = op[slot]
    return Meta(x.dtype, x.shape, x.value, x.lod, x.is_array)


def _assign(op: OpView) -> Meta:
    return _passed("X", op)


def _print(op: OpView) -> Meta:
    return _passed("In", op)


def _select_input(op: OpView) -> Meta:
    choices = op.all("X")
    mask = op.values("Mask")
    if mask:
        if not 0 <= mask[0] < len(choices):
            raise op.error("slot Mask", f"a number below {len(choices)}", mask[0])
        return choices[mask[0]]
    shapes = [choice.shape if choice.dtype is choices[0].dtype else None for choice in choices]
    return Meta(choices[0].dtype, common_shape(shapes), is_array=choices[0].is_array)


_MOVEMENT = (Trait.ELEMENTWISE, Trait.MOVEMENT)

op("assign", "Copy of X.", "X", "Out", _assign, traits=_MOVEMENT, lod="X", view={"Out": "X"})
old_spelling("share_data", "assign")
op(
    "print",
    "Logs its input and passes it on.",
    "In",
    "Out?",
    _print,
    attrs={
        "message": "",
        "summarize": -1,
        "print_tensor_shape": True,
        "print_tensor_type": True,
    },
    lod="In",
    view={"Out": "In"},
    effect=True,
)
op("select_input", "The element of X that Mask chooses.", "X* Mask:int", "Out", _select_input)
op("select_output", "Passes X on as the output that Mask chooses.", "X Mask:int", "Out*", _unknown)


def _create_array(_: OpView) -> Inferred:
    return Meta(DType.FLOAT32, None, is_array=True)


def _array(op: OpView) -> Meta:
    return Meta(op["X"].dtype, None, is_array=True)


def _element(op: OpView) -> Meta:
    return Meta(op["X"].dtype, None)


def _element_at(op: OpView) -> Meta:
    x, position = op["X"], op["Position"].value
    if x.parts is None or position is None or not -len(x.parts) <= position.item() < len(x.parts):
        return Meta(x.dtype, None)
    return Meta(x.dtype, x.parts[position.item()])


def _length(_: OpView) -> Inferred:
    return Meta(DType.INT64, (1,))


def _to_tensor(op: OpView) -> Inferred:
    return {"Out": Meta(op["X"].dtype, None), "OutIndex": Meta(DType.INT32, None)}


op("create_array", "An empty tensor array. litebridge's own.", "", "Out", _create_array, foldable=False)
op(
    "uninitialized",
    "A value that no op reads, for a variable that only a block writes. litebridge's own.",
    "",
    "Out",
    _unknown,
    foldable=False,
)
for _name, _about, _inputs, _rule in (
    ("write_to_array", "A tensor array with X at position I.", "X I:int Array?", _array),
    ("read_from_array", "The element of a tensor array at position I.", "X I:int", _element),
):
    op(_name, _about, _inputs, "Out", _rule, lod=LOD_BY_KERNEL)
op("lod_array_length", "Number of elements of a tensor array.", "X", "Out", _length)
op(
    "tensor_array_to_tensor",
    "The elements of a tensor array, concatenated or stacked along an axis.",
    "X",
    "Out OutIndex?",
    _to_tensor,
    attrs={"axis": 0, "use_stack": False},
)


def _make(op: OpView) -> Meta:
    elements = op.all("X")
    dtype = elements[0].dtype if elements else op.dtype("dtype", DType.FLOAT32)
    shapes = [each.shape for each in elements if each.shape is not None]
    return Meta(dtype, None, is_array=True, parts=tuple(shapes) if len(shapes) == len(elements) else None)


op(
    "make_array",
    "A tensor array of the elements X, after ONNX SequenceConstruct.",
    "X?*",
    "Out",
    _make,
    attrs={"dtype": -1},
)
for _name, _about, _inputs, _rule in (
    (
        "array_element",
        "One element of a tensor array, after ONNX SequenceAt.",
        "X Position:index",
        _element_at,
    ),
    ("erase_from_array", "X without one element, after ONNX SequenceErase.", "X Position?:index", _array),
    (
        "insert_to_array",
        "X with Item inserted, after ONNX SequenceInsert; X alone where Condition is false.",
        "X Item Position?:index Condition?:bool/0-1",
        _array,
    ),
):
    op(_name, _about, _inputs, "Out", _rule)


_MOST_PARTS = 64
"""The most elements of a tensor array whose shapes are known; sequences of single rows may be long."""


def _split_to_array(op: OpView) -> Meta:
    x, split = op["X"], op.get("Split")
    array = Meta(x.dtype, None, is_array=True)
    axis = checked_axis(op, x, op.integer("axis"), "attribute axis") if x.shape is not None else 0
    length = x.shape[axis] if x.shape is not None else UNKNOWN
    if not isinstance(length, int) or (split is not None and split.value is None):
        return array
    if split is None or split.value is None or not split.value.ndim:
        size = 1 if split is None or split.value is None else split.value.item()
        sizes = [min(size, length - start) for start in range(0, length, size)] if size > 0 else []
    else:
        sizes = split.value.tolist()
    if len(sizes) > _MOST_PARTS or sum(sizes) != length or min(sizes, default=0) < 0:
        return array
    before, after = x.dims[:axis], x.dims[axis + 1 :]
    kept = split is not None or op.integer("keepdims")
    return replace(array, parts=tuple((*before, *((size,) if kept else ()), *after) for size in sizes))


op(
    "split_to_array",
    "Parts of a tensor along an axis as a tensor array, after ONNX SplitToSequence.",
    "X/1- Split?:index/0-1",
    "Out",
    _split_to_array,
    attrs={"axis": 0, "keepdims": number(1, 0, 1)},
)


def _stack_array(op: OpView) -> Meta:
    return Meta(op.dtype("dtype", op["X"].dtype), None)


op(
    "stack_array",
    "The elements of a tensor array stacked, after the scan outputs of ONNX Loop and Scan.",
    "X",
    "Out",
    _stack_array,
    attrs={"axis": 0, "dtype": -1, "shape": longs(), "reverse": False},
)
