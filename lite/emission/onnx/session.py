"""A region as a session of ONNX Runtime."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lite.emission.onnx.builder import ONNX_CODES
from lite.errors import CompileError
from lite.ir.types import Array, DType
from lite.ops.view import Meta
from lite.plugin.device import CompiledModel

if TYPE_CHECKING:
    import onnxruntime as ort

_DTYPES = {
    "tensor(float)": DType.FLOAT32,
    "tensor(double)": DType.FLOAT64,
    "tensor(float8e4m3fn)": DType.FLOAT8_E4M3FN,
    "tensor(float8e5m2)": DType.FLOAT8_E5M2,
    **{f"tensor({dtype})": dtype for dtype in DType if dtype not in (DType.FLOAT32, DType.FLOAT64)},
}


SHAPES = "litebridge.output_shapes"
"""The key of the model's metadata that has the shapes of its outputs, as JSON.

ONNX Runtime's own shapes do not distinguish rank 0 from an unknown rank, and some (of Compress) are wrong.
"""


def shapes_text(metas: Sequence[Meta]) -> str:
    """The value of `SHAPES`: a list of sizes per output, null for an output of dynamic shape."""
    return json.dumps([list(meta.dims) if meta.is_static else None for meta in metas])


class _Port:
    """An input or output of the session: its name, its type, and its shape, None for a dynamic one."""

    def __init__(self, arg: ort.NodeArg, shape: Sequence[int] | None = None) -> None:
        self.name: str = arg.name
        dtype = _DTYPES.get(arg.type)
        if dtype is None:
            raise CompileError(f"onnxruntime: {arg.name} is a {arg.type}, expected a tensor of numbers")
        self.dtype = dtype.numpy
        self.code = ONNX_CODES[dtype]
        self.shape = None if shape is None else tuple(shape)


Location = tuple[int, tuple[int, ...]]
"""The address of an array, and its shape."""


class _Bound(threading.local):
    """The binding of one thread, and the arrays that its inputs and outputs are bound to."""

    def __init__(self, session: ort.InferenceSession) -> None:
        self.binding = session.io_binding()
        self.inputs: list[Location | None] = [None] * len(session.get_inputs())
        self.outputs: list[Location | None] = [None] * len(session.get_outputs())


class Session(CompiledModel):
    """A session that reads the caller's inputs and writes the caller's static outputs without copies.

    Several threads may run it; each has its own binding.
    """

    threads = "shared"

    def __init__(self, session: ort.InferenceSession, blob: Callable[[], bytes]) -> None:
        self.session = session
        self._blob = blob
        self._inputs = [_Port(arg) for arg in session.get_inputs()]
        shapes = json.loads(session.get_modelmeta().custom_metadata_map[SHAPES])
        self._outputs = [_Port(arg, shape) for arg, shape in zip(session.get_outputs(), shapes, strict=True)]
        self._bound = _Bound(session)

    def serialize(self) -> bytes:
        """The model as bytes."""
        return self._blob()

    def run(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> Sequence[Any]:
        """Run the session; arrays are bound without copies."""
        bound = self._bound
        binding = bound.binding
        for n, array in enumerate(inputs):
            location = (array.ctypes.data, array.shape)
            if bound.inputs[n] != location:
                port = self._inputs[n]
                binding.bind_input(port.name, "cpu", 0, port.code, location[1], location[0])
                bound.inputs[n] = location
        results = [self._bind_output(bound, n, array) for n, array in enumerate(outputs)]
        self.session.run_with_iobinding(binding)
        if None in bound.outputs:
            values = binding.get_outputs()
            results = [
                _array(values[n], self._outputs[n].dtype) if array is None else array
                for n, array in enumerate(results)
            ]
        return results

    def _bind_output(self, bound: _Bound, n: int, output: Any) -> Any:
        """The array that an output is bound to; None for an output that ONNX Runtime allocates."""
        port = self._outputs[n]
        if output is None and port.shape is None:
            # Bound before each run: otherwise the output must have the shape of the last run.
            bound.binding.bind_output(port.name, "cpu")
            bound.outputs[n] = None
            return None
        array = np.empty(port.shape or (), port.dtype) if output is None else output
        location = (array.ctypes.data, array.shape)
        if bound.outputs[n] != location:
            bound.binding.bind_output(port.name, "cpu", 0, port.code, location[1], location[0])
            bound.outputs[n] = location
        return array


def _array(value: ort.OrtValue, dtype: np.dtype[np.generic]) -> Array:
    array: Array = np.asarray(value.numpy())
    return array if array.dtype == dtype else array.view(dtype)
