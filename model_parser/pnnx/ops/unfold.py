"""Windows of images as columns, and back."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var


@pnnx_op("F.unfold", "nn.Unfold")
def unfold(call: Call) -> Value:
    """`unfold`."""
    down, right = call.integers("padding", 2, [0])
    attrs: dict[str, AttrValue] = {
        "kernel_sizes": call.integers("kernel_size", 2),
        "strides": call.integers("stride", 2, [1]),
        "dilations": call.integers("dilation", 2, [1]),
        "paddings": [down, right, down, right],
    }
    writer = call.writer
    if writer.rank(call.x) == 3:
        return _first(call, writer.unary("unfold", _batch_of_one(call), attrs))
    return writer.unary("unfold", call.x, attrs)


@pnnx_op("F.fold", "nn.Fold")
def fold(call: Call) -> Value:
    """`col2im`: overlapping columns are added up."""
    writer = call.writer
    down, right = call.integers("padding", 2, [0])
    attrs: dict[str, AttrValue] = {
        "strides": call.integers("stride", 2, [1]),
        "dilations": call.integers("dilation", 2, [1]),
        "pads": [down, right, down, right],
    }
    is_single = writer.rank(call.x) == 2
    inputs = {
        "X": _batch_of_one(call) if is_single else call.x,
        "ImageShape": writer.constant(np.array(call.integers("output_size", 2), np.int64)),
        "BlockShape": writer.constant(np.array(call.integers("kernel_size", 2), np.int64)),
    }
    image = writer.emit_one("col2im", inputs, attrs)
    return _first(call, image) if is_single else image


def _batch_of_one(call: Call) -> Var:
    return call.writer.unary("unsqueeze2", call.x, {"axes": [0]})


def _first(call: Call, x: Var) -> Var:
    return call.writer.unary("squeeze2", x, {"axes": [0]})
