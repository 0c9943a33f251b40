"""A StableHLO function while bridges add to it.

Operations of StableHLO take equal shapes and types; the methods broadcast as numpy does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from lite.emission.stablehlo.graph import Attribute, Operation, StablehloGraph, Tensor
from lite.errors import CompileError
from lite.ir.types import Array, DType
from lite.ops.view import Meta

Pair = tuple[int, int]

HIGHEST = "[#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]"
"""Both operands of a product in float32, where a chip could shorten them."""


class Builder:
    """Inputs, operations and outputs in order."""

    def __init__(self) -> None:
        self.graph = StablehloGraph()

    # What the conversion of a region calls.

    def input(self, name: str, meta: Meta) -> Tensor:
        """An input of the region; raises `CompileError` for one whose sizes are not known."""
        if not meta.is_static:
            raise CompileError(f"input {name} is {meta}: a StableHLO function has fixed sizes here")
        self.graph.inputs.append(Tensor(meta.dtype, meta.sizes))
        return self.graph.inputs[-1]

    def constant(self, name: str, array: Array) -> Tensor:
        """A tensor that never changes."""
        return self.array(array)

    def output(self, name: str, tensor: Tensor) -> None:
        """Make a tensor the region's next output."""
        self.graph.outputs.append(tensor)

    # Operations.

    def array(self, array: Array) -> Tensor:
        """A constant without a name."""
        return Tensor(DType.from_numpy(array.dtype), array.shape, array)

    def like(self, number: float, tensor: Tensor) -> Tensor:
        """A constant of rank 0 in the element type of a tensor."""
        return self.array(np.array(number, tensor.dtype.numpy))

    def add(
        self,
        name: str,
        inputs: Sequence[Tensor],
        shape: Sequence[int],
        dtype: DType | None = None,
        *,
        body: str = "",
        **attributes: Attribute,
    ) -> Tensor:
        """The output of a new operation; by default it has the element type of the first input."""
        output = Tensor(inputs[0].dtype if dtype is None else dtype, tuple(shape))
        full = name if "." in name else f"stablehlo.{name}"
        self.graph.operations.append(Operation(full, tuple(inputs), (output,), attributes, body))
        return output

    def unary(self, name: str, x: Tensor, dtype: DType | None = None) -> Tensor:
        """An elementwise operation of one tensor."""
        return self.add(name, [x], x.shape, dtype)

    def binary(self, name: str, x: Tensor, y: Tensor) -> Tensor:
        """An elementwise operation of two tensors of one type."""
        x, y = self._together(x, y)
        return self.add(name, [x, y], x.shape)

    def compare(self, direction: str, x: Tensor, y: Tensor) -> Tensor:
        """A comparison: EQ, NE, GE, GT, LE or LT."""
        x, y = self._together(x, y)
        how = f"#stablehlo<comparison_direction {direction}>"
        return self.add("compare", [x, y], x.shape, DType.BOOL, comparison_direction=how)

    def select(self, condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """x where the condition is true, else y."""
        condition, x, y = self._together(condition, x, y)
        return self.add("select", [condition, x, y], x.shape, x.dtype)

    def broadcast(self, x: Tensor, shape: Sequence[int]) -> Tensor:
        """The tensor in a larger shape, as numpy broadcasts it."""
        shape = tuple(shape)
        if x.shape == shape:
            return x
        if x.array is not None and x.array.size == 1:
            return self.array(np.broadcast_to(x.array, shape))
        lead = len(shape) - x.rank
        axes = tuple(range(lead, len(shape)))
        return self.add("broadcast_in_dim", [x], shape, broadcast_dimensions=axes)

    def reshape(self, x: Tensor, shape: Sequence[int]) -> Tensor:
        """The tensor in another shape, whose sizes are all known."""
        shape = tuple(shape)
        if x.shape == shape:
            return x
        if x.array is not None:
            return self.array(x.array.reshape(shape))
        return self.add("reshape", [x], shape)

    def transpose(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        """The tensor with its axes permuted."""
        if list(axes) == sorted(axes):
            return x
        if x.array is not None:
            return self.array(x.array.transpose(axes))
        shape = [x.shape[axis] for axis in axes]
        return self.add("transpose", [x], shape, permutation=tuple(axes))

    def cast(self, x: Tensor, dtype: DType) -> Tensor:
        """The elements in another type; as booleans, all but zeros are true."""
        if x.dtype is dtype:
            return x
        if dtype is DType.BOOL:
            return self.compare("NE", x, self.like(0, x))
        return self.unary("convert", x, dtype)

    def reduce(self, name: str, x: Tensor, axes: Sequence[int], *, keep: bool) -> Tensor:
        """A reduction by add, multiply, maximum, minimum, and or or; axes remain with size 1 if `keep`."""
        kept = [size for axis, size in enumerate(x.shape) if axis not in axes]
        first = self.array(neutral(name, x.dtype))
        result = self.add("reduce", [x, first], kept, body=name, dimensions=tuple(sorted(axes)))
        if not keep:
            return result
        return self.reshape(result, [1 if axis in axes else size for axis, size in enumerate(x.shape)])

    def mean(self, x: Tensor, axes: Sequence[int], *, keep: bool) -> Tensor:
        """The average over axes."""
        count = math.prod(x.shape[axis] for axis in axes)
        return self.binary("divide", self.reduce("add", x, axes, keep=keep), self.like(count, x))

    def window(
        self, name: str, x: Tensor, sizes: Sequence[int], strides: Sequence[int], pairs: Sequence[Pair]
    ) -> Tensor:
        """A reduction of windows over all axes, with elements that change nothing around the tensor."""
        shape = [
            (size + low + high - extent) // stride + 1
            for size, extent, stride, (low, high) in zip(x.shape, sizes, strides, pairs, strict=True)
        ]
        return self.add(
            "reduce_window",
            [x, self.array(neutral(name, x.dtype))],
            shape,
            body=name,
            window_dimensions=tuple(sizes),
            window_strides=tuple(strides),
            padding=tuple(pairs),
        )

    def concat(self, tensors: Sequence[Tensor], axis: int) -> Tensor:
        """Tensors one after the other along an axis."""
        if len(tensors) == 1:
            return tensors[0]
        shape = list(tensors[0].shape)
        shape[axis] = sum(tensor.shape[axis] for tensor in tensors)
        return self.add("concatenate", tensors, shape, dimension=axis)

    def slice(self, x: Tensor, ranges: Mapping[int, range]) -> Tensor:
        """The elements at these positions of axes; other axes are whole."""
        known = [ranges.get(axis, range(size)) for axis, size in enumerate(x.shape)]
        if all(part == range(size) for part, size in zip(known, x.shape, strict=True)):
            return x
        if x.array is not None:
            return self.array(x.array[tuple(_python_slice(part) for part in known)])
        backward = tuple(axis for axis, part in enumerate(known) if part.step < 0)
        known = [part[::-1] if axis in backward else part for axis, part in enumerate(known)]
        result = self.add(
            "slice",
            [x],
            [len(part) for part in known],
            start_indices=tuple(part.start for part in known),
            limit_indices=tuple(part[-1] + 1 for part in known),
            strides=tuple(part.step for part in known),
        )
        return self.add("reverse", [result], result.shape, dimensions=backward) if backward else result

    def pad(self, x: Tensor, pairs: Mapping[int, Pair], value: float = 0.0) -> Tensor:
        """Elements of a value before and after the tensor by axes; numbers below 0 remove elements."""
        if not any(low or high for low, high in pairs.values()):
            return x
        every = [pairs.get(axis, (0, 0)) for axis in range(x.rank)]
        return self.add(
            "pad",
            [x, self.like(value, x)],
            [size + low + high for size, (low, high) in zip(x.shape, every, strict=True)],
            edge_padding_low=tuple(low for low, _ in every),
            edge_padding_high=tuple(high for _, high in every),
            interior_padding=(0,) * x.rank,
        )

    def gather(self, x: Tensor, index: Tensor, axis: int) -> Tensor:
        """The elements at these positions of an axis, whose place the axes of the index take.

        Positions beyond the axis are those of its ends.
        """
        shape = (*x.shape[:axis], *index.shape, *x.shape[axis + 1 :])
        offsets = [n for n in range(len(shape)) if not axis <= n < axis + index.rank]
        numbers = f"offset_dims = {offsets}, collapsed_slice_dims = [{axis}], start_index_map = [{axis}]"
        return self.add(
            "gather",
            [x, self.reshape(index, (*index.shape, 1))],
            shape,
            dimension_numbers=f"#stablehlo.gather<{numbers}, index_vector_dim = {index.rank}>",
            slice_sizes=tuple(1 if n == axis else size for n, size in enumerate(x.shape)),
            indices_are_sorted=False,
        )

    def iota(self, shape: Sequence[int], axis: int, dtype: DType) -> Tensor:
        """0, 1, 2, … along an axis, as a constant."""
        line = np.arange(shape[axis], dtype=dtype.numpy)
        wide = line.reshape([-1 if n == axis else 1 for n in range(len(shape))])
        return self.array(np.broadcast_to(wide, tuple(shape)))

    def matmul(self, x: Tensor, y: Tensor) -> Tensor:
        """The product of the last two axes of each, whose other axes broadcast; both have two at least."""
        batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
        if not math.prod(y.shape[:-2]) > 1:
            # One matrix for all rows.
            flat = self.reshape(x, (math.prod(x.shape[:-1]), x.shape[-1]))
            result = self._dot(flat, self.reshape(y, y.shape[-2:]), 0)
            return self.reshape(result, (*batch, x.shape[-2], y.shape[-1]))
        x, y = (self.broadcast(each, (*batch, *each.shape[-2:])) for each in (x, y))
        return self._dot(x, y, len(batch))

    def along(self, x: Tensor, axis: int, matrix: Array) -> Tensor:
        """The product of a matrix with each line of elements along an axis."""
        order = [*(n for n in range(x.rank) if n != axis), axis]
        rows = self.transpose(x, order)
        return self.transpose(self.matmul(rows, self.array(matrix.T)), np.argsort(order).tolist())

    def _dot(self, x: Tensor, y: Tensor, batch: int) -> Tensor:
        numbers = (
            f"lhs_batching_dimensions = {list(range(batch))}, "
            f"rhs_batching_dimensions = {list(range(batch))}, "
            f"lhs_contracting_dimensions = [{x.rank - 1}], rhs_contracting_dimensions = [{batch}]"
        )
        shape = (*x.shape[:-1], y.shape[-1])
        return self.add(
            "dot_general",
            [x, y],
            shape,
            dot_dimension_numbers=f"#stablehlo.dot<{numbers}>",
            precision_config=HIGHEST,
        )

    def _together(self, *tensors: Tensor) -> list[Tensor]:
        shape = np.broadcast_shapes(*(tensor.shape for tensor in tensors))
        return [self.broadcast(tensor, shape) for tensor in tensors]


def neutral(name: str, dtype: DType) -> Array:
    """The number that a reduction begins with, of rank 0."""
    if name in ("add", "or"):
        return np.array(0, dtype.numpy)
    if name in ("multiply", "and"):
        return np.array(1, dtype.numpy)
    if dtype is DType.BOOL:
        return np.array(name == "minimum")
    if dtype.is_float:
        return np.array(-math.inf if name == "maximum" else math.inf, dtype.numpy)
    limits = np.iinfo(dtype.numpy)  # type: ignore[type-var]
    return np.array(limits.min if name == "maximum" else limits.max, dtype.numpy)


def _python_slice(part: range) -> slice:
    stop = part[-1] + (1 if part.step > 0 else -1)
    return slice(part.start, None if stop < 0 else stop, part.step)
