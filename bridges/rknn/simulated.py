"""A model that RKNN-Toolkit2 built in this process, on its simulator."""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lite.bridges.rknn.blob import Shapes, Stored, pack
from lite.errors import CompileError, ExecutionError
from lite.ir.types import Array
from lite.plugin.device import CompiledModel


def build(model: bytes, chip: str) -> Any:
    """The toolkit's object with the model built for a chip and its simulator started; raises `CompileError`.

    The simulator is what `init_runtime` starts without a target; with one, it would start a server for
    boards on the network.
    """
    rknn = importlib.import_module("rknn.api").RKNN(verbose=False)
    descriptor, path = tempfile.mkstemp(suffix=".onnx", dir=os.getcwd())
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(model)
        steps: list[tuple[str, Callable[[], int]]] = [
            ("config", lambda: rknn.config(target_platform=chip)),
            ("load_onnx", lambda: rknn.load_onnx(model=path)),
            ("build", lambda: rknn.build(do_quantization=False)),
            ("init_runtime", lambda: rknn.init_runtime()),
        ]
        for name, step in steps:
            _checked(name, step())
    except BaseException:
        rknn.release()
        raise
    finally:
        os.unlink(path)
    return rknn


def _checked(name: str, code: int | None) -> None:
    """Raise `CompileError` for a return code of the toolkit that is not 0."""
    if code:
        # The cause marks this as a failure of the SDK, not as the answer of a bridge.
        raise CompileError(f"rknn: {name} returned {code}") from RuntimeError(f"{name}: {code}")


class SimulatedModel(CompiledModel):
    """Runs by the simulator, which the toolkit's object holds; `inputs` and `outputs` are shapes."""

    def __init__(self, rknn: Any, model: bytes, inputs: Shapes, outputs: Shapes) -> None:
        self._rknn = rknn
        self._model = model
        self._inputs = inputs
        self._outputs = outputs

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        """Run; raises `ExecutionError`."""
        formats = ["nchw" if array.ndim == 4 else "undefined" for array in inputs]
        results = self._rknn.inference(inputs=list(inputs), data_format=formats)
        if results is None or len(results) != len(self._outputs):
            raise ExecutionError(
                f"rknn: the simulator returned {results if results is None else len(results)}"
            )
        return [
            _stored(result, shape, output)
            for result, shape, output in zip(results, self._outputs, outputs, strict=True)
        ]

    def serialize(self) -> bytes:
        """The .rknn file and the ONNX model."""
        return pack(Stored(self._model, self._exported(), self._inputs, self._outputs))

    def files(self) -> Mapping[str, bytes]:
        """The .rknn file, which a board runs, and the ONNX model that it was built from."""
        return {"region.rknn": self._exported(), "region.onnx": self._model}

    def _exported(self) -> bytes:
        with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:
            path = Path(folder, "region.rknn")
            _checked("export_rknn", self._rknn.export_rknn(str(path)))
            return path.read_bytes()


def _stored(result: Array, shape: Sequence[int], output: Array | None) -> Array:
    if list(result.shape) != list(shape):
        raise ExecutionError(f"rknn: the simulator gave {list(result.shape)}, expected {list(shape)}")
    if output is None:
        return np.array(result, np.float32)
    np.copyto(output, result)
    return output
