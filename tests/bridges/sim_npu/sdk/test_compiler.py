"""The compiler of the SDK."""

from __future__ import annotations

import numpy as np
import pytest

from lite.bridges.sim_npu import sdk
from lite.bridges.sim_npu.sdk.blob import unpack
from lite.bridges.sim_npu.sdk.program import Program


def compiled(graph: sdk.Graph) -> Program:
    return unpack(sdk.compile(graph))


def test_nodes_and_constants_that_no_output_needs_are_dropped() -> None:
    graph = sdk.Graph()
    x = graph.input("x", (2,), "float32")
    unused = graph.constant("unused", np.ones(2, np.float32))
    graph.add("ADD", x, unused)
    (y,) = graph.add("RELU", x)
    graph.output("y", y)

    program = compiled(graph)

    assert [instruction.kind for instruction in program.instructions] == ["RELU"]
    assert program.weights == {}


def test_a_tensor_is_released_after_its_last_reader() -> None:
    graph = sdk.Graph()
    x = graph.input("x", (4,), "float32")
    (a,) = graph.add("RELU", x)
    (b,) = graph.add("TANH", a)
    left, right = graph.add("SPLIT", b, axis=0, sizes=[2, 2])
    (d,) = graph.add("ADD", right, right)
    (e,) = graph.add("ADD", a, a)
    graph.output("d", d)
    graph.output("e", e)

    release = {instruction.kind: instruction.release for instruction in compiled(graph).instructions}

    # The last of each kind: no node reads `left`, one node more reads `a` than `b`.
    assert release["TANH"] == []
    assert release["SPLIT"] == sorted([b.index, left.index])
    assert release["ADD"] == [a.index]


def test_the_same_graph_gives_the_same_blob() -> None:
    def blob() -> bytes:
        graph = sdk.Graph()
        x = graph.input("x", (2,), "float32")
        graph.output("y", graph.add("ADD", x, graph.constant("c", np.ones(2, np.float32)))[0])
        return sdk.compile(graph)

    assert blob() == blob()


def test_a_graph_without_outputs_is_an_error() -> None:
    with pytest.raises(sdk.NpuError, match="NPU-102 INVALID_ARITY: the graph has no outputs"):
        sdk.compile(sdk.Graph())
