"""The ends of a region in int8: Vela would leave the conversion of real numbers to the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lite.emission.tflite.graph import Operator, Scales, Stored, TfliteGraph


def integer_edges(graph: TfliteGraph) -> TfliteGraph:
    """The graph whose inputs and outputs are the integers that a QUANTIZE makes and a DEQUANTIZE reads.

    An input that other operators read as well, or an output that is not dequantised, stays.
    """
    readers: dict[Stored, list[Operator]] = {}
    for operator in graph.operators:
        for tensor in operator.inputs:
            if tensor is not None:
                readers.setdefault(tensor, []).append(operator)
    producers = {tensor: operator for operator in graph.operators for tensor in operator.outputs}
    removed: set[Operator] = set()
    inputs, outputs = [], []
    for name, tensor in graph.inputs:
        (first, *others) = readers.get(tensor, [None])
        if first is not None and not others and first.code == "QUANTIZE":
            removed.add(first)
            inputs.append((name, first.outputs[0]))
        else:
            inputs.append((name, tensor))
    results = [tensor for _, tensor in graph.outputs]
    for name, tensor in graph.outputs:
        last = producers.get(tensor)
        source = None if last is None or last.code != "DEQUANTIZE" else last.inputs[0]
        if last is None or source is None or readers.get(tensor) or results.count(tensor) > 1:
            outputs.append((name, tensor))
        else:
            removed.add(last)
            outputs.append((name, source))
    return TfliteGraph(inputs, outputs, [each for each in graph.operators if each not in removed])


def edge_facts(tensors: Sequence[tuple[str, Stored]]) -> list[dict[str, Any]]:
    """Name, element type, shape, scale and zero point of inputs or outputs, as plain data."""
    return [
        {"name": name, "dtype": str(tensor.dtype), "shape": list(tensor.shape), **_facts(tensor.quant)}
        for name, tensor in tensors
    ]


def _facts(quant: Scales | None) -> dict[str, Any]:
    if quant is None:
        return {}
    return {"scale": float(quant.scales[0]), "zero_point": int(quant.zeros[0])}
