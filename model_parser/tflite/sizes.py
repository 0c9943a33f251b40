"""Sizes of tensors as variables, and tensors of computed sizes filled with one value."""

from __future__ import annotations

import numpy as np

from lite.ir.types import DType
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.tensors import Tensor


def sizes(writer: GraphWriter, tensor: Tensor, first: int = 0) -> str:
    """The sizes from axis `first` on, ``int32[rank - first]``: a constant where they are known."""
    known = [size for size in tensor.shape[first:] if isinstance(size, int)]
    if len(known) == tensor.rank - first:
        return writer.weight(f"{tensor.name}.sizes", np.array(known, np.int32))
    shape = writer.new_name(f"{tensor.name}.sizes")
    writer.emit("shape", {"Input": writer.name(tensor)}, {"Out": shape})
    if not first:
        return shape
    part = writer.new_name(shape)
    ranges = {"axes": [0], "starts": [first], "ends": [tensor.rank]}
    writer.emit("slice", {"Input": shape}, {"Out": part}, ranges)
    return part


def as_int32(writer: GraphWriter, tensor: Tensor) -> str:
    """The variable of a tensor of integers, cast to int32."""
    name = writer.name(tensor)
    if tensor.dtype is DType.INT32:
        return name
    return writer.unary("cast", name, {"out_dtype": DType.INT32.code})


def joined(writer: GraphWriter, first: str, second: str) -> str:
    """Two vectors of one type, one after the other."""
    out = writer.new_name(first)
    writer.emit("concat", {"X": [first, second]}, {"Out": out}, {"axis": 0})
    return out


def filled(writer: GraphWriter, shape: str, value: str, dtype: DType) -> str:
    """A new tensor of `shape` with the element of the variable `value` everywhere."""
    out = writer.new_name(f"{shape}.filled")
    inputs = {"ShapeTensor": shape, "ValueTensor": value}
    writer.emit("fill_constant", inputs, {"Out": out}, {"dtype": dtype.code})
    return out
