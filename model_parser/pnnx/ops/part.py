"""Parts of tensors: slices, splits, elements by index."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.parameter import TO_THE_END, parse_parameter
from lite.model_parser.pnnx.registry import pnnx_op
from lite.model_parser.pnnx.value import Results, Value, Var
from lite.model_parser.pnnx.writer import Names


@pnnx_op("Tensor.slice")
def slices(call: Call) -> Value:
    """strided_slice along several axes; an entry of ``selects`` picks one element and drops the axis."""
    count = len(call.items("dims" if call.has("dims") else "dim"))
    axes = call.axes("dims" if call.has("dims") else "dim", call.x)
    columns = {}
    for plural, singular, default in (
        ("starts", "start", 0),
        ("ends", "end", TO_THE_END),
        ("steps", "step", 1),
        ("selects", "select", TO_THE_END),
    ):
        name = singular if call.has(singular) and not call.has(plural) else plural
        columns[plural] = call.sizes(name, [default] * count)
        if len(columns[plural]) != count:
            raise call.error(f"argument {name}: expected {count} numbers, got {columns[plural]}")
    picked = [n for n, index in enumerate(columns["selects"]) if index != TO_THE_END]
    for n in picked:
        start = columns["selects"][n]
        columns["starts"][n], columns["steps"][n] = start, 1
        columns["ends"][n] = _after(call, start)
    attrs: dict[str, AttrValue] = {"axes": axes, "decrease_axis": [axes[n] for n in picked]}
    inputs: dict[str, Names] = {"Input": call.x}
    for ours, theirs in (("starts", "starts"), ("ends", "ends"), ("strides", "steps")):
        known, given = call.writer.integers(ours, f"{ours.title()}TensorList", columns[theirs])
        attrs |= known
        inputs |= given
    return call.writer.one("strided_slice", inputs, attrs)


@pnnx_op("Tensor.select", "torch.select")
def select(call: Call) -> Value:
    """One element of an axis, which is dropped."""
    axis = call.axis("dim", call.x)
    index = call.sizes("index")[0]
    starts, first = call.writer.integers("starts", "StartsTensorList", [index])
    ends, last = call.writer.integers("ends", "EndsTensorList", [_after(call, index)])
    attrs: dict[str, AttrValue] = {"axes": [axis], "decrease_axis": [axis], **starts, **ends}
    return call.writer.one("slice", {"Input": call.x, **first, **last}, attrs)


def _after(call: Call, index: Value) -> Value:
    """The end of a slice of one element; -1 is the last one, whose end is that of the axis."""
    if isinstance(index, Var):
        number = call.writer.cast(index, DType.INT32)
        return call.writer.unary("increment", number, {"step": 1.0})
    return TO_THE_END if index == -1 or not isinstance(index, int) else index + 1


@pnnx_op("torch.chunk")
def chunk(call: Call) -> Results:
    """split into parts of equal size, of which the last may be smaller."""
    axis, parts = call.axis("dim", call.x, 0), len(call.operator.outputs)
    size = call.writer.size(call.x, axis)
    if not isinstance(size, int):
        return _split(call, axis, parts, [])
    width = -(-size // max(call.integer("chunks", parts), 1))
    return _split(call, axis, parts, [max(min(width, size - n * width), 0) for n in range(parts)])


@pnnx_op("torch.split")
def split(call: Call) -> Results:
    """split by sizes, or into parts of one size, of which the last may be smaller."""
    axis, parts = call.axis("dim", call.x, 0), len(call.operator.outputs)
    sizes = call.integers("split_size_or_sections")
    if isinstance(call.arg("split_size_or_sections"), int):
        sizes = [*sizes * (parts - 1), -1]
    return _split(call, axis, parts, sizes)


@pnnx_op("torch.tensor_split")
def tensor_split(call: Call) -> Results:
    """split before each of ``indices``; a number of parts gives the first ones one more element."""
    axis, parts = call.axis("dim", call.x, 0), len(call.operator.outputs)
    size = call.writer.size(call.x, axis)
    if call.has("indices"):
        cuts = [0, *call.integers("indices")]
        widths = [after - before for before, after in pairwise(cuts)]
        if any(width < 0 for width in widths):
            raise call.error(f"parameter indices: expected ascending numbers from 0 on, got {cuts[1:]}")
        return _split(call, axis, parts, [*widths, -1])
    if not isinstance(size, int):
        raise call.error("the size that is split must be fixed")
    count = max(call.integer("sections", parts), 1)
    return _split(call, axis, parts, [size // count + (n < size % count) for n in range(count)])


def _split(call: Call, axis: int, parts: int, sizes: Sequence[int]) -> Results:
    if sizes and (len(sizes) != parts or any(size < -1 for size in sizes)):
        raise call.error(f"expected {parts} parts, got sizes {list(sizes)}")
    attrs: dict[str, AttrValue] = {"axis": axis, "sections": list(sizes), "num": 0 if sizes else parts}
    return Results(call.writer.emit("split", {"X": call.x}, attrs, {"Out": parts}))


@pnnx_op("torch.index_select")
def index_select(call: Call) -> Value:
    """index_select."""
    inputs = {"X": call.x, "Index": call.tensor("index")}
    return call.writer.one("index_select", inputs, {"dim": call.axis("dim", call.x)})


@pnnx_op("torch.gather")
def gather(call: Call) -> Value:
    """take_along_axis."""
    inputs = {"Input": call.x, "Index": call.tensor("index")}
    return call.writer.one("take_along_axis", inputs, {"Axis": call.axis("dim", call.x)})


@pnnx_op("Tensor.index")
def index(call: Call) -> Value:
    """gather along the only axis that has a list or tensor of indices: ``[None,[2,0,1]]``."""
    entries = _entries(call)
    given = [(axis, entry) for axis, entry in enumerate(entries) if entry is not None]
    if len(given) != 1:
        raise call.error(f"parameter expr: expected indices on one axis, got {call.raw('expr')!r}")
    axis, chosen = given[0]
    return call.writer.one("gather", {"X": call.x, "Index": chosen}, {"axis": axis})


def _entries(call: Call) -> list[Var | None]:
    text = call.raw("expr")
    body = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    entries: list[Var | None] = []
    for word in _top_level(body):
        if word == "None":
            entries.append(None)
        elif word.startswith("@") and word[1:].isdigit() and int(word[1:]) < len(call.inputs):
            entries.append(call.tensor(int(word[1:])))
        else:
            numbers = parse_parameter(word)
            listed = numbers if isinstance(numbers, list) else [numbers]
            if not all(isinstance(number, int) for number in listed):
                raise ModelParseError(f"parameter expr: expected indices, got {word!r}")
            entries.append(call.writer.constant(np.array(listed, np.int64)))
    return entries


def _top_level(text: str) -> list[str]:
    """The parts between commas that lie in no brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "[") - (sign == "]")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts
