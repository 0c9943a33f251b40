"""The rules of the IR, each a function that yields what is wrong: the node and a sentence.

The node is None for a problem of the graph as a whole.  Whether slots, attributes and types fit an op is
checked by its schema instead.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np

from lite.ir.build import CONDITIONAL, WHILE, block_inputs
from lite.ir.graph import SUBGRAPH, Graph, Node, Value
from lite.ir.types import DType

Problem = tuple[Node | None, str]
Rule = Callable[[Graph], Iterator[Problem]]


def _definitions(graph: Graph) -> Iterator[tuple[Node | None, Value, str]]:
    """Every value of a graph with the node that writes it and its role."""
    for value in graph.args:
        yield None, value, "an argument"
    for value in graph.constants.values():
        yield None, value, "a constant"
    for node in graph:
        for value in node.all_outputs():
            yield node, value, f"an output of {node.op}"


def order_is_consistent(graph: Graph) -> Iterator[Problem]:
    """The list of nodes is the same in both directions, and each of its nodes belongs to the graph."""
    forward = list(itertools.islice(graph, len(graph) + 1))
    backward = list(itertools.islice(reversed(graph), len(graph) + 1))
    for before, node in itertools.pairwise([None, *forward]):
        if node is None:
            continue
        if node.graph is not graph:
            yield node, f"the node is in the list of this graph but belongs to graph {node.graph.name}"
        if node.previous is not before:
            yield node, f"the node before it is {before!r}, but its link is to {node.previous!r}"
    if len(forward) != len(graph) or forward != backward[::-1]:
        yield (
            None,
            f"{len(forward)} nodes forwards and {len(backward)} backwards, expected {len(graph)}",
        )


def values_are_defined_once(graph: Graph) -> Iterator[Problem]:
    """A value is an argument, a constant or an output of one node, which is its producer."""
    seen: dict[Value, str] = {}
    for node, value, role in _definitions(graph):
        if value in seen:
            yield node, f"{value!r} is defined twice: {seen[value]} and {role}"
        seen[value] = role
        if value.producer is not node:
            yield node, f"{value!r} is {role}, but its producer is {value.producer!r}"
        if value.graph is not graph:
            yield node, f"{value!r} is {role}, but belongs to graph {value.graph.name}"


def names_and_versions_are_unique(graph: Graph) -> Iterator[Problem]:
    """No two values of a graph have the same name and version; a constant is stored under its name."""
    seen: set[tuple[str, int]] = set()
    for node, value, _ in _definitions(graph):
        key = (value.name, value.version)
        if key in seen:
            yield node, f"two values are called {value!r}"
        seen.add(key)
    for name, value in graph.constants.items():
        if name != value.name:
            yield None, f"constant {value!r} is stored under {name!r}"


def inputs_are_defined_before_use(graph: Graph) -> Iterator[Problem]:
    """A node reads arguments, constants and outputs of earlier nodes; no slot is empty."""
    defined = {value for node, value, _ in _definitions(graph) if node is None}
    for node in graph:
        for slot, values in node.inputs.items():
            if not values:
                yield node, f"input {slot} is an empty list; slots without values must be removed"
            for value in values:
                if value not in defined:
                    yield node, f"input {slot}: {value!r} is not defined before it"
        for slot, values in node.outputs.items():
            if not values:
                yield node, f"output {slot} is an empty list; slots without values must be removed"
        defined.update(node.all_outputs())


def uses_are_registered(graph: Graph) -> Iterator[Problem]:
    """`Value.users` has exactly the nodes that read the value, with their numbers of input positions."""
    uses: dict[Value, dict[Node, int]] = {}
    for node in graph:
        for value in node.all_inputs():
            counts = uses.setdefault(value, {})
            counts[node] = counts.get(node, 0) + 1
    for producer, value, _ in _definitions(graph):
        expected = uses.get(value, {})
        if value.users != expected:
            yield producer, f"{value!r} has the users {value.users}, expected {expected}"


def results_are_of_this_graph(graph: Graph) -> Iterator[Problem]:
    """Results are values of the graph, have one name each, and their result counts are right."""
    if len(graph.result_names) != len(graph.results):
        yield None, f"{len(graph.results)} results have {len(graph.result_names)} names"
    counts: dict[Value, int] = {}
    for value in graph.results:
        counts[value] = counts.get(value, 0) + 1
    for node, value, _ in _definitions(graph):
        count = counts.pop(value, 0)
        if value.result_count != count:
            yield node, f"{value!r} is returned {count} times, but its result count is {value.result_count}"
    for value in counts:
        yield None, f"result {value!r} is not a value of this graph"


def constants_are_arrays(graph: Graph) -> Iterator[Problem]:
    """Constants have a read-only array of their shape and dtype, or quantised storage; others have none."""
    for node, value, role in _definitions(graph):
        constant = node is None and graph.constants.get(value.name) is value
        if value.data is None:
            if constant:
                yield None, f"constant {value!r} has no array"
            continue
        if not constant:
            yield node, f"{value!r} is {role}, but has the array of a constant"
        if not isinstance(value.data, np.ndarray):
            yield node, f"the array of {value!r} is a {type(value.data).__name__}"
        if value.data.flags.writeable:
            yield None, f"the array of {value!r} is not read-only"
        stored = value.dtype if value.quant is None else value.quant.storage
        actual = DType.from_numpy(value.data.dtype)
        if actual not in (stored, value.dtype):
            yield None, f"constant {value!r} is of {stored}, its array of {actual}"
        if value.shape != value.data.shape:
            yield None, f"constant {value!r} is of shape {value.shape}, its array of {value.data.shape}"


def quantisations_fit(graph: Graph) -> Iterator[Problem]:
    """Scales are positive; there is one for the whole tensor, or one for each index of an axis."""
    for node, value, _ in _definitions(graph):
        quant = value.quant
        if quant is None:
            continue
        if not all(0 < scale < math.inf for scale in quant.scale) or not quant.scale:
            yield node, f"{value!r} has the scales {quant.scale}, expected positive numbers"
        if len(quant.zero_point) != len(quant.scale):
            yield node, f"{value!r} has {len(quant.scale)} scales and {len(quant.zero_point)} zero points"
        if quant.per_axis and value.shape is not None:
            known = range(len(value.shape))
            size = value.shape[quant.axis] if quant.axis in known else None
            if size is None or (isinstance(size, int) and size != len(quant.scale)):
                yield (
                    node,
                    f"{value!r}: {len(quant.scale)} scales along axis {quant.axis} do not fit {value.shape}",
                )


def blocks_match_their_nodes(graph: Graph) -> Iterator[Problem]:
    """Nested graphs have the arguments and results that `lite.ir.build` describes."""
    for node in graph:
        if node.op in (WHILE, *CONDITIONAL, SUBGRAPH) and len(node.blocks) != 1:
            yield node, f"{len(node.blocks)} nested graphs, expected one"
        for block in node.blocks:
            for sentence in _block_problems(node, block):
                yield node, f"graph {block.name}: {sentence}"


def _block_problems(node: Node, block: Graph) -> Iterator[str]:
    if block.ids is not node.graph.ids:
        yield "it does not share the ids of the outer graph"
    inputs, outputs = len(block_inputs(node)), len(list(node.all_outputs()))
    if len(block.args) != inputs:
        yield f"{len(block.args)} arguments for {inputs} inputs"
    if len(block.results) != outputs:
        yield f"{len(block.results)} results for {outputs} outputs"
    carried = node.attrs.get("carried", 0)
    if not isinstance(carried, int) or not 0 <= carried <= min(len(block.args), len(block.results)):
        yield f"carried is {carried!r} of {len(block.args)} arguments and {len(block.results)} results"
    if node.op == WHILE and (carried != len(block.results) or not carried):
        yield f"a loop carries its condition and all results; carried is {carried!r} of {len(block.results)}"


def regions_name_their_device(graph: Graph) -> Iterator[Problem]:
    """A ``subgraph`` has a device, a number and outputs, and its ops are ops that devices can run."""
    for node in graph:
        if node.op != SUBGRAPH:
            continue
        device, number = node.attrs.get("device"), node.attrs.get("region")
        if not isinstance(device, str) or not device:
            yield node, f"attribute device is {device!r}, expected the name of a device"
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            yield node, f"attribute region is {number!r}, expected the number of the region"
        if not node.outputs.get("Outputs"):
            yield node, "it has no outputs; a region without outputs must be removed"
        if node.inputs.keys() - {"Inputs"} or node.outputs.keys() - {"Outputs"}:
            yield node, f"its slots are {[*node.inputs, *node.outputs]}, expected Inputs and Outputs"
        for inner in (inner for block in node.blocks for inner in block):
            if inner.blocks or inner.effect:
                yield node, f"{inner!r} is in the region; only the host runs control flow and effects"


def ids_are_unique(graph: Graph) -> Iterator[Problem]:
    """No two nodes or values of a graph and its nested graphs have the same id."""
    seen: set[int] = set()
    for inner in graph.walk(regions=True):
        ids: list[tuple[Node | None, int, str]] = [(node, node.id, repr(node)) for node in inner]
        ids += [(node, value.id, repr(value)) for node, value, _ in _definitions(inner)]
        for owner, number, what in ids:
            if number in seen:
                yield owner, f"id {number} of {what} is not unique"
            seen.add(number)


def result_names_are_unique(graph: Graph) -> Iterator[Problem]:
    """Different results of the model have different names."""
    seen: dict[str, Value] = {}
    for name, value in zip(graph.result_names, graph.results, strict=True):
        if seen.setdefault(name, value) is not value:
            yield None, f"{seen[name]!r} and {value!r} are both returned as {name!r}"


GRAPH_RULES: tuple[Rule, ...] = (
    order_is_consistent,
    values_are_defined_once,
    names_and_versions_are_unique,
    inputs_are_defined_before_use,
    uses_are_registered,
    results_are_of_this_graph,
    constants_are_arrays,
    quantisations_fit,
    blocks_match_their_nodes,
    regions_name_their_device,
)
"""Rules for each graph by itself."""

MODEL_RULES: tuple[Rule, ...] = (ids_are_unique, result_names_are_unique)
"""Rules for the main graph with all graphs nested in it."""
