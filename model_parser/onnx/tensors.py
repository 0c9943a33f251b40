"""TensorProto → array; external data is mapped, never read at once."""

from __future__ import annotations

import math
import mmap
import re
from pathlib import Path

import numpy as np
import onnx

from lite.errors import ModelParseError
from lite.ir.types import Array, DType
from lite.model_parser.onnx.element_types import dtype_of
from lite.model_parser.onnx.elements import from_bytes, from_lists, is_packed, packed_size

_POSITION = re.compile(r"[0-9]{1,18}")

Mapped = mmap.mmap | bytes


class TensorReader:
    """Reads the tensors of one model; `folder` is where its external data may lie, None for nowhere.

    Each file of external data is mapped once: its bytes come from the disk when they are touched.
    Errors are `ModelParseError` and begin with what the caller says of where the tensor is.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = None if folder is None else folder.resolve()
        self._mapped: dict[Path, Mapped] = {}

    @property
    def files(self) -> list[Path]:
        """The files of external data that were read so far."""
        return list(self._mapped)

    def read(self, tensor: onnx.TensorProto, where: str) -> Array:
        """The elements, read-only."""
        dtype = _dtype(tensor, where)
        if any(dim < 0 for dim in tensor.dims):
            raise ModelParseError(f"{where}: expected sizes from 0, got dims {list(tensor.dims)}")
        count = math.prod(tensor.dims)
        need = packed_size(count, dtype)
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            return _shaped(self._external(tensor, dtype, need, where), tensor, where)
        if tensor.HasField("raw_data") and dtype is not DType.STRING:
            data = tensor.raw_data
            if len(data) != need:
                said = f"{dtype}{list(tensor.dims)}"
                raise ModelParseError(f"{where}: has {len(data)} bytes, expected {need} for {said}")
            return _shaped(from_bytes(data, dtype, count), tensor, where)
        try:
            array = from_lists(tensor, dtype)
        except (ValueError, OverflowError) as error:
            raise ModelParseError(f"{where}: its elements are no {dtype}: {error}") from error
        return _shaped(array, tensor, where)

    def _external(self, tensor: onnx.TensorProto, dtype: DType, need: int, where: str) -> Array:
        if dtype is DType.STRING:
            raise ModelParseError(f"{where}: texts cannot lie in another file")
        # protobuf hands a text that is not UTF-8 over as bytes.
        entries = {entry.key: str(entry.value) for entry in tensor.external_data}
        path, data = self._file(entries.get("location", ""), where)
        offset = _position(entries.get("offset", "0"), where)
        length = _position(entries["length"], where) if "length" in entries else need
        if length != need:
            raise ModelParseError(
                f"{where}: says {length} bytes, expected {need} for {dtype}{list(tensor.dims)}"
            )
        if offset + need > len(data):
            raise ModelParseError(
                f"{where}: needs {need} bytes from byte {offset} of {path.name}, which has {len(data)}; "
                "it may be cut short: copy or export the model again"
            )
        count = math.prod(tensor.dims)
        if need == 0:
            return np.empty(0, dtype.numpy)
        if is_packed(dtype):
            return from_bytes(bytes(data[offset : offset + need]), dtype, count)
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
                self._mapped[path] = _map(path)
        except FileNotFoundError:
            raise ModelParseError(
                f"{where}: its data file {location!r} is missing beside the model"
            ) from None
        except (OSError, ValueError, RuntimeError) as error:
            raise ModelParseError(f"{where}: its data file {location!r} cannot be read: {error}") from error
        return path, self._mapped[path]


def _shaped(flat: Array, tensor: onnx.TensorProto, where: str) -> Array:
    """With the dims of the tensor, read-only."""
    dims = list(tensor.dims)
    if flat.size != math.prod(dims):
        raise ModelParseError(
            f"{where}: has {flat.size} elements, expected {math.prod(dims)} for dims {dims}"
        )
    try:
        array = flat.reshape(dims)
    except ValueError as error:
        raise ModelParseError(f"{where}: no array has dims {dims}: {error}") from error
    array.flags.writeable = False
    return array


def _map(path: Path) -> Mapped:
    with path.open("rb") as file:
        if file.seek(0, 2) == 0:
            return b""
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _dtype(tensor: onnx.TensorProto, where: str) -> DType:
    try:
        dtype = dtype_of(tensor.data_type)
    except ModelParseError as error:
        raise ModelParseError(f"{where}: {error}") from error
    if dtype is None:
        raise ModelParseError(f"{where}: expected an element type, got none")
    return dtype


def _position(text: str, where: str) -> int:
    if not _POSITION.fullmatch(text):
        raise ModelParseError(f"{where}: expected a position in a file, got {text[:40]!r}")
    return int(text)
