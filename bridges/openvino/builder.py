"""The `openvino.Model` of a region while bridges add to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.bridges.openvino.memory import writable
from lite.bridges.openvino.quantize import BYTES, dequantized_constant, fake_quantize, real_constant
from lite.ir.types import Array, DType
from lite.ops.view import Meta

Tensor = Any
"""An `openvino.Output`: one output of a node of the model."""

_ALL = 2**31 - 1
"""The end of a slice of all elements."""


class Builder:
    """Parameters, constants and results; `op` is the opset, whose functions create nodes."""

    def __init__(self) -> None:
        import openvino
        import openvino.opset15

        self.op: Any = openvino.opset15
        self.constants: list[Array] = []
        """Arrays whose memory the model reads."""
        self._openvino = openvino
        self._parameters: list[Any] = []
        self._results: list[Any] = []

    def input(self, name: str, meta: Meta) -> Tensor:
        """An input of the region; a dimension that is not a number may have any size."""
        shape = [dim if isinstance(dim, int) else -1 for dim in meta.dims]
        node = self.op.parameter(self._openvino.PartialShape(shape), self.dtype(meta.dtype))
        node.set_friendly_name(name)
        self._parameters.append(node)
        return node.output(0)

    def port(self, tensor: Tensor) -> Any:
        """The `openvino.Output` of a tensor, which functions of the opset return as a node."""
        return tensor.output(0) if isinstance(tensor, self._openvino.Node) else tensor

    def magnitude(self, x: Tensor) -> Tensor:
        """|x| of a tensor of known rank.

        OpenVINO 2026.4 moves the Abs of a vector before the Concat that it follows, and so changes what other
        ops read of this.
        """
        is_vector = self.port(x).get_partial_shape().rank.get_length() == 1
        return self.op.maximum(x, self.op.negative(x)) if is_vector else self.op.abs(x)

    def constant(self, name: str, array: Array) -> Tensor:
        """A tensor that never changes; its memory is shared with the model."""
        array = np.require(array, requirements=["C", "A"])
        self.constants.append(array)
        node = self.op.constant(writable(array), shared_memory=True)
        node.set_friendly_name(name)
        return node.output(0)

    def rounded(self, name: str, tensor: Tensor, meta: Meta) -> Tensor:
        """The tensor after a FakeQuantize."""
        rounded = fake_quantize(self.op, tensor, meta)
        rounded.get_node().set_friendly_name(f"{name}/quantized")
        return rounded

    def quantized_constant(self, name: str, stored: Array, meta: Meta) -> Tensor:
        """A constant of bytes with nodes that dequantise it; other integers become real numbers here."""
        if DType.from_numpy(stored.dtype) not in BYTES:
            return self.constant(name, real_constant(stored, meta))
        return dequantized_constant(self.op, self.constant(name, stored), self.dtype(meta.dtype), meta)

    def output(self, name: str, tensor: Tensor) -> None:
        """The region's next output."""
        node = self.op.result(tensor)
        if node.input_value(0).get_node().get_type_name() == "Parameter":
            # Otherwise both would be one tensor of the infer request: setting one would set the other.
            node = self.op.result(self.op.convert(tensor, node.get_element_type()))
        node.set_friendly_name(f"{name}/result")
        self._results.append(node)

    def model(self) -> Any:
        """The whole `openvino.Model`."""
        return self._openvino.Model(self._results, self._parameters, "region")

    def dtype(self, dtype: DType) -> Any:
        """The `openvino.Type` of an element type."""
        return self._openvino.Type(dtype.numpy)

    def ints(self, numbers: Sequence[int]) -> Tensor:
        """A constant int64[n]."""
        return self.op.constant(np.array(numbers, np.int64)).output(0)

    def integer(self, number: int) -> Tensor:
        """A constant int64[]."""
        return self.op.constant(np.array(number, np.int64)).output(0)

    def scalar(self, number: float, dtype: DType) -> Tensor:
        """A constant of rank 0."""
        return self.op.constant(np.array(number, dtype.numpy)).output(0)

    def like(self, number: float, tensor: Tensor) -> Tensor:
        """A constant of rank 0 and of the tensor's element type."""
        return self.op.constant(np.array(number, tensor.get_element_type().to_dtype())).output(0)

    def cast(self, tensor: Tensor, dtype: DType) -> Tensor:
        """The tensor's elements in another type; as booleans, all but zeros are true."""
        target = self.dtype(dtype)
        if tensor.get_element_type() == target:
            return tensor
        if dtype == DType.BOOL:
            return self.op.not_equal(tensor, self.like(0, tensor))
        return self.op.convert(tensor, target)

    def sizes(self, tensor: Tensor) -> Tensor:
        """The shape of a tensor, int64[rank]."""
        return self.op.shape_of(tensor, "i64")

    def size(self, tensor: Tensor, axis: int) -> Tensor:
        """The size of one axis, int64[]."""
        return self.op.gather(self.sizes(tensor), self.integer(axis), self.integer(0))

    def reshape(self, tensor: Tensor, shape: Sequence[int]) -> Tensor:
        """The tensor in another shape, in which 0 keeps the size of that axis and one size may be -1."""
        return self.op.reshape(tensor, self.ints(shape), special_zero=True)

    def transpose(self, tensor: Tensor, axes: Sequence[int]) -> Tensor:
        """The tensor with its axes permuted."""
        return self.op.transpose(tensor, self.ints(axes))

    def broadcast(self, tensor: Tensor, shape: Sequence[int] | Tensor, *, rank: int) -> Tensor:
        """The tensor broadcast against a shape of `rank` axes; a size of 1 there keeps the tensor's own.

        OpenVINO 2026.4 crashes when it compiles a Broadcast to rank 0.  It joins one to a computed shape with
        elementwise ops after it, which then take a size of 0 for 1: a slice of all that is there prevents it.
        """
        if not rank:
            return tensor
        if isinstance(shape, list):
            return self.op.broadcast(tensor, self.ints(shape), broadcast_spec="BIDIRECTIONAL")
        result = self.op.broadcast(tensor, shape, broadcast_spec="BIDIRECTIONAL")
        first, one = self.ints([0]), self.ints([1])
        return self.op.slice(result, first, self.ints([_ALL]), one, first)

    def channels_first(self, image: Tensor, rank: int, *, last: bool) -> Tensor:
        """An image as [N, C, …], which the ops of OpenVINO take; with `last` it is [N, …, C]."""
        return self.transpose(image, [0, rank - 1, *range(1, rank - 1)]) if last else image

    def channels_restored(self, image: Tensor, rank: int, *, last: bool) -> Tensor:
        """An image [N, C, …] in its own layout: with `last`, as [N, …, C]."""
        return self.transpose(image, [0, *range(2, rank), 1]) if last else image

    def per_channel(self, vector: Tensor, rank: int) -> Tensor:
        """A vector [C] as [C, 1, …], which broadcasts against an image [N, C, …] of this rank."""
        return self.op.unsqueeze(vector, self.ints(range(1, rank - 1))) if rank > 2 else vector
