"""A case of the conformance kit as a region."""

from __future__ import annotations

from lite.ir.graph import Graph, Value
from lite.ir.types import Array, DType
from lite.ops.infer_graph import infer_graph
from lite.tools.conformance import Case


def case_graph(
    case: Case, *, constants: bool = False, outputs: int | None = None
) -> tuple[Graph, list[Array]]:
    """The graph of a case and the arrays of its arguments.

    With `constants`, every input but the first is one; only the first `outputs` slots are results.
    """
    graph, arrays = Graph(), list[Array]()
    inputs: dict[str, list[Value]] = {slot: [] for slot in case.inputs}
    for slot, items in case.inputs.items():
        for n, item in enumerate(items):
            name = f"{slot}_{n}"
            if constants and arrays:
                inputs[slot].append(graph.add_constant(name, item.array))
                continue
            value = graph.add_arg(name)
            value.dtype, value.shape = DType.from_numpy(item.array.dtype), item.array.shape
            inputs[slot].append(value)
            arrays.append(item.array)
    names = {slot: [f"{slot}_{n}_out" for n in range(len(items))] for slot, items in case.outputs.items()}
    node = graph.add_node(case.op, inputs, names, case.attrs)
    results = [value for values in list(node.outputs.values())[:outputs] for value in values]
    graph.set_results(results, [value.name for value in results])
    infer_graph(graph)
    return graph, arrays
