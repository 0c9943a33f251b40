"""TensorProto → array; external data is mapped, never read at once."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from lite.errors import ModelParseError
from lite.ir.types import Array
from lite.model_parser.onnx.element_types import dtype_of


def read_tensor(tensor: onnx.TensorProto, source: str, folder: Path | None) -> Array:
    """The elements, read-only; raises `ModelParseError` naming the tensor."""
    where = f"{source}: initialiser {tensor.name!r}"
    if tensor.data_location == onnx.TensorProto.EXTERNAL:
        return _external(tensor, where, folder)
    try:
        array: Array = np.asarray(numpy_helper.to_array(tensor))
    except (ValueError, TypeError, KeyError) as error:
        raise ModelParseError(
            f"{where}: its data does not fit its type and dims {list(tensor.dims)}: {error}"
        ) from error
    array.flags.writeable = False
    return array


def _external(tensor: onnx.TensorProto, where: str, folder: Path | None) -> Array:
    entries = {entry.key: entry.value for entry in tensor.external_data}
    if folder is None:
        raise ModelParseError(f"{where}: its data is in another file; give the model as a path, not as bytes")
    location = entries.get("location", "")
    path = (folder / location).resolve()
    if not location or not path.is_relative_to(folder.resolve()):
        raise ModelParseError(
            f"{where}: its data is at {location!r}, which leaves the model's folder; refused"
        )
    if not path.is_file():
        raise ModelParseError(f"{where}: its data file {path.name} is missing beside the model")
    dtype = dtype_of(tensor.data_type)
    if dtype is None or any(dim < 0 for dim in tensor.dims):
        raise ModelParseError(f"{where}: expected an element type and sizes, got {list(tensor.dims)}")
    offset = _number(entries.get("offset", "0"), where)
    need = math.prod(tensor.dims) * dtype.itemsize
    size = path.stat().st_size
    if offset + need > size or _number(entries.get("length", str(need)), where) != need:
        raise ModelParseError(
            f"{where}: needs {need} bytes from byte {offset} of {path.name}, which has {size}"
        )
    if need == 0:
        return np.empty(tuple(tensor.dims), dtype.numpy)
    return np.memmap(path, dtype.numpy, "r", offset, tuple(tensor.dims))


def _number(text: str, where: str) -> int:
    if not text.isdecimal():
        raise ModelParseError(f"{where}: expected a position in a file, got {text!r}")
    return int(text)
