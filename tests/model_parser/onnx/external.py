"""Tensors with external data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import helper

from lite.ir.types import Array


def external_tensor(
    name: str, kind: int, dims: Sequence[int], location: str, **entries: object
) -> onnx.TensorProto:
    """A tensor with external data; `entries` are ``offset`` and ``length``."""
    tensor = onnx.TensorProto(name=name, data_type=kind, dims=dims, data_location=onnx.TensorProto.EXTERNAL)
    for key, value in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=str(value))
    return tensor


def move_to_file(tensor: onnx.TensorProto, array: Array, path: Path) -> None:
    """Move a tensor's elements to the end of a file."""
    offset = path.stat().st_size if path.exists() else 0
    with path.open("ab") as file:
        file.write(array.tobytes())
    outside = external_tensor(
        tensor.name,
        helper.np_dtype_to_tensor_dtype(array.dtype),
        array.shape,
        path.name,
        offset=offset,
        length=array.nbytes,
    )
    tensor.CopyFrom(outside)


def save(model: onnx.ModelProto, path: Path) -> Path:
    """Write the model without its external data, which onnx.save would write, too."""
    path.write_bytes(model.SerializeToString())
    return path


def floats(count: int, start: float = 0.0) -> Array:
    """`count` different numbers."""
    return np.arange(count, dtype=np.float32) + np.float32(start)
