"""Several regions and signatures in one ``.tflite`` file, whose subgraphs share constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lite.bridges.litert.blob import pack
from lite.bridges.litert.compiled import stored
from lite.errors import CompileError, ExecutionError
from lite.ir.types import Array
from lite.plugin.device import CompiledModel, ModelGroup
from lite.plugin.kernel.owned_lock import OwnedLock


class LitertGroup(ModelGroup):
    """One interpreter with a signature for each model, used by one thread at a time."""

    def __init__(self, model: bytes, interpreter: Any) -> None:
        self._model = model
        lock = OwnedLock()
        names = sorted(interpreter.get_signature_list(), key=lambda name: int(name.rpartition("_")[2]))
        try:
            self._models = [_Member(model, interpreter.get_signature_runner(name), lock) for name in names]
        except (RuntimeError, ValueError) as error:
            raise CompileError(f"litert: the models cannot be prepared: {error}") from error

    @property
    def models(self) -> Sequence[CompiledModel]:
        return self._models

    def serialize(self) -> bytes:
        return pack(self._model)

    def files(self) -> Mapping[str, bytes]:
        return {"regions.tflite": self._model}


class _Member(CompiledModel):
    """One signature of the file, whose bytes the interpreter reads."""

    threads = "shared"

    def __init__(self, model: bytes, runner: Any, lock: OwnedLock) -> None:
        self._model = model
        self._runner = runner
        self._lock = lock
        # The signature has no order: inputs are the first tensors, and names of outputs end with a number.
        given, results = runner.get_input_details(), runner.get_output_details()
        self._inputs = sorted(given, key=lambda name: int(given[name]["index"]))
        self._outputs = sorted(results, key=lambda name: int(name.rpartition("/")[2]))

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        """Run the signature on copies of the inputs; the results are copies, too."""
        try:
            with self._lock:
                results = self._runner(**dict(zip(self._inputs, inputs, strict=True)))
        except (RuntimeError, ValueError) as error:
            raise ExecutionError(f"litert: the run failed: {error}") from error
        return [stored(results[name], out) for name, out in zip(self._outputs, outputs, strict=True)]
