"""The tensors of a TFLite subgraph: type, shape, quantisation, and the elements of constants."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.errors import ModelParseError
from lite.ir.types import UNKNOWN, Array, DType, Shape
from lite.model_parser.tflite.packed import BLOCKWISE, by_blocks, unpacked
from lite.model_parser.tflite.schema import DTYPES, PACKED
from lite.model_parser.tflite.sparsity import dense
from lite.plugin.format.flatbuffer import Table

MAX_RANK = 32


@dataclass(frozen=True, eq=False)
class Quantisation:
    """Real = (integer - zero point) · scale, with one number for all or one per slice of `axis`."""

    scale: Array
    zero_point: Array
    axis: int

    def equals(self, other: Quantisation) -> bool:
        """Whether both mean the same numbers."""
        return (
            np.array_equal(self.scale, other.scale)
            and np.array_equal(self.zero_point, other.zero_point)
            and (self.axis == other.axis or self.scale.size == 1)
        )

    def real(self, elements: Array) -> Array:
        """The numbers float32 that integers mean."""
        along = [-1 if n == self.axis else 1 for n in range(elements.ndim)]
        shape = [1] * elements.ndim if self.scale.size == 1 else along
        steps = elements.astype(np.float64) - self.zero_point.astype(np.float64).reshape(shape)
        return (steps * self.scale.astype(np.float64).reshape(shape)).astype(np.float32)


@dataclass(eq=False)
class Tensor:
    """A tensor: its variable, and its elements if it is constant.

    `is_variable`: the state of an operator, zeros at the start of a run.  `resource` is the name of the
    resource variable to which the tensor is a handle.
    """

    name: str
    dtype: DType
    shape: Shape
    quantisation: Quantisation | None
    elements: Array | None
    is_variable: bool = False
    resource: str | None = None

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def axis(self, axis: int) -> int:
        """`axis` counted from the first; raises `ModelParseError` where the tensor does not have it."""
        if not -self.rank <= axis < self.rank:
            raise ModelParseError(f"expected an axis of {self.name!r}, of rank {self.rank}, got {axis}")
        return axis % self.rank


def read_tensor(tables: Sequence[Table], number: int, buffers: Sequence[Table], data: bytes) -> Tensor:
    """A tensor of a subgraph under the name in the file.

    Constants of less than 8 bits get 8 bits, and those with a scale per block of a row are dequantised.
    """
    table = tables[number]
    name = table.string(3)
    where = f"tensor {name!r}"
    code = table.integer(1, "b")
    dtype, bits = PACKED.get(code, (DTYPES.get(code), 8))
    if dtype is None:
        raise ModelParseError(f"{where}: the element type of number {code} is not supported")
    sizes = [int(size) for size in table.numbers(0, "i")]
    signature = [int(size) for size in table.numbers(7, "i")]
    if len(sizes) > MAX_RANK or any(size < 0 for size in sizes):
        raise ModelParseError(f"{where}: expected at most {MAX_RANK} sizes from 0 on, got {sizes[:40]}")
    shape: Shape = tuple(sizes)
    if len(signature) == len(sizes):
        shape = tuple(UNKNOWN if wanted < 0 else size for wanted, size in zip(signature, sizes, strict=True))
    content = _content(table.integer(2, "I"), buffers, data, where)
    if bits < 8:
        if content is None:
            raise ModelParseError(f"{where}: elements of {bits} bits are not supported outside of constants")
        content = unpacked(content, dtype, bits, math.prod(sizes))
    elements = None if content is None else array_of(content, table.table(6), dtype, sizes, where)
    given = table.table(4)
    quantisation = _quantisation(given, dtype, sizes, where)
    shape = shape if elements is None else tuple(sizes)
    details = given.table(5) if given is not None and given.integer(4, "B") == BLOCKWISE else None
    if details is not None and elements is not None:
        try:
            elements = by_blocks(details, elements, lambda n: _constant(tables, n, buffers, data))
        except ModelParseError as error:
            raise ModelParseError(f"{where}: {error}") from error
        dtype, quantisation = DType.FLOAT32, None
    return Tensor(name, dtype, shape, quantisation, elements, bool(table.integer(5, "?")))


def _constant(tables: Sequence[Table], number: int, buffers: Sequence[Table], data: bytes) -> Array:
    """The elements of a constant without a quantisation of its own."""
    if not 0 <= number < len(tables):
        raise ModelParseError(f"expected a tensor from 0 to {len(tables) - 1}, got {number}")
    given = tables[number].table(4)
    if given is not None and given.integer(4, "B"):
        raise ModelParseError(f"tensor {number}: expected numbers that are not quantised")
    tensor = read_tensor(tables, number, buffers, data)
    if tensor.elements is None:
        raise ModelParseError(f"tensor {tensor.name!r}: expected a constant")
    return tensor.elements


def _content(number: int, buffers: Sequence[Table], data: bytes, where: str) -> Array | None:
    """The bytes in a buffer; None for an empty one, as number 0 is."""
    if not 0 <= number < len(buffers):
        raise ModelParseError(f"{where}: expected a buffer from 0 to {len(buffers) - 1}, got {number}")
    table = buffers[number]
    content = table.numbers(0, "B")
    offset, size = table.integer(1, "Q"), table.integer(2, "Q")
    if offset > 1:
        if offset + size > len(data):
            raise ModelParseError(f"{where}: {size} bytes at {offset} exceed the file of {len(data)} bytes")
        content = np.frombuffer(data, np.uint8, size, offset)
    return content if number and content.size else None


def array_of(content: Array, sparsity: Table | None, dtype: DType, sizes: Sequence[int], where: str) -> Array:
    """The elements in the bytes of a buffer, with zeros where a sparse tensor has none."""
    if sparsity is not None and content.size % dtype.itemsize == 0:
        try:
            return dense(np.frombuffer(content.tobytes(), dtype.numpy), sizes, sparsity)
        except ModelParseError as error:
            raise ModelParseError(f"{where}: sparse elements: {error}") from error
    count = math.prod(sizes)
    if content.size != count * dtype.itemsize:
        raise ModelParseError(
            f"{where}: expected {count * dtype.itemsize} bytes for {dtype}{sizes}, got {content.size}"
        )
    try:
        elements: Array = np.frombuffer(content.tobytes(), dtype.numpy).reshape(sizes)
    except ValueError as error:
        raise ModelParseError(f"{where}: numpy cannot hold the sizes {sizes}: {error}") from error
    return elements


def _quantisation(table: Table | None, dtype: DType, sizes: Sequence[int], where: str) -> Quantisation | None:
    if table is None:
        return None
    scale = table.numbers(2, "f").astype(np.float32)
    if not scale.size or not dtype.is_integer:
        return None
    zero = table.numbers(3, "q")
    zero = np.zeros(scale.size, np.int64) if not zero.size else zero
    if zero.size == 1:
        zero = np.repeat(zero, scale.size)
    axis = table.integer(6, "i")
    if scale.size > 1 and not (0 <= axis < len(sizes) and sizes[axis] == scale.size):
        raise ModelParseError(
            f"{where}: expected one scale or one per slice of axis {axis} of {list(sizes)}, got {scale.size}"
        )
    typed = zero.astype(dtype.numpy)
    if zero.size != scale.size or not np.array_equal(typed, zero):
        raise ModelParseError(f"{where}: expected {scale.size} zero points of type {dtype}, got {zero[:8]}")
    if not (np.isfinite(scale).all() and (scale > 0).all()):
        raise ModelParseError(f"{where}: expected positive scales, got {scale[:8]}")
    return Quantisation(scale, typed, axis)
