"""The memory of the device as the engine uses it."""

from __future__ import annotations

import gc

import numpy as np

from lite.ir.types import DType
from lite.plugin.device import CompiledModel
from tests.bridges.arrays import floats
from tests.bridges.devices import SIM_NPU

TEXT = "graph main(%x: float32[2,3]) { %y = relu(X=%x) %z = tanh(X=%y) return %y, %z }"


def test_the_device_has_memory_only_with_the_option() -> None:
    assert SIM_NPU.open().memory() is None
    assert SIM_NPU.open(memory=True).memory() is not None


def test_a_block_is_freed_with_its_last_reference() -> None:
    device = SIM_NPU.open(memory=True)
    memory = device.memory()
    assert memory is not None
    block = memory.allocate((2, 3), DType.FLOAT32)
    other = block
    array = np.empty((2, 3), np.float32)

    memory.copy_in(block, floats(2, 3))
    memory.copy_out(other, array)

    np.testing.assert_array_equal(array, floats(2, 3))
    assert device._npu.memory.used == 24
    del block
    gc.collect()
    assert device._npu.memory.used == 24
    del other
    gc.collect()
    assert device._npu.memory.used == 0


def test_models_read_and_write_blocks() -> None:
    device = SIM_NPU.open(memory=True)
    memory = device.memory()
    assert memory is not None
    model: CompiledModel = SIM_NPU.compile(TEXT, device)
    source, target = memory.allocate((2, 3), DType.FLOAT32), memory.allocate((2, 3), DType.FLOAT32)
    memory.copy_in(source, floats(2, 3))

    relu, tanh = model.run([source], [None, target])
    again, _ = model.run([relu], [None, None])

    assert tanh is target
    for block, expected in ((relu, np.maximum(floats(2, 3), 0)), (again, np.maximum(floats(2, 3), 0))):
        array = np.empty((2, 3), np.float32)
        memory.copy_out(block, array)
        np.testing.assert_array_equal(array, expected)
