"""Slices, splits, concatenation, stacking and padding of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.images import pad_image
from lite.model_parser.pnnx.parameter import TO_THE_END
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Results, Value, Var
from lite.model_parser.pnnx.writer import Names


@pnnx_op("Tensor.slice")
def slices(call: Call) -> Value:
    """`strided_slice` along several axes; an entry of ``selects`` picks one element and drops the axis."""
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
    selected = [n for n, index in enumerate(columns["selects"]) if index != TO_THE_END]
    for n in selected:
        start = columns["selects"][n]
        columns["starts"][n], columns["steps"][n] = start, 1
        columns["ends"][n] = _end_of_one(call, start)
    attrs: dict[str, AttrValue] = {"axes": axes, "decrease_axis": [axes[n] for n in selected]}
    inputs: dict[str, Names] = {"Input": call.x}
    for attr, column in (("starts", "starts"), ("ends", "ends"), ("strides", "steps")):
        constant, computed = call.writer.integers(attr, f"{attr.title()}TensorList", columns[column])
        attrs |= constant
        inputs |= computed
    return call.writer.emit_one("strided_slice", inputs, attrs)


@pnnx_op("Tensor.select", "torch.select")
def select(call: Call) -> Value:
    """`slice` of one element, which drops the axis."""
    axis = call.axis("dim", call.x)
    index = call.sizes("index")[0]
    starts, first = call.writer.integers("starts", "StartsTensorList", [index])
    ends, last = call.writer.integers("ends", "EndsTensorList", [_end_of_one(call, index)])
    attrs: dict[str, AttrValue] = {"axes": [axis], "decrease_axis": [axis], **starts, **ends}
    return call.writer.emit_one("slice", {"Input": call.x, **first, **last}, attrs)


def _end_of_one(call: Call, index: Value) -> Value:
    """The end of a slice that takes only the element at `index`.

    For -1, the last element, it is the end of the axis: the end -1 + 1 = 0 would give an empty slice.
    """
    if isinstance(index, Var):
        number = call.writer.cast(index, DType.INT32)
        return call.writer.unary("increment", number, {"step": 1.0})
    return TO_THE_END if index == -1 or not isinstance(index, int) else index + 1


@pnnx_op("torch.chunk")
def chunk(call: Call) -> Results:
    """`split` into parts of equal size; the last part may be smaller."""
    axis, parts = call.axis("dim", call.x, 0), len(call.operator.outputs)
    size = call.writer.size(call.x, axis)
    if not isinstance(size, int):
        return _split(call, axis, parts, [])
    width = -(-size // max(call.integer("chunks", parts), 1))
    return _split(call, axis, parts, [max(min(width, size - n * width), 0) for n in range(parts)])


@pnnx_op("torch.split")
def split(call: Call) -> Results:
    """`split` by a list of sizes, or into parts of one size; the last of these may be smaller."""
    axis, parts = call.axis("dim", call.x, 0), len(call.operator.outputs)
    sizes = call.integers("split_size_or_sections")
    if isinstance(call.arg("split_size_or_sections"), int):
        sizes = [*sizes * (parts - 1), -1]
    return _split(call, axis, parts, sizes)


@pnnx_op("torch.tensor_split")
def tensor_split(call: Call) -> Results:
    """`split` before each of ``indices``, or into ``sections`` parts; the first parts may be larger by 1."""
    axis, parts = call.axis("dim", call.x, 0), len(call.operator.outputs)
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
    parts = [call.tensor(n) for n in range(max(len(call.inputs), 1))]
    parts = [part for part in parts if writer.meta(part).shape != (0,)] or parts[:1]
    return writer.emit_one("concat", {"X": parts}, {"axis": call.axis("dim", parts[0], 0)})


@pnnx_op("torch.stack")
def stack(call: Call) -> Value:
    """`stack`."""
    parts = [call.tensor(n) for n in range(len(call.inputs))]
    return call.writer.emit_one("stack", {"X": parts}, {"axis": call.integer("dim", 0)})


@pnnx_op("torch.unbind")
def unbind(call: Call) -> Results:
    """`unbind`: one result for each element of an axis."""
    attrs: dict[str, AttrValue] = {"axis": call.axis("dim", call.x, 0)}
    return Results(call.writer.emit("unbind", {"X": call.x}, attrs, {"Out": len(call.operator.outputs)}))


@pnnx_op("F.pad")
def pad(call: Call) -> Value:
    """`pad` for mode constant, else `pad3d`; a negative border becomes a slice.

    The borders are (before, after) pairs, the last axis first.  They may be operands, then for `pad3d` only.
    """
    mode = call.choice("mode", "constant", "constant", "reflect", "replicate", "circular")
    amounts = call.sizes("pad")
    if len(amounts) % 2 or len(amounts) > 2 * call.writer.rank(call.x):
        raise call.error(f"argument pad: expected two numbers for each padded axis, got {amounts}")
    value = call.real("value", 0.0)
    if not all(isinstance(amount, int) for amount in amounts):
        return _pad_by_operands(call, amounts, mode, value)
    numbers = [int(amount) for amount in amounts if isinstance(amount, int)]
    x = _cropped(call, numbers)
    borders = [max(number, 0) for number in numbers]
    rank, axes = call.writer.rank(x), len(numbers) // 2
    pairs = [borders[2 * n : 2 * n + 2] for n in reversed(range(axes))]
    if mode == "constant":
        paddings: list[int] = [0, 0] * (rank - axes) + [part for pair in pairs for part in pair]
        return call.writer.unary("pad", x, {"paddings": paddings, "pad_value": value})
    if rank - 2 < axes:
        raise call.error(f"mode {mode} pads spatial axes only, got {axes} axes of {rank}")
    all_pairs = [[0, 0]] * (rank - 2 - axes) + pairs
    return pad_image(call, x, [part for pair in all_pairs for part in pair], mode, rank - 2)


def _cropped(call: Call, numbers: Sequence[int]) -> Var:
    """The input without the elements that negative borders remove."""
    rank = call.writer.rank(call.x)
    crops = [(rank - 1 - n // 2, n % 2, amount) for n, amount in enumerate(numbers) if amount < 0]
    x = call.x
    for axis, is_end, amount in crops:
        start, end = (0, amount) if is_end else (-amount, 2**31 - 1)
        attrs: dict[str, AttrValue] = {"axes": [axis], "starts": [start], "ends": [end]}
        x = call.writer.emit_one("slice", {"Input": x}, attrs)
    return x


def _pad_by_operands(call: Call, amounts: Sequence[Value], mode: str, value: float) -> Var:
    """`pad3d` with the paddings as a tensor int32[6], the last axis first as in torch."""
    writer = call.writer
    axes = writer.rank(call.x) - 2
    if not 1 <= axes <= 3 or len(amounts) > 2 * axes:
        raise call.error(
            "computed paddings: expected 1 to 3 spatial axes and two paddings for each at most, "
            f"got {axes} spatial axes and {len(amounts)} paddings"
        )
    all_amounts = [*amounts, *[0] * (6 - len(amounts))]
    columns = [writer.reshape(writer.index(amount), [1]) for amount in all_amounts]
    new_axes = list(range(2, 5 - axes))
    x = writer.unary("unsqueeze2", call.x, {"axes": new_axes}) if new_axes else call.x
    inputs = {"X": x, "Paddings": writer.emit_one("concat", {"X": columns}, {"axis": 0})}
    padded = writer.emit_one("pad3d", inputs, {"mode": mode, "value": value})
    if not new_axes:
        return padded
    # The sizes are unknown after pad3d, so a squeeze could not infer the rank; a slice can.
    attrs: dict[str, AttrValue] = {
        "axes": new_axes,
        "starts": [0] * len(new_axes),
        "ends": [1] * len(new_axes),
        "decrease_axis": new_axes,
    }
    return writer.emit_one("slice", {"Input": padded}, attrs)


@pnnx_op("nn.ZeroPad2d", "nn.ConstantPad1d", "nn.ConstantPad2d", "nn.ConstantPad3d")
def constant_pad(call: Call) -> Value:
    """`pad` of the spatial axes with one value; the borders are (before, after) pairs, last axis first."""
    rank = call.writer.rank(call.x)
    numbers = call.integers("padding", 2 * (rank - 2))
    pairs = [numbers[2 * n : 2 * n + 2] for n in reversed(range(rank - 2))]
    paddings = [0, 0, 0, 0, *np.ravel(pairs).tolist()]
    return call.writer.unary("pad", call.x, {"paddings": paddings, "pad_value": call.real("value", 0.0)})


@pnnx_op("nn.ReflectionPad1d", "nn.ReflectionPad2d", "nn.ReflectionPad3d")
def reflection_pad(call: Call) -> Value:
    """`pad3d` in mode reflect: the image is mirrored at its edge."""
    return _bordered(call, "reflect")


@pnnx_op("nn.ReplicationPad1d", "nn.ReplicationPad2d", "nn.ReplicationPad3d")
def replication_pad(call: Call) -> Value:
    """`pad3d` in mode replicate: the edge of the image is repeated."""
    return _bordered(call, "replicate")


def _bordered(call: Call, mode: str) -> Value:
    axes = int(call.type[-2])
    numbers = call.integers("padding", 2 * axes)
    pairs = [numbers[2 * n : 2 * n + 2] for n in reversed(range(axes))]
    return pad_image(call, call.image(axes), np.ravel(pairs).tolist(), mode, axes)
