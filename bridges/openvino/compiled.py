"""A compiled model and its infer requests: one per thread, which share the caller's arrays."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lite.bridges.openvino.blob import pack
from lite.bridges.openvino.limits import EXACT, is_exact
from lite.bridges.openvino.memory import writable
from lite.errors import ExecutionError
from lite.ir.types import Array
from lite.plugin.device import CompiledModel


class OpenvinoModel(CompiledModel):
    """An `openvino.CompiledModel`; every thread that runs it has its own infer request.

    The model keeps `constants`, whose memory OpenVINO may read, and `exported`, the bytes it was loaded from:
    OpenVINO cannot import what it exports from an imported model.
    """

    threads = "shared"

    def __init__(self, compiled: Any, constants: Sequence[Array] = (), exported: Array | None = None) -> None:
        self.compiled = compiled
        self._constants = constants
        self._exported = exported
        self._requests = threading.local()

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        """Run on the arrays themselves; only outputs of dynamic shape are copied."""
        attributes = self._requests.__dict__
        request = attributes.get("request")
        if request is None:
            request = attributes["request"] = _Request(self.compiled)
        try:
            return request.run(inputs, outputs)
        except RuntimeError as error:
            # The CPU plugin may crash in a request after one that failed.
            del attributes["request"]
            raise ExecutionError(f"openvino: the run failed: {error}") from error

    def serialize(self) -> bytes | None:
        """OpenVINO's export with a header; None for plugins that export nothing, such as AUTO."""
        blob = self._export()
        return None if blob is None else pack(blob)

    def files(self) -> Mapping[str, bytes]:
        """OpenVINO's export, which `openvino.Core.import_model` reads; none where it exports nothing."""
        blob = self._export()
        return {} if blob is None else {"region.blob": blob}

    def _export(self) -> bytes | None:
        if self._exported is not None:
            return self._exported.tobytes()
        try:
            exported = self.compiled.export_model()
        except RuntimeError:
            return None
        return exported if isinstance(exported, bytes) else bytes(exported.getvalue())


class _Request:
    """An infer request that remembers which arrays it is bound to.

    It holds weak references: OpenVINO keeps only an address, which must be set again before the next run
    unless the array there is still the same object.
    """

    def __init__(self, compiled: Any) -> None:
        import openvino

        self._tensor = openvino.Tensor
        self._request = compiled.create_infer_request()
        self._inputs: list[weakref.ref[Array] | None] = [None] * len(compiled.inputs)
        self._outputs: list[weakref.ref[Array] | None] = [None] * len(compiled.outputs)
        self._integer_inputs = [n for n, port in enumerate(compiled.inputs) if _is_wide_integer(port)]
        self._output_types = [_shape_and_type(port) for port in compiled.outputs]

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        request = self._request
        for n in self._integer_inputs:
            if not is_exact(inputs[n]):
                raise ExecutionError(f"openvino: input {n} has integers beyond {EXACT}, which it rounds")
        for n, array in enumerate(inputs):
            bound = self._inputs[n]
            if bound is None or bound() is not array:
                request.set_input_tensor(n, self._tensor(writable(array), shared_memory=True))
                self._inputs[n] = weakref.ref(array)
        results = [self._bind_output(n, array) for n, array in enumerate(outputs)]
        request.infer(share_inputs=True, share_outputs=True)
        return [
            self._copy_output(n, array) if result is None else result
            for n, (array, result) in enumerate(zip(outputs, results, strict=True))
        ]

    def _bind_output(self, n: int, array: Array | None) -> Array | None:
        """The array that the n-th output is written to; None where OpenVINO must allocate it."""
        shape, dtype = self._output_types[n]
        if shape is None:
            return None
        if array is None:
            array = np.empty(shape, dtype)
        elif array.shape != shape or array.dtype != dtype:
            raise ExecutionError(
                f"openvino: output {n}: expected an array {dtype}{list(shape)}, "
                f"got {array.dtype}{list(array.shape)}"
            )
        bound = self._outputs[n]
        if array.size and (bound is None or bound() is not array):
            self._request.set_output_tensor(n, self._tensor(array, shared_memory=True))
            self._outputs[n] = weakref.ref(array)
        return array

    def _copy_output(self, n: int, out: Array | None) -> Array:
        result: Array = self._request.get_output_tensor(n).data
        if out is None:
            return result.copy()
        if out.shape != result.shape or out.dtype != result.dtype:
            raise ExecutionError(
                f"openvino: output {n} is {result.dtype}{list(result.shape)}, "
                f"expected {out.dtype}{list(out.shape)}"
            )
        np.copyto(out, result)
        return out


def _shape_and_type(port: Any) -> tuple[tuple[int, ...] | None, np.dtype[Any]]:
    shape = port.get_partial_shape()
    fixed = tuple(shape.to_shape()) if shape.is_static else None
    return fixed, np.dtype(port.get_element_type().to_dtype())


def _is_wide_integer(port: Any) -> bool:
    dtype = np.dtype(port.get_element_type().to_dtype())
    return dtype.kind in "iu" and dtype.itemsize >= 4
