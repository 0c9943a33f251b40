"""Adaptive poolings: as many bins along each axis as the output has elements."""

from __future__ import annotations

from lite.ir.types import DType
from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.images import as_image, batched, from_image
from lite.model_parser.pnnx.pools import axes_of
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Results, Value, Var
from lite.model_parser.pnnx.writer import Writer

_AVERAGE = [f"{name}{axes}d" for name in ("nn.AdaptiveAvgPool", "F.adaptive_avg_pool") for axes in (1, 2, 3)]

_MAXIMUM = [f"{name}{axes}d" for name in ("nn.AdaptiveMaxPool", "F.adaptive_max_pool") for axes in (1, 2, 3)]


@pnnx_op(*_AVERAGE)
@batched
def adaptive_average(call: Call) -> Value:
    """Adaptive `pool2d`; of a volume, of its planes and then of their results."""
    return _pooled(call, call.image(axes_of(call)), "avg")


@pnnx_op(*_MAXIMUM)
@batched
def adaptive_maximum(call: Call) -> Value | Results:
    """Adaptive `max_pool2d_with_index`, whose bins are those of torch."""
    axes = axes_of(call)
    x = call.image(axes)
    if not call.flag("return_indices", False):
        return _pooled(call, x, "max")
    writer = call.writer
    if axes == 3:
        return Results(_volume_with_index(call, x))
    pair = _with_index(writer, as_image(writer, x, axes), _bins(call, x, axes))
    return Results([from_image(writer, part, axes) for part in pair])


def _pooled(call: Call, x: Var, kind: str) -> Var:
    axes, writer = axes_of(call), call.writer
    bins = _bins(call, x, axes)
    if axes < 3:
        return from_image(writer, _pool(writer, as_image(writer, x, axes), bins, kind), axes)
    # The bins of a volume are products of those of its axes, so each axis is pooled alone.
    sizes = [writer.size(x, axis) for axis in range(5)]
    planes = _pool(writer, writer.reshape(x, [sizes[0], -1, *sizes[3:]]), bins[1:], kind)
    columns = writer.reshape(planes, [*sizes[:3], bins[1] * bins[2]])
    depths = _pool(writer, columns, [bins[0], bins[1] * bins[2]], kind)
    return writer.reshape(depths, [*sizes[:2], *bins])


def _volume_with_index(call: Call, x: Var) -> list[Var]:
    """The maxima of the planes and then along the depth, and their positions in the volume."""
    writer, bins = call.writer, _bins(call, x, 3)
    sizes = [writer.size(x, axis) for axis in range(5)]
    planes, places = _with_index(writer, writer.reshape(x, [sizes[0], -1, *sizes[3:]]), bins[1:])
    count = bins[1] * bins[2]
    columns = writer.reshape(planes, [*sizes[:3], count])
    maxima, chosen = _with_index(writer, columns, [bins[0], count])
    flat = writer.reshape(writer.cast(chosen, DType.INT64), [*sizes[:2], -1])
    depth = arithmetic.binary(writer, "floor_divide", flat, count)
    places = writer.reshape(writer.cast(places, DType.INT64), [*sizes[:2], -1])
    inside = writer.emit_one("take_along_axis", {"Input": places, "Index": flat}, {"Axis": 2})
    plane = arithmetic.binary(writer, "mul", *(arithmetic.as_term(size) for size in sizes[3:]))
    index = arithmetic.binary(writer, "add", arithmetic.binary(writer, "mul", depth, plane), inside)
    shape = [*sizes[:2], *bins]
    return [writer.reshape(part, shape) for part in (maxima, arithmetic.as_var(writer, index))]


def _pool(writer: Writer, image: Var, bins: list[int], kind: str) -> Var:
    if kind == "max":
        return _with_index(writer, image, bins)[0]
    return writer.unary("pool2d", image, {"pooling_type": "avg", "adaptive": True, "ksize": [*bins]})


def _with_index(writer: Writer, image: Var, bins: list[int]) -> list[Var]:
    attrs: dict[str, bool | list[int]] = {"adaptive": True, "ksize": bins}
    return writer.emit("max_pool2d_with_index", {"X": image}, {**attrs}, {"Out": 1, "Mask": 1})


def _bins(call: Call, x: Var, axes: int) -> list[int]:
    """The bins along each axis of the image; None, or 0 as pnnx writes it, keeps the size, if it is fixed."""
    items = call.items("output_size")
    items = items * axes if len(items) == 1 else items
    sizes = call.writer.shape(x)[-axes:]
    bins = [size if item in (None, "None", 0) else item for item, size in zip(items, sizes, strict=False)]
    numbers = [int(size) for size in bins if isinstance(size, int)]
    if len(numbers) != axes:
        raise call.error(f"parameter output_size: expected {axes} fixed sizes, got {bins}")
    return [1, *numbers] if axes == 1 else numbers
