"""Builds the function of an ML program: its inputs, operations and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.bridges.coreml.sdk import sdk
from lite.errors import CompileError
from lite.ir.types import Array, DType
from lite.ops.view import Meta

Tensor = Any
"""A variable of MIL."""

TYPES = (DType.FLOAT32, DType.INT32, DType.INT64, DType.BOOL)
"""The element types of tensors; Core ML stores int64 as int32."""

MOST_AXES = 5
"""The most axes of a tensor of Core ML."""


class Builder:
    """Adds inputs, operations and outputs to a function, inside ``with builder.function``.

    The inputs of the function are named ``input_0``, ``input_1``, …, its outputs ``output_0``, ….  There, a
    tensor of rank 0 has shape [1], and a bool tensor has type int32.
    """

    def __init__(self, inputs: Sequence[Meta], opset: Any) -> None:
        self._sdk = sdk()
        placeholders = {f"input_{n}": self._placeholder(meta) for n, meta in enumerate(inputs)}
        self.function: Any = self._sdk.mil.Function(placeholders, opset_version=opset)
        self._next = 0
        self._outputs: list[Tensor] = []

    def input(self, name: str, meta: Meta) -> Tensor:
        """The next input of the function."""
        self._next += 1
        tensor = self.function.inputs[f"input_{self._next - 1}"]
        tensor = tensor if meta.rank else self.reshape(tensor, ())
        return tensor if meta.dtype is not DType.BOOL else self.add("cast", x=tensor, dtype="bool")

    def constant(self, name: str, array: Array) -> Tensor:
        """A tensor that never changes; raises `CompileError` for integers beyond 32 bits."""
        return self.add("const", val=as_mil(array))

    def output(self, name: str, tensor: Tensor) -> None:
        """Make a tensor the function's next output."""
        number = len(self._outputs)
        if self.kind(tensor) is DType.BOOL:
            tensor = self.add("cast", x=tensor, dtype="int32")
        if not self.shape(tensor):
            tensor = self.add("expand_dims", x=tensor, axes=[0])
        self._outputs.append(self.add("identity", x=tensor, name=f"output_{number}"))

    def program(self) -> Any:
        """The program, whose only function is ``main``."""
        with self.function:
            self.function.set_outputs(self._outputs)
        program = self._sdk.mil.Program()
        program.add_function("main", self.function)
        return program

    def add(self, operation: str, **arguments: Any) -> Tensor:
        """The output of a new operation; raises the exception of coremltools if it rejects the arguments."""
        return getattr(self._sdk.ops, operation)(**arguments)

    def kind(self, tensor: Tensor) -> DType:
        """The element type of a tensor."""
        names = {"fp32": DType.FLOAT32, "fp16": DType.FLOAT16, "bool": DType.BOOL}
        return names.get(self._sdk.mil.types.builtin_to_string(tensor.dtype), DType.INT32)

    def shape(self, tensor: Tensor) -> tuple[int, ...]:
        """The shape of a tensor."""
        return tuple(int(size) for size in tensor.shape)

    def like(self, number: float, tensor: Tensor) -> Any:
        """A number in the element type of a tensor."""
        return self.kind(tensor).numpy.type(number)

    def reshape(self, tensor: Tensor, shape: Sequence[int]) -> Tensor:
        """The tensor in another shape, whose sizes are all known."""
        if self.shape(tensor) == tuple(shape):
            return tensor
        if not shape:
            return self.add("squeeze", x=tensor)
        if len(shape) > MOST_AXES:
            raise CompileError(f"it is reshaped to {len(shape)} axes; Core ML has {MOST_AXES} at most")
        return self.add("reshape", x=tensor, shape=np.array(shape, np.int32))

    def transpose(self, tensor: Tensor, axes: Sequence[int]) -> Tensor:
        """The tensor with its axes permuted."""
        if list(axes) == sorted(axes):
            return tensor
        return self.add("transpose", x=tensor, perm=list(axes))

    def cast(self, tensor: Tensor, dtype: DType) -> Tensor:
        """The elements in another type; as booleans, all but zeros are true."""
        target = DType.INT32 if dtype is DType.INT64 else dtype
        if self.kind(tensor) is target:
            return tensor
        names = {DType.FLOAT32: "fp32", DType.INT32: "int32", DType.BOOL: "bool"}
        return self.add("cast", x=tensor, dtype=names[target])

    def channels_first(self, image: Tensor, rank: int, *, last: bool) -> Tensor:
        """An image as [N, C, …]; with `last` it is [N, …, C]."""
        return self.transpose(image, [0, rank - 1, *range(1, rank - 1)]) if last else image

    def channels_restored(self, image: Tensor, rank: int, *, last: bool) -> Tensor:
        """An image [N, C, …] in its own layout: with `last`, as [N, …, C]."""
        return self.transpose(image, [0, *range(2, rank), 1]) if last else image

    def _placeholder(self, meta: Meta) -> Any:
        if not meta.is_static:
            raise CompileError(f"an input is {meta}, expected known sizes: those of an ML program are fixed")
        if meta.rank > MOST_AXES or meta.dtype not in TYPES:
            raise CompileError(
                f"an input is {meta}, expected {MOST_AXES} axes at most, of float32, int32, int64 or bool"
            )
        dtype = DType.INT32 if meta.dtype is DType.BOOL else meta.dtype
        return self._sdk.ops.placeholder(shape=meta.sizes or (1,), dtype=self._sdk.dtype(dtype))


def as_mil(array: Array) -> Array:
    """A constant in an element type of MIL; raises `CompileError` for integers beyond 32 bits."""
    if array.dtype.kind not in "iu" or array.dtype == np.int32:
        return np.ascontiguousarray(array)
    limits = np.iinfo(np.int32)
    if array.size and (array.min() < limits.min or array.max() > limits.max):
        raise CompileError("a constant has integers beyond 32 bits; the widest integers of Core ML are int32")
    return np.ascontiguousarray(array, np.int32)
