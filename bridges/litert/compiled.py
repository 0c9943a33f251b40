"""A compiled model: the bytes of a ``.tflite`` file and LiteRT's interpreter of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lite.bridges.litert.blob import pack
from lite.errors import CompileError, ExecutionError
from lite.ir.types import Array
from lite.plugin.device import CompiledModel


def interpreter(model: bytes, threads: int, *, xnnpack: bool) -> Any:
    """LiteRT's interpreter of a file; raises `CompileError` for a file that it does not take."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    resolver = OpResolverType.AUTO if xnnpack else OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    try:
        return Interpreter(model_content=model, num_threads=threads, experimental_op_resolver_type=resolver)
    except (RuntimeError, ValueError) as error:
        raise CompileError(f"litert: the model cannot be prepared: {error}") from error


class LitertModel(CompiledModel):
    """An interpreter, whose tensors one thread at a time may use."""

    threads = "one"

    def __init__(self, model: bytes, interpreter: Any) -> None:
        self.model = model
        self._interpreter = interpreter
        try:
            interpreter.allocate_tensors()
        except (RuntimeError, ValueError) as error:
            raise CompileError(f"litert: the model cannot be prepared: {error}") from error
        self._inputs = [int(each["index"]) for each in interpreter.get_input_details()]
        self._outputs = [int(each["index"]) for each in interpreter.get_output_details()]

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        """Copy the inputs into the interpreter's tensors, invoke it, and copy the outputs."""
        interpreter = self._interpreter
        try:
            for index, array in zip(self._inputs, inputs, strict=True):
                interpreter.set_tensor(index, array)
            interpreter.invoke()
            return [self._output(index, array) for index, array in zip(self._outputs, outputs, strict=True)]
        except (RuntimeError, ValueError) as error:
            raise ExecutionError(f"litert: the run failed: {error}") from error

    def serialize(self) -> bytes:
        """The file with a header."""
        return pack(self.model)

    def files(self) -> Mapping[str, bytes]:
        """The file itself."""
        return {"region.tflite": self.model}

    def _output(self, index: int, out: Array | None) -> Array:
        # A view, which must be gone before the next run.
        return stored(self._interpreter.tensor(index)(), out)


def stored(result: Array, out: Array | None) -> Array:
    """A copy of a result, in `out` if there is one; raises `ExecutionError` where it does not fit."""
    if out is None:
        return np.array(result)
    if out.shape != result.shape or out.dtype != result.dtype:
        raise ExecutionError(
            f"litert: an output is {result.dtype}{list(result.shape)}, expected {out.dtype}{list(out.shape)}"
        )
    np.copyto(out, result)
    return out
