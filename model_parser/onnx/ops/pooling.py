"""Poolings: Paddle's `pool2d` where it means the same, else `pool_nd` or a reduction."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.sizes import axes_from
from lite.model_parser.onnx.translations import onnx_op
from lite.model_parser.onnx.windows import Windows, as_image, as_line, read_windows

_TYPES = {"AveragePool": "avg", "MaxPool": "max", "LpPool": "lp"}

_GLOBAL = {"GlobalAveragePool": ("avg", "reduce_mean"), "GlobalMaxPool": ("max", "reduce_max")}

_IMAGE_TYPES = {DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32, DType.FLOAT64}

_MAXIMUM_TYPES = _IMAGE_TYPES | {DType.UINT8, DType.INT8}


@onnx_op(*_TYPES)
def pool(node: OnnxNode, writer: BlockWriter) -> None:
    """`pool2d`, or `pool_nd`; for `pool2d` a line becomes an image one pixel high."""
    kernel = node.integers("kernel_shape")
    if not kernel:
        raise node.error("attribute kernel_shape is missing")
    windows = read_windows(node, writer, node.input(0), kernel)
    kind, ceil = _TYPES[node.op], bool(node.integer("ceil_mode", 0))
    padded = bool(node.integer("count_include_pad", 0))
    if (
        kind != "lp"
        and len(kernel) < 3
        and not node.optional_output(1)
        and writer.dtype(node.input(0)) in (_MAXIMUM_TYPES if kind == "max" else _IMAGE_TYPES)
        and windows.algorithm in ("EXPLICIT", "SAME")
        and _fits_pool2d(windows, ceil, padded and kind == "avg")
        and _fits_image(writer, node.input(0), windows)
    ):
        _pool2d(node, writer, windows, {"pooling_type": kind, "ceil_mode": ceil, "exclusive": not padded})
        return
    writer.emit(
        "pool_nd",
        {"X": node.input(0)},
        {"Out": node.output(), "Indices": node.optional_output(1)},
        {
            "pooling_type": kind,
            "ksize": kernel,
            "strides": windows.strides,
            "paddings": windows.paddings,
            "padding_algorithm": windows.algorithm,
            "dilations": windows.dilations,
            "ceil_mode": ceil,
            "exclusive": not padded,
            "norm": node.integer("p", 2),
            "column_major": bool(node.integer("storage_order", 0)),
        },
    )


def _fits_pool2d(windows: Windows, ceil: bool, padded: bool) -> bool:
    """Whether `pool2d` means the same.

    `pool2d` has no dilation.  In ceil mode it also counts windows that begin after the input, which do not
    exist where padding + stride ≤ kernel.  It uses the padding before an axis also as the padding after,
    whose sizes are not known yet for SAME.
    """
    before, after = windows.paddings[::2], windows.paddings[1::2]
    axes = zip(windows.kernel, windows.strides, after, strict=True)
    return (
        max(windows.dilations) == 1
        and (not ceil or all(side + stride <= size for size, stride, side in axes))
        and (not padded or (before == after and windows.algorithm == "EXPLICIT"))
    )


def _fits_image(writer: BlockWriter, x: str, windows: Windows) -> bool:
    """Whether no image of a known size is smaller than the window, which `pool2d` refuses."""
    sizes = (writer.shape(x) or ())[2:]
    if windows.algorithm != "EXPLICIT" or len(sizes) != len(windows.kernel):
        return True
    sides = zip(sizes, windows.kernel, windows.paddings[::2], windows.paddings[1::2], strict=True)
    return all(size + before + after >= k for size, k, before, after in sides if isinstance(size, int))


def _pool2d(node: OnnxNode, writer: BlockWriter, windows: Windows, attrs: dict[str, AttrValue]) -> None:
    x, out = node.input(0), node.output()
    is_line = len(windows.kernel) == 1
    if is_line:
        x, windows, out = as_image(writer, x), windows.as_image(), writer.new_name(out)
    writer.unary(
        "pool2d",
        x,
        {
            **attrs,
            "ksize": windows.kernel,
            "strides": windows.strides,
            "paddings": windows.paddings,
            "padding_algorithm": windows.algorithm,
        },
        out,
    )
    if is_line:
        as_line(writer, out, node.output())


@onnx_op(*_GLOBAL)
def global_pool(node: OnnxNode, writer: BlockWriter) -> None:
    """`pool2d` with global_pooling for images; a reduction for other numbers of spatial axes."""
    kind, reduction = _GLOBAL[node.op]
    rank = writer.rank(node.input(0))
    if rank == 4:
        attrs: dict[str, AttrValue] = {"pooling_type": kind, "global_pooling": True}
        writer.unary("pool2d", node.input(0), attrs, node.output())
        return
    _reduce_images(writer, reduction, node.input(0), node.input(0), node.output())


@onnx_op("GlobalLpPool")
def global_lp_pool(node: OnnxNode, writer: BlockWriter) -> None:
    """The p-th root of the sum of the p-th powers."""
    p = float(node.integer("p", 2))
    powers = writer.unary("pow", writer.unary("abs", node.input(0)), {"factor": p})
    total = writer.new_name(node.output())
    _reduce_images(writer, "reduce_sum", powers, node.input(0), total)
    writer.unary("pow", total, {"factor": 1 / p}, node.output())


def _reduce_images(writer: BlockWriter, reduction: str, images: str, source: str, out: str) -> None:
    """Reduce all spatial axes of `images`, which has the rank of `source`, and keep them."""
    rank = writer.rank(source)
    inputs, attrs = {"X": images}, {"keep_dim": True}
    if rank is None:
        inputs["AxisTensor"] = axes_from(writer, source, 2)
        writer.emit(reduction, inputs, {"Out": out}, attrs)
        return
    writer.emit(reduction, inputs, {"Out": out}, {**attrs, "dim": [*range(2, rank)]})


@onnx_op("MaxUnpool")
def max_unpool(node: OnnxNode, writer: BlockWriter) -> None:
    """`max_unpool`; the output shape is an optional input."""
    kernel = node.integers("kernel_shape")
    if not kernel:
        raise node.error("attribute kernel_shape is missing")
    windows = read_windows(node, writer, node.input(0), kernel)
    writer.emit(
        "max_unpool",
        {"X": node.input(0), "Indices": node.input(1), "Shape": node.optional(2)},
        {"Out": node.output()},
        {"ksize": kernel, "strides": windows.strides, "paddings": windows.paddings},
    )
