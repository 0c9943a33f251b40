"""The runtime: opens the device, loads blobs, runs models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.bridges.sim_npu.sdk.blob import unpack
from lite.bridges.sim_npu.sdk.cores import Cores
from lite.bridges.sim_npu.sdk.errors import NpuError, Status
from lite.bridges.sim_npu.sdk.memory import Memory
from lite.bridges.sim_npu.sdk.operator import OPERATORS
from lite.bridges.sim_npu.sdk.program import Instruction, Program
from lite.bridges.sim_npu.sdk.tensor import TensorType


class Npu:
    """The device, as one process opened it; each core runs one model at a time."""

    def __init__(self, cores: int = 1) -> None:
        if not 1 <= cores <= 8:
            raise NpuError(Status.LIMIT_EXCEEDED, f"{cores} cores (supported: 1 to 8)")
        self.memory = Memory()
        self.cores = Cores(cores)

    def load(self, blob: bytes) -> Model:
        """The model of a blob, with its constants in the device's memory.

        Raises `NpuError` for a damaged blob and for one of another version.
        """
        return Model(self, unpack(blob))


class Model:
    """A loaded model; several threads may run it, and each waits for a free core."""

    def __init__(self, npu: Npu, program: Program) -> None:
        self.program = program
        self._npu = npu
        self._weights: dict[int, int] = {}
        for index, data in program.weights.items():
            self._weights[index] = npu.memory.allocate(data.nbytes)
            npu.memory.copy_in(self._weights[index], data)
        program.weights.clear()

    @property
    def output_types(self) -> list[TensorType]:
        """Element types and shapes of the outputs, in order."""
        return [self.program.tensors[index] for index in self.program.outputs]

    def execute(self, inputs: Sequence[int], outputs: Sequence[int]) -> None:
        """Run once: read the input blocks and write the output blocks."""
        program, memory = self.program, self._npu.memory
        if len(inputs) != len(program.inputs) or len(outputs) != len(program.outputs):
            raise NpuError(
                Status.INVALID_ARITY,
                f"the model has {len(program.inputs)} inputs and {len(program.outputs)} outputs, "
                f"got {len(inputs)} and {len(outputs)}",
            )
        scratch: dict[int, int] = {}
        blocks = {**self._weights, **dict(zip(program.inputs, inputs, strict=True))}
        with self._npu.cores:
            try:
                for instruction in program.instructions:
                    self._step(instruction, blocks, scratch)
                for index, target in zip(program.outputs, outputs, strict=True):
                    memory.copy_in(
                        target, memory.view(scratch.get(index) or blocks[index], program.tensors[index])
                    )
            finally:
                memory.free_all(list(scratch.values()))

    def unload(self) -> None:
        """Free the memory of the constants; the model cannot run after that."""
        self._npu.memory.free_all(list(self._weights.values()))
        self._weights.clear()

    def _step(self, instruction: Instruction, blocks: dict[int, int], scratch: dict[int, int]) -> None:
        memory, tensors = self._npu.memory, self.program.tensors
        arrays = [
            memory.view(scratch.get(index) or blocks[index], tensors[index]) for index in instruction.inputs
        ]
        with np.errstate(all="ignore"):  # the hardware returns infinities and NaN without an error
            results = OPERATORS[instruction.kind].execute(arrays, instruction.attributes)
        for index, result in zip(instruction.outputs, results, strict=True):
            scratch[index] = memory.allocate(tensors[index].nbytes)
            memory.copy_in(scratch[index], result)
        for index in instruction.release:
            memory.free(scratch.pop(index))
