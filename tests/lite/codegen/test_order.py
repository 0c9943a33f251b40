"""The order of steps with the lowest peak, where branches leave a choice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lite.codegen.emit import emit
from lite.codegen.lower import lower
from lite.codegen.memory import plan_memory
from lite.codegen.order import ordered
from lite.codegen.steps import Steps
from lite.ir.graph import Graph
from lite.ir.types import DType
from tests.support.compiled_c import saved_config
from tests.support.small_convnet import convnet
from tests.support.small_programs import make_program


def branches(folder: Path) -> tuple[Graph, Steps]:
    """Three large products, each of which a second one makes small; the large ones stand first."""
    ops: list[Any] = []
    names = "abc"
    weights = {f"w_{n}": np.full((4, 1000), k, np.float32) for k, n in enumerate(names)}
    weights |= {f"v_{n}": np.full((1000, 3), k, np.float32) for k, n in enumerate(names)}
    for n in names:
        ops.append(("matmul_v2", {"X": ["x"], "Y": [f"w_{n}"]}, {"Out": [f"large_{n}"]}, {}))
    for n in names:
        ops.append(("matmul_v2", {"X": [f"large_{n}"], "Y": [f"v_{n}"]}, {"Out": [f"small_{n}"]}, {}))
    ops.append(("concat", {"X": [f"small_{n}" for n in names]}, {"Out": ["y"]}, {"axis": 1}))
    program = make_program({"x": (DType.FLOAT32, (2, 4))}, weights, ops, ["y"])
    graph = lower(saved_config(program, folder), "c")
    return graph, emit(graph, "c", 16)


def test_each_large_value_is_used_before_the_next_is_made(tmp_path: Path) -> None:
    graph, steps = branches(tmp_path)

    found = ordered(steps)

    assert plan_memory(graph, steps).arena >= 3 * 2 * 1000 * 4
    assert plan_memory(graph, found).arena < 1.1 * 2 * 1000 * 4
    assert sorted(map(id, found.steps)) == sorted(map(id, steps.steps))
    place = {step.node: n for n, step in enumerate(found.steps)}
    for step in found.steps:
        for value in step.node.all_inputs():
            if value.producer in place:
                assert place[value.producer] < place[step.node]


def test_a_chain_keeps_its_order(tmp_path: Path) -> None:
    graph = lower(saved_config(convnet(), tmp_path, input_shapes={"x": (1, 3, 16, 16)}), "c")
    steps = emit(graph, "c", 16)

    assert ordered(steps).steps == steps.steps
