"""Runs the graph that emitters see by the host's kernels, node by node."""

from __future__ import annotations

from collections.abc import Mapping

from lite.codegen.lower import optimized
from lite.config import Config
from lite.ir.types import Array
from lite.ops import get_schema
from lite.plugin.kernel import evaluate


def run_by_host(config: Config, feeds: Mapping[str, Array]) -> list[Array]:
    """The results of a Config's model after the passes for source code, in NCHW."""
    graph, _ = optimized(config)
    values = {arg: feeds[arg.name] for arg in graph.args}
    values |= {value: value.data for value in graph.constants.values() if value.data is not None}
    for node in graph:
        inputs = {slot: [values[each] for each in items] for slot, items in node.inputs.items()}
        counts = {slot: len(items) for slot, items in node.outputs.items() if items}
        made = evaluate(node.op, inputs, get_schema(node.op).attr_values(node.attrs), counts)
        for slot, items in node.outputs.items():
            for value, result in zip(items, made.get(slot, ()), strict=False):
                values[value] = result.array
    return [values[value] for value in graph.results]
