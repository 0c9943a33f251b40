"""The parameters of layouts 1 and 2: FlatBuffers of Paddle-Lite's ``param.fbs``.

Layout 1 has one buffer of all parameters.  Layout 2 has a buffer for each:

| bytes         | content                                                       |
|---------------|---------------------------------------------------------------|
| 2             | the version of this part, 0                                   |
| 2             | m, the size of further facts, 0                               |
| m             | further facts                                                 |
| 2             | 6, the size of the next two numbers                           |
| 2             | the number of parameters                                      |
| 4             | the size of the largest one                                   |
| 4 + s for one | s; then the position of the buffer in these s bytes, 4 bytes; the buffer |
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator

import numpy as np

from lite.errors import ModelParseError
from lite.ir.program import Weight
from lite.ir.types import DType
from lite.model_parser.paddlelite_nb.flat_program import DTYPES
from lite.plugin.format.flatbuffer import Table

MAX_RANK = 32
_TENSOR = 1
"""The number of a tensor among the kinds of parameters, the only kind."""


def read_one_buffer(data: memoryview) -> dict[str, Weight]:
    """The parameters of layout 1; raises `ModelParseError`."""
    return _read_all(Table.root(data).tables(0)) if len(data) else {}


def read_buffers(data: memoryview) -> dict[str, Weight]:
    """The parameters of layout 2; raises `ModelParseError`."""
    return _read_all(map(Table.root, _buffers(data)))


def stored_weight(dtype: DType, dims: list[int], data: memoryview, name: str) -> Weight:
    """A parameter from its bytes; raises `ModelParseError` for other sizes than the dims state.

    Compiled kernels need aligned elements; the positions in the file are not, so most arrays are copies.
    """
    if len(dims) > MAX_RANK or any(dim < 0 for dim in dims):
        raise ModelParseError(
            f"parameter {name!r}: expected at most {MAX_RANK} sizes from 0 on, got {dims[:40]}"
        )
    if len(data) != math.prod(dims) * dtype.itemsize:
        raise ModelParseError(
            f"parameter {name!r}: {dtype}{dims} has {math.prod(dims) * dtype.itemsize} bytes, got {len(data)}"
        )
    try:
        array = np.frombuffer(data, dtype.numpy).reshape(dims)
    except ValueError as error:
        raise ModelParseError(f"parameter {name!r}: numpy cannot hold the sizes {dims}: {error}") from error
    array = array if array.flags.aligned else array.copy()
    array.flags.writeable = False
    return Weight(array)


def _buffers(data: memoryview) -> Iterator[memoryview]:
    version, facts = _numbers("<HH", data, 0)
    if version:
        raise ModelParseError(f"the parameters have version {version}, expected 0; convert the model again")
    size, count = _numbers("<HH", data, 4 + facts)
    position = 6 + facts + size
    for _ in range(count):
        length, offset = _numbers("<II", data, position)
        end = position + 4 + length
        if not 4 <= offset <= length or end > len(data):
            raise ModelParseError(
                f"the parameter at byte {position} has {length} bytes and its content at {offset}, expected "
                f"at most {len(data) - position - 4} bytes; the file is cut short or damaged: copy it again"
            )
        yield data[position + 4 + offset : end]
        position = end


def _numbers(layout: str, data: memoryview, position: int) -> tuple[int, ...]:
    if position + struct.calcsize(layout) > len(data):
        raise ModelParseError(
            f"the parameters end at byte {len(data)}, expected numbers at byte {position}; the file is cut "
            "short: copy it again"
        )
    return struct.unpack_from(layout, data, position)


def _read_all(tables: Iterable[Table]) -> dict[str, Weight]:
    weights: dict[str, Weight] = {}
    for table in tables:
        name, kind, tensor = table.string(1), table.integer(2, "B"), table.table(3)
        if name in weights:
            raise ModelParseError(f"the parameter {name!r} is given twice")
        if kind != _TENSOR or tensor is None:
            raise ModelParseError(f"parameter {name!r}: expected a tensor, got kind {kind}")
        dtype = DTYPES.get(tensor.integer(3, "i"))
        if dtype is None:
            raise ModelParseError(
                f"parameter {name!r}: the element type of number {tensor.integer(3, 'i')} is unknown"
            )
        dims = [int(dim) for dim in tensor.numbers(2, "q")]
        weights[name] = stored_weight(dtype, dims, tensor.numbers(4, "B").data, name)
    return weights
