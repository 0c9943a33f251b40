"""OrtValue and the descriptions of memory."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.compat.onnxruntime.element_types import element_number, numpy_type, tensor_type
from lite.compat.onnxruntime.enums import OrtAllocatorType, OrtMemType
from lite.compat.onnxruntime.errors import Fail
from lite.ir.types import Array

_CPU = "cpu"


class OrtDevice:
    """A kind of memory and its number; only ``cpu`` can be used."""

    def __init__(self, device_type: str, device_id: int = 0) -> None:
        self._type = require_cpu(device_type)
        self._id = device_id

    @staticmethod
    def make(device_type: str, device_id: int, vendor_id: int = -1) -> OrtDevice:
        """The device of a name."""
        return OrtDevice(device_type, device_id)

    def device_type(self) -> str:
        """Its name."""
        return self._type

    def device_id(self) -> int:
        """Its number."""
        return self._id


class OrtMemoryInfo:
    """A description of memory, which has no effect."""

    def __init__(self, name: str, allocator: OrtAllocatorType, number: int, memory: OrtMemType) -> None:
        self.name, self.allocator_type, self.device_id, self.mem_type = name, allocator, number, memory


class OrtArenaCfg:
    """Settings of an arena, which have no effect."""

    def __init__(self, *numbers: int | dict[str, int]) -> None:
        self.numbers = numbers


class OrtValue:
    """A tensor, or a sequence of tensors, in the memory of this process."""

    def __init__(self, value: Array | list[Array]) -> None:
        self._value = value

    @staticmethod
    def ortvalue_from_numpy(
        numpy_obj: Array,
        /,
        device_type: str = _CPU,
        device_id: int = 0,
        vendor_id: int = -1,
    ) -> OrtValue:
        """A value that shares the memory of a contiguous array."""
        require_cpu(device_type)
        return OrtValue(np.ascontiguousarray(numpy_obj) if np.ndim(numpy_obj) else np.asarray(numpy_obj))

    @staticmethod
    def ortvalue_from_numpy_with_onnx_type(data: Array, /, onnx_element_type: int) -> OrtValue:
        """A value with the bits of `data` as an ONNX type, such as uint16 for bfloat16."""
        return OrtValue(np.ascontiguousarray(data).view(numpy_type(onnx_element_type)))

    @staticmethod
    def ortvalue_from_shape_and_type(
        shape: Sequence[int],
        element_type: Any,
        device_type: str = _CPU,
        device_id: int = 0,
        vendor_id: int = -1,
        memory_info: OrtMemoryInfo | None = None,
    ) -> OrtValue:
        """A value for results, of a numpy dtype or an ONNX number."""
        require_cpu(device_type)
        return OrtValue(np.empty(tuple(shape), numpy_type(element_type)))

    @staticmethod
    def from_dlpack(data: Any, /) -> OrtValue:
        """A value that shares the memory of another library's tensor."""
        return OrtValue(np.from_dlpack(data))

    def __dlpack__(self, *, stream: Any = None) -> Any:
        return self._array().__dlpack__(stream=stream)

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, number = self._array().__dlpack_device__()
        return int(kind), int(number)

    def data_ptr(self) -> int:
        """The address of the first element."""
        return int(self._array().ctypes.data)

    def device_name(self) -> str:
        """Always ``"cpu"``."""
        return _CPU

    def shape(self) -> list[int]:
        """The sizes of the axes."""
        return list(self._array().shape)

    def data_type(self) -> str:
        """The type, such as ``tensor(float)``."""
        if isinstance(self._value, list):
            return f"seq({tensor_type(self._value[0].dtype) if self._value else 'tensor(float)'})"
        return tensor_type(self._value.dtype)

    def element_type(self) -> int:
        """The number of the element type in ``onnx.TensorProto``."""
        return element_number(self._array().dtype)

    def tensor_size_in_bytes(self) -> int:
        """The number of bytes of all elements."""
        return int(self._array().nbytes)

    def has_value(self) -> bool:
        """Always True."""
        return True

    def is_tensor(self) -> bool:
        """Whether it is one tensor."""
        return not isinstance(self._value, list)

    def is_tensor_sequence(self) -> bool:
        """Whether it is a sequence of tensors."""
        return isinstance(self._value, list)

    def is_sparse_tensor(self) -> bool:
        """Always False."""
        return False

    def numpy(self) -> Array:
        """A copy of the tensor."""
        return self._array().copy()

    def update_inplace(self, data: Array) -> None:
        """Overwrite the elements with those of an array of the same shape and dtype."""
        array = self._array()
        if (array.shape, array.dtype) != (data.shape, data.dtype):
            raise Fail(
                f"update_inplace: expected {array.dtype}{list(array.shape)}, "
                f"got {data.dtype}{list(data.shape)}"
            )
        array[...] = data

    def shared(self) -> Array | list[Array]:
        """The tensor itself, or the tensors of the sequence."""
        return self._value

    def _array(self) -> Array:
        if isinstance(self._value, list):
            raise Fail("this OrtValue is a sequence of tensors; only a tensor has this")
        return self._value


def require_cpu(device_type: str) -> str:
    """`device_type`, if it is the CPU; raises `Fail` otherwise."""
    if device_type.lower() != _CPU:
        raise Fail(
            f"memory of {device_type!r} is not available; bind arrays on 'cpu', from where devices take them"
        )
    return _CPU


def at_address(address: int, element_type: Any, shape: Sequence[int]) -> Array:
    """The array at an address of this process, which must remain valid as long as the array is used."""
    dtype = numpy_type(element_type)
    buffer = (ctypes.c_byte * (math.prod(shape) * dtype.itemsize)).from_address(address)
    array: Array = np.frombuffer(memoryview(buffer), dtype).reshape(tuple(shape))
    return array
