"""The runtime: opens the device, loads blobs, runs models."""

from __future__ import annotations

import weakref
from collections.abc import Sequence

import numpy as np

from lite.bridges.sim_npu.sdk.blob import unpack
from lite.bridges.sim_npu.sdk.cores import Cores
from lite.bridges.sim_npu.sdk.errors import NpuError, Status
from lite.bridges.sim_npu.sdk.library import unpack_all
from lite.bridges.sim_npu.sdk.memory import Memory
from lite.bridges.sim_npu.sdk.operator import OPERATORS
from lite.bridges.sim_npu.sdk.program import Instruction, Program
from lite.bridges.sim_npu.sdk.tensor import Array, TensorType


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
        program = unpack(blob)
        model = Model(self, program, {})
        program.weights.clear()
        return model

    def load_all(self, blob: bytes) -> list[Model]:
        """The models of a library; those that read the same constants share them.  Raises as `load` does."""
        programs, loaded = unpack_all(blob), dict[int, Constant]()
        models = [Model(self, program, loaded) for program in programs]
        for program in programs:  # until here, no other array could get the number of one of them
            program.weights.clear()
        return models


class Constant:
    """A constant in the device's memory, freed with the last model that reads it."""

    def __init__(self, memory: Memory, array: Array) -> None:
        self.handle = memory.allocate(array.nbytes)
        memory.copy_in(self.handle, array)
        weakref.finalize(self, memory.free, self.handle)


class Model:
    """A loaded model; several threads may run it, and each waits for a free core.

    Constants that are in `loaded`, by the number of their array, are there already.
    """

    def __init__(self, npu: Npu, program: Program, loaded: dict[int, Constant]) -> None:
        self.program = program
        self._npu = npu
        self._weights: dict[int, Constant] = {}
        for index, data in program.weights.items():
            if id(data) not in loaded:
                loaded[id(data)] = Constant(npu.memory, data)
            self._weights[index] = loaded[id(data)]

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
        weights = {index: constant.handle for index, constant in self._weights.items()}
        blocks = {**weights, **dict(zip(program.inputs, inputs, strict=True))}
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
        """Free the memory of constants that no other model reads; the model cannot run after that."""
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
