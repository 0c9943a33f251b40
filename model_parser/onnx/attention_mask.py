"""Masks and parts of the attention ops of ONNX Runtime, as inputs of `attention`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import UNKNOWN, DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode


def padding_mask(
    node: OnnxNode, writer: BlockWriter, position: int, batch: str, length: str, *, may_be_dummy: bool = False
) -> str | None:
    """A mask of keys as what is added to the scores: 0, or mask_filter_value where a key is masked.

    The input is int32 ``[batch, keys]`` or ``[batch, rows, keys]``, 0 for a masked key; or the numbers of
    keys ``[batch]``, which other numbers may follow, ``[3 · batch + 2]``; or the ends and the starts of the
    keys ``[2 · batch]``.  `batch` is a value whose axis 0
    is the batch, `length` the number of keys, int32[1].  With `may_be_dummy`, ``[batch, 1]`` and ``[1, 1]``
    are the same number for all keys, which masks none.
    """
    name = node.optional(position)
    if name is None:
        return None
    rank = writer.known_rank(name)
    if rank == 1:
        name = _visible(node, writer, position, batch, length)
    elif rank not in (2, 3):
        raise node.error(f"input {position} ({name!r}), a mask: expected 1 to 3 axes, got {rank}")
    size = (writer.shape(name) or (0,))[-1] if may_be_dummy and rank == 2 else 0
    if size == 1:
        return None
    axes = [1] if rank == 3 else [1, 2]
    visible = writer.cast(writer.cast(name, DType.BOOL), DType.FLOAT32)
    filtered = node.real("mask_filter_value", -10000.0)
    added = writer.unary("scale", visible, {"scale": -filtered, "bias": filtered})
    if not isinstance(size, int):
        # It may be 1 in a run, whatever the model calls it.
        added = writer.binary("elementwise_add", added, _zeros(writer, length, DType.FLOAT32))
    return writer.unary("unsqueeze2", added, {"axes": axes})


def _visible(node: OnnxNode, writer: BlockWriter, position: int, batch: str, length: str) -> str:
    """Which keys are not masked, bool ``[batch, keys]``, by their numbers, or by their ends and starts."""
    name = node.input(position)
    sizes, batch_sizes = writer.shape(name), writer.shape(batch)
    count, items = (sizes or (UNKNOWN,))[0], (batch_sizes or (UNKNOWN,))[0]
    keys = writer.unary("unsqueeze2", numbers_up_to(writer, length), {"axes": [0]})
    if isinstance(count, int) and isinstance(items, int) and count == 3 * items + 2:
        name, count = split(writer, name, [items, count - items], 0)[0], items
    if count == items != UNKNOWN:
        ends = writer.unary("unsqueeze2", name, {"axes": [1]})
        return writer.binary("less_than", keys, ends)
    if isinstance(count, int) and isinstance(items, int):
        if count != 2 * items:
            raise node.error(
                f"input {position} ({name!r}), a mask: expected {items} lengths, as many ends and starts, or "
                f"{3 * items + 2} numbers that begin with the lengths, got {count}"
            )
        parts = split(writer, name, [items, items], 0)
    else:
        parts = _ends_and_starts(writer, name, size_of(writer, batch, 0))
    ends, starts = (writer.unary("unsqueeze2", part, {"axes": [1]}) for part in parts)
    after = writer.binary("greater_equal", keys, starts)
    return writer.binary("logical_and", writer.binary("less_than", keys, ends), after)


def _ends_and_starts(writer: BlockWriter, name: str, items: str) -> list[str]:
    """The first `items` numbers of a value, and the next ones: 0 unless there are twice as many in all."""
    zeros, padded = _zeros(writer, items, writer.dtype(name)), writer.new_name(name)
    writer.emit("concat", {"X": [name, zeros]}, {"Out": padded}, {"axis": 0})
    twice = writer.binary("elementwise_add", items, items)
    zero = writer.weight(np.zeros(1, np.int32), items)
    ends, starts = (part_of(writer, padded, bounds, 0) for bounds in ((zero, items), (items, twice)))
    has_starts = writer.binary("equal", size_of(writer, name, 0), twice)
    return [ends, writer.binary("elementwise_mul", starts, writer.cast(has_starts, writer.dtype(name)))]


def _zeros(writer: BlockWriter, length: str, dtype: DType) -> str:
    """As many zeros as `length` says, int32[1]."""
    out = writer.new_name(length)
    attrs: dict[str, AttrValue] = {"dtype": dtype.code, "value": 0.0}
    writer.emit("fill_constant", {"ShapeTensor": length}, {"Out": out}, attrs)
    return out


def part_of(writer: BlockWriter, name: str, bounds: tuple[str, str], axis: int) -> str:
    """A slice of one axis; the bounds are int32[1]."""
    out = writer.new_name(name)
    inputs = {"Input": name, "StartsTensor": bounds[0], "EndsTensor": bounds[1]}
    writer.emit("slice", inputs, {"Out": out}, {"axes": [axis]})
    return out


def sum_of(writer: BlockWriter, first: str | None, second: str | None) -> str | None:
    """The sum of two values, either of which may be absent."""
    if first is None or second is None:
        return first or second
    return writer.binary("elementwise_add", first, second)


def numbers_up_to(writer: BlockWriter, length: str) -> str:
    """``0, 1, …`` as int32, `length` of them."""
    zero, one = (writer.weight(np.array([n], np.int32), length) for n in (0, 1))
    out = writer.new_name(length)
    writer.emit("range", {"Start": zero, "End": length, "Step": one}, {"Out": out})
    return out


def size_of(writer: BlockWriter, name: str, axis: int) -> str:
    """The size of an axis, int32[1]."""
    out = writer.new_name(name)
    writer.emit(
        "slice",
        {"Input": writer.shape_of(name)},
        {"Out": out},
        {"axes": [0], "starts": [axis], "ends": [axis + 1]},
    )
    return out


def split(writer: BlockWriter, name: str, sizes: Sequence[int], axis: int) -> list[str]:
    """The parts of a value along an axis."""
    parts = [writer.new_name(name) for _ in sizes]
    writer.emit("split", {"X": name}, {"Out": parts}, {"axis": axis, "sections": list(sizes)})
    return parts
