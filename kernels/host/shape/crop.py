"""crop and crop_tensor on the host."""

from lite.ops.new_shape import cropped
from lite.ops.ranges import crop_offsets
from lite.ops.shape_input import integers
from lite.plugin.kernel import Array, kernel, write


@kernel("crop")
def crop(
    X: Array,
    Y: Array | None,
    Offsets: Array | None,
    *,
    offsets: list[int],
    shape: list[int],
    out: Array | None = None,
) -> Array:
    """The box of X that starts at the offsets and has Y's shape, or `shape`."""
    return _box("crop", X, list(shape if Y is None else Y.shape), integers(offsets, Offsets), out)


@kernel("crop_tensor")
def crop_tensor(
    X: Array,
    Shape: Array | None,
    ShapeTensor: list[Array] | None,
    Offsets: Array | None,
    OffsetsTensor: list[Array] | None,
    *,
    offsets: list[int],
    shape: list[int],
    out: Array | None = None,
) -> Array:
    """The box of X that starts at the offsets and has the shape; a size of -1 reaches to the end."""
    sizes = integers(shape, Shape, ShapeTensor)
    return _box("crop_tensor", X, sizes, integers(offsets, Offsets, OffsetsTensor), out)


def _box(name: str, x: Array, sizes: list[int], given: list[int], out: Array | None) -> Array:
    offsets = crop_offsets(given, x.ndim)
    shape = cropped(name, x.shape, sizes, offsets)
    result = x[tuple(slice(begin, begin + int(size)) for begin, size in zip(offsets, shape, strict=True))]
    return result.copy() if out is None else write(out, result)
