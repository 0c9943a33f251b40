"""A compiled region on the device."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lite.bridges.sim_npu.faults import Injector
from lite.bridges.sim_npu.memory import Block
from lite.errors import CompileError
from lite.ir.types import Array
from lite.plugin.device import CompiledModel, Evidence, ModelGroup

if TYPE_CHECKING:
    from lite.bridges.sim_npu import sdk


class NpuModel(CompiledModel):
    """Reads and returns arrays, which it copies to the device and back."""

    threads = "shared"
    survives_fork = True

    def __init__(self, npu: sdk.Npu, model: sdk.Model, faults: Injector, blob: bytes | None) -> None:
        self._memory = npu.memory
        self._model = model
        self._blob = blob
        self._faults = faults
        weakref.finalize(self, self._model.unload)

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        self._faults.at_run()
        sources = [Block(self._memory, array.nbytes) for array in inputs]
        for source, array in zip(sources, inputs, strict=True):
            self._memory.copy_in(source.handle, array)
        results = [
            np.empty(tensor.shape, tensor.dtype) if output is None else output
            for tensor, output in zip(self._model.output_types, outputs, strict=True)
        ]
        targets = [Block(self._memory, result.nbytes) for result in results]
        self._model.execute([block.handle for block in sources], [block.handle for block in targets])
        for target, result in zip(targets, results, strict=True):
            self._memory.copy_out(target.handle, result)
        return [self._faults.corrupted(result) for result in results]

    def serialize(self) -> bytes:
        if self._blob is None:
            raise CompileError("a model of a group is kept with the group")
        return self._blob

    def evidence(self) -> Evidence | None:
        """The instructions of the loaded program; None for a program that only returns its inputs.

        A real SDK would say in a profile where they ran.
        """
        count = len(self._model.program.instructions)
        return Evidence("SimNPU's program", count) if count else None


class HandleModel(NpuModel):
    """Reads and returns blocks of the device's memory."""

    def run(self, inputs: Sequence[Block], outputs: Sequence[Block | None]) -> list[Block]:  # type: ignore[override]
        self._faults.at_run()
        targets = [
            Block(self._memory, tensor.nbytes) if output is None else output
            for tensor, output in zip(self._model.output_types, outputs, strict=True)
        ]
        self._model.execute([block.handle for block in inputs], [block.handle for block in targets])
        if self._faults.corrupts:
            return [Block(self._memory, 2 * tensor.nbytes) for tensor in self._model.output_types]
        return targets


class NpuGroup(ModelGroup):
    """The models of a library, which share constants in the device's memory."""

    def __init__(self, models: Sequence[NpuModel], blob: bytes) -> None:
        self._models = models
        self._blob = blob

    @property
    def models(self) -> Sequence[NpuModel]:
        return self._models

    def serialize(self) -> bytes:
        return self._blob
