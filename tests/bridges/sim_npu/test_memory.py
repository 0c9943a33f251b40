from __future__ import annotations

import gc

import numpy as np

from lite.ir.text import parse_graph
from lite.ir.types import DType
from lite.ops.infer_graph import infer_graph
from lite.plugin.device import CompiledModel, meta_of
from tests.bridges.sim_npu.opened import opened
from tests.bridges.sim_npu.sdk.program_run import floats

TEXT = "graph main(%x: float32[2,3]) { %y = relu(X=%x) %z = tanh(X=%y) return %y, %z }"


def test_arrays_unless_the_option_says_handles() -> None:
    assert opened().memory() is None
    assert opened(memory=True).memory() is not None


def test_a_block_is_given_back_with_its_last_reference() -> None:
    device = opened(memory=True)
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


def test_models_pass_blocks_on() -> None:
    device = opened(memory=True)
    memory = device.memory()
    assert memory is not None
    graph = parse_graph(TEXT)
    infer_graph(graph)
    model: CompiledModel = device.compile(graph, tuple(meta_of(arg) for arg in graph.args))
    source, given = memory.allocate((2, 3), DType.FLOAT32), memory.allocate((2, 3), DType.FLOAT32)
    memory.copy_in(source, floats(2, 3))

    relu, tanh = model.run([source], [None, given])
    again, _ = model.run([relu], [None, None])

    assert tanh is given
    for block, want in ((relu, np.maximum(floats(2, 3), 0)), (again, np.maximum(floats(2, 3), 0))):
        array = np.empty((2, 3), np.float32)
        memory.copy_out(block, array)
        np.testing.assert_array_equal(array, want)
