"""Bridges of ops whose LoDs only the host reads: a model would run these ops on the host."""

from __future__ import annotations

import pytest

from lite.ir.graph import Graph, Value
from lite.ir.types import Array, DType
from lite.ops.infer_graph import infer_graph
from lite.plugin.device.bridge_search import load_bridges_of
from lite.plugin.device.bridging import why_not
from lite.tools.conformance import Case, read_cases
from lite.tools.conformance.check import array_difference
from tests.bridges.devices import ONNXRUNTIME
from tests.bridges.region import signature_of

OPS = ("fill_constant_batch_size_like", "roi_align")
CASES = [
    case
    for case in read_cases()
    if case.op in OPS and not any(item.lod for items in case.inputs.values() for item in items)
]


def region_of(case: Case, *, constants: bool) -> tuple[Graph, list[Array]]:
    """The case as a region, and the arrays of its arguments; all but the first may be constants."""
    graph = Graph()
    arrays: list[Array] = []
    inputs: dict[str, list[Value]] = {slot: [] for slot in case.inputs}
    for slot, items in case.inputs.items():
        for n, item in enumerate(items):
            if constants and arrays:
                inputs[slot].append(graph.add_constant(f"{slot}_{n}", item.array))
                continue
            value = graph.add_arg(f"{slot}_{n}")
            value.dtype, value.shape = DType.from_numpy(item.array.dtype), item.array.shape
            inputs[slot].append(value)
            arrays.append(item.array)
    node = graph.add_node(case.op, inputs, {"Out": ["out"]}, case.attrs)
    graph.set_results([node.output()], ["out"])
    infer_graph(graph)
    return graph, arrays


def test_every_op_has_cases() -> None:
    assert sorted({case.op for case in CASES}) == sorted(OPS)
    assert len(CASES) == 4


@pytest.mark.parametrize("constants", [False, True])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_cases_without_lods_have_the_right_result(case: Case, constants: bool) -> None:
    device = ONNXRUNTIME.open()
    graph, arrays = region_of(case, constants=constants)
    (node,) = graph
    load_bridges_of(device, [case.op])

    assert why_not(node, device) is None
    model = device.compile(graph, signature_of(graph))
    (result,) = model.run(arrays, [None])
    assert array_difference(result, case.outputs["Out"][0].array, 1e-3) == ""
