"""TensorProto and SparseTensorProto of onnx.proto to arrays; external data is mapped."""

from __future__ import annotations

import math
import mmap
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lite.errors import ModelParseError
from lite.ir.types import Array, DType
from lite.model_parser.onnx.element_types import dtype_of
from lite.model_parser.onnx.elements import from_bytes, from_lists, is_packed, packed_size
from lite.model_parser.onnx.large_tensors import TAKEN
from lite.model_parser.onnx.messages import SparseTensorProto, TensorProto
from lite.plugin.format import map_regular

_POSITION = re.compile(r"[0-9]{1,18}")

_MAX_DENSE_BYTES = 2**31
"""The largest sparse tensor with its zeros: a dense tensor in the same file could not be larger."""

Mapped = mmap.mmap | bytes


class TensorReader:
    """Reads the tensors of one model; `folder` holds its external data, None where it may have none.

    `taken` is the data of tensors that the messages lack (`take_large_tensors`).  Maps each file of external
    data once: the system reads a page when it is first used.  Every method raises `ModelParseError`, whose
    message begins with the caller's `where`.
    """

    def __init__(self, folder: Path | None, taken: Sequence[Array] = ()) -> None:
        self._folder = None if folder is None else folder.resolve()
        self._taken = taken
        self._mapped: dict[Path, Mapped] = {}

    @property
    def files(self) -> list[Path]:
        """The files of external data that have been read."""
        return list(self._mapped)

    def read(self, tensor: TensorProto, where: str) -> Array:
        """The elements, read-only."""
        dtype = _dtype(tensor, where)
        if any(dim < 0 for dim in tensor.dims):
            raise ModelParseError(f"{where}: expected dims of 0 or more, got {list(tensor.dims)}")
        count = math.prod(tensor.dims)
        size = packed_size(count, dtype)
        data = self._raw_data(tensor)
        if data is not None and dtype is not DType.STRING:
            if len(data) != size:
                declared = f"{dtype}{list(tensor.dims)}"
                raise ModelParseError(f"{where}: has {len(data)} bytes, expected {size} for {declared}")
            return _shaped(from_bytes(data, dtype, count), tensor, where)
        if tensor.data_location == TensorProto.EXTERNAL:
            return _shaped(self._external(tensor, dtype, size, where), tensor, where)
        try:
            array = from_lists(tensor, dtype)
        except (ValueError, OverflowError) as error:
            raise ModelParseError(f"{where}: its elements are not {dtype}: {error}") from error
        return _shaped(array, tensor, where)

    def read_sparse(self, tensor: SparseTensorProto, where: str) -> Array:
        """The dense array, read-only; indices count in the flat tensor, or have a row for each element."""
        values = self.read(tensor.values, f"{where}: values")
        indices = self.read(tensor.indices, f"{where}: indices")
        dims = list(tensor.dims)
        if any(dim < 0 for dim in dims) or math.prod(dims) * values.itemsize > _MAX_DENSE_BYTES:
            raise ModelParseError(
                f"{where}: expected at most {_MAX_DENSE_BYTES} bytes with the zeros, got dims {dims} of "
                f"{values.dtype}"
            )
        try:
            array: Array = np.zeros(dims, values.dtype)
            if indices.ndim == 1:
                array.reshape(-1)[indices] = values
            else:
                array[tuple(indices.T)] = values
        except (ValueError, TypeError, IndexError) as error:
            raise ModelParseError(
                f"{where}: its indices and values do not fit its dims {dims}: {error}"
            ) from error
        array.flags.writeable = False
        return array

    def _raw_data(self, tensor: TensorProto) -> bytes | Array | None:
        """The bytes in the tensor, or taken out of it; None if its elements are elsewhere."""
        if tensor.data_location != TensorProto.EXTERNAL:
            return tensor.raw_data if tensor.HasField("raw_data") else None
        if not self._taken:
            return None
        entries = {entry.key: str(entry.value) for entry in tensor.external_data}
        number = entries.get("offset", "")
        # A file may state the location itself.
        is_taken = entries.get("location") == TAKEN and _POSITION.fullmatch(number)
        return self._taken[int(number)] if is_taken and int(number) < len(self._taken) else None

    def _external(self, tensor: TensorProto, dtype: DType, size: int, where: str) -> Array:
        if dtype is DType.STRING:
            raise ModelParseError(f"{where}: strings cannot be external data")
        # protobuf returns a string that is not UTF-8 as bytes.
        entries = {entry.key: str(entry.value) for entry in tensor.external_data}
        path, data = self._file(entries.get("location", ""), where)
        offset = _position(entries.get("offset", "0"), where)
        length = _position(entries["length"], where) if "length" in entries else size
        if length != size:
            raise ModelParseError(
                f"{where}: has length {length}, expected {size} bytes for {dtype}{list(tensor.dims)}"
            )
        if offset + size > len(data):
            raise ModelParseError(
                f"{where}: needs {size} bytes from byte {offset} of {path.name}, which has {len(data)}; "
                "it may be cut short: copy or export the model again"
            )
        count = math.prod(tensor.dims)
        if size == 0:
            return np.empty(0, dtype.numpy)
        if is_packed(dtype):
            return from_bytes(bytes(data[offset : offset + size]), dtype, count)
        return np.frombuffer(data, dtype.numpy, count, offset)

    def _file(self, location: str, where: str) -> tuple[Path, Mapped]:
        if self._folder is None:
            raise ModelParseError(
                f"{where}: its data is in another file; give the model as a path, not as bytes"
            )
        try:
            path = (self._folder / location).resolve()
            if not location or not path.is_relative_to(self._folder):
                raise ModelParseError(
                    f"{where}: its data is at {location!r}, which leaves the model's folder; refused"
                )
            if path not in self._mapped:
                self._mapped[path] = map_regular(path)
        except FileNotFoundError:
            raise ModelParseError(
                f"{where}: its data file {location!r} is missing beside the model"
            ) from None
        except (OSError, ValueError, RuntimeError) as error:
            raise ModelParseError(f"{where}: its data file {location!r} cannot be read: {error}") from error
        return path, self._mapped[path]


def _shaped(flat: Array, tensor: TensorProto, where: str) -> Array:
    """The array in the dims of the tensor, read-only."""
    dims = list(tensor.dims)
    if flat.size != math.prod(dims):
        raise ModelParseError(
            f"{where}: has {flat.size} elements, expected {math.prod(dims)} for dims {dims}"
        )
    try:
        array = flat.reshape(dims)
    except ValueError as error:
        raise ModelParseError(f"{where}: numpy cannot hold the dims {dims}: {error}") from error
    array.flags.writeable = False
    return array


def _dtype(tensor: TensorProto, where: str) -> DType:
    try:
        dtype = dtype_of(tensor.data_type)
    except ModelParseError as error:
        raise ModelParseError(f"{where}: {error}") from error
    if dtype is None:
        raise ModelParseError(f"{where}: the element type is missing")
    return dtype


def _position(text: str, where: str) -> int:
    if not _POSITION.fullmatch(text):
        raise ModelParseError(f"{where}: expected a position in a file, got {text[:40]!r}")
    return int(text)
