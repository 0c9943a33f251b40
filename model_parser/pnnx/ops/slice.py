"""Slices, splits, concatenation and stacking of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from lite.ir.program import AttrValue
from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.promotion import of_one_dtype
from lite.model_parser.pnnx.ranges import end_of_one, ranges_of
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Results, Value, Var
from lite.model_parser.pnnx.writer import Names


@pnnx_op("Tensor.slice")
def slices(call: Call) -> Value:
    """`strided_slice` along several axes; an entry of ``selects`` picks one element and drops the axis."""
    ranges = ranges_of(call)
    attrs: dict[str, AttrValue] = {"axes": ranges.axes, "decrease_axis": ranges.selected}
    inputs: dict[str, Names] = {"Input": call.x}
    for attr, column in (("starts", ranges.starts), ("ends", ranges.ends), ("strides", ranges.steps)):
        constant, computed = call.writer.integers(attr, f"{attr.title()}TensorList", column)
        attrs |= constant
        inputs |= computed
    return call.writer.emit_one("strided_slice", inputs, attrs)


@pnnx_op("torch.narrow", "Tensor.narrow")
def narrow(call: Call) -> Value:
    """`slice` of a number of elements from one on."""
    axis, writer = call.axis("dim", call.x), call.writer
    start, length = call.sizes("start")[0], call.sizes("length")[0]
    if isinstance(start, int) and start < 0:
        start = arithmetic.binary(writer, "add", writer.size(call.x, axis), start)
    end = arithmetic.binary(writer, "add", start, length)
    starts, first = writer.integers("starts", "StartsTensorList", [start])
    ends, last = writer.integers("ends", "EndsTensorList", [end])
    return writer.emit_one("slice", {"Input": call.x, **first, **last}, {"axes": [axis], **starts, **ends})


@pnnx_op("Tensor.select", "torch.select")
def select(call: Call) -> Value:
    """`slice` of one element, which drops the axis."""
    axis = call.axis("dim", call.x)
    index = call.sizes("index")[0]
    starts, first = call.writer.integers("starts", "StartsTensorList", [index])
    ends, last = call.writer.integers("ends", "EndsTensorList", [end_of_one(call, index)])
    attrs: dict[str, AttrValue] = {"axes": [axis], "decrease_axis": [axis], **starts, **ends}
    return call.writer.emit_one("slice", {"Input": call.x, **first, **last}, attrs)


@pnnx_op("aten::unsafe_chunk")
def chunk_to_list(call: Call) -> Value:
    """A list of parts of equal size of an axis of fixed size; the last part may be smaller."""
    named = call.as_type(call.type, ("input", "chunks", "dim"), {})
    axis = named.axis("dim", call.x, 0)
    size = call.writer.size(call.x, axis)
    if not isinstance(size, int) or size < 1:
        raise call.error("expected an axis of fixed size")
    width = -(-size // max(named.integer("chunks"), 1))
    sizes = [min(width, size - start) for start in range(0, size, width)]
    return list(_split(call, axis, len(sizes), sizes).values)


@pnnx_op("torch.chunk")
def chunk(call: Call) -> Results:
    """`split` into parts of equal size; the last part may be smaller."""
    axis, parts = call.axis("dim", call.x, 0), call.count
    size = call.writer.size(call.x, axis)
    if not isinstance(size, int):
        return _split(call, axis, parts, [])
    width = -(-size // max(call.integer("chunks", parts), 1))
    return _split(call, axis, parts, [max(min(width, size - n * width), 0) for n in range(parts)])


@pnnx_op("torch.split")
def split(call: Call) -> Results:
    """`split` by a list of sizes, or into parts of one size; the last of these may be smaller."""
    axis, parts = call.axis("dim", call.x, 0), call.count
    sizes = call.integers("split_size_or_sections")
    if isinstance(call.arg("split_size_or_sections"), int):
        sizes = [*sizes * (parts - 1), -1]
    return _split(call, axis, parts, sizes)


@pnnx_op("torch.tensor_split")
def tensor_split(call: Call) -> Results:
    """`split` before each of ``indices``, or into ``sections`` parts; the first parts may be larger by 1."""
    axis, parts = call.axis("dim", call.x, 0), call.count
    size = call.writer.size(call.x, axis)
    if call.has("indices"):
        cuts = [0, *call.integers("indices")]
        widths = [after - before for before, after in pairwise(cuts)]
        if any(width < 0 for width in widths):
            raise call.error(f"parameter indices: expected ascending numbers from 0 on, got {cuts[1:]}")
        return _split(call, axis, parts, [*widths, -1])
    if not isinstance(size, int):
        raise call.error(
            f"expected a known size of axis {axis}, got none; export the model with fixed shapes"
        )
    count = max(call.integer("sections", parts), 1)
    return _split(call, axis, parts, [size // count + (n < size % count) for n in range(count)])


def _split(call: Call, axis: int, parts: int, sizes: Sequence[int]) -> Results:
    if sizes and (len(sizes) != parts or any(size < -1 for size in sizes)):
        raise call.error(f"expected {parts} sizes, each -1 or more, got {list(sizes)}")
    attrs: dict[str, AttrValue] = {"axis": axis, "sections": list(sizes), "num": 0 if sizes else parts}
    return Results(call.writer.emit("split", {"X": call.x}, attrs, {"Out": parts}))


@pnnx_op("torch.cat", "torch.concat")
def concatenate(call: Call) -> Value:
    """`concat`; torch ignores empty tensors of one dimension."""
    writer = call.writer
    parts = _parts(call)
    parts = [part for part in parts if writer.meta(part).shape != (0,)] or parts[:1]
    parts = of_one_dtype(writer, parts)
    return writer.emit_one("concat", {"X": parts}, {"axis": call.axis("dim", parts[0], 0)})


def _parts(call: Call) -> list[Var]:
    """The inputs other than the axis, which without optimisation is an input; or the members of a list."""
    axis = call.operator.positions().get("dim")
    positions = [n for n in range(max(len(call.inputs), 1)) if n != axis]
    first = call.value(positions[0])
    if len(positions) == 1 and isinstance(first, list):
        return [item for item in first if isinstance(item, Var)]
    return [call.tensor(n) for n in positions]


@pnnx_op("torch.stack")
def stack(call: Call) -> Value:
    """`stack`."""
    parts = of_one_dtype(call.writer, _parts(call))
    return call.writer.emit_one("stack", {"X": parts}, {"axis": call.integer("dim", 0)})


@pnnx_op("torch.unbind")
def unbind(call: Call) -> Results:
    """`unbind`: one result for each element of an axis."""
    attrs: dict[str, AttrValue] = {"axis": call.axis("dim", call.x, 0)}
    return Results(call.writer.emit("unbind", {"X": call.x}, attrs, {"Out": call.count}))
