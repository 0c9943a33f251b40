"""The rules of the IR: what holds for every graph between two passes.

Each rule is one function that yields what is wrong: the node (None: the graph as a whole) and a
sentence.  Whether slots, attributes and types fit an op is not asked here but by its schema.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from lite.errors import VerifyError
from lite.ir.build import CONDITIONAL, WHILE, block_inputs
from lite.ir.graph import SUBGRAPH, Graph, Node, Value
from lite.ir.text_print import header_text, node_text, return_text
from lite.ir.types import DType

Problem = tuple[Node | None, str]
Rule = Callable[[Graph], Iterator[Problem]]

_CONTEXT = 3


def verify(graph: Graph) -> None:
    """Check every rule on a graph and the graphs nested in it, in linear time.

    Raises `VerifyError` at the first broken rule, with its name, the node and the text around it.
    """
    seen = {graph}
    pending = [graph]
    while pending:
        current = pending.pop()
        for rule in _RULES:
            _check(rule, current)
        blocks = [block for node in current for block in node.blocks]
        for block in blocks:
            if block in seen:
                raise VerifyError(f"rule 'nested graphs stand in one place': {block.name} stands in two")
            seen.add(block)
        pending.extend(reversed(blocks))
    _check(_ids_are_unique, graph)
    _check(_result_names_are_unique, graph)


def _check(rule: Rule, graph: Graph) -> None:
    for node, sentence in rule(graph):
        name = rule.__name__.strip("_").replace("_", " ")
        where = f"graph {graph.name}" if node is None else f"graph {graph.name}, node {node!r}"
        raise VerifyError(f"rule '{name}': {where}: {sentence}\n{_around(graph, node)}")


def _order_is_consistent(graph: Graph) -> Iterator[Problem]:
    """Both directions of the list agree, and every node on it says that it is in this graph."""
    forward = list(itertools.islice(graph, len(graph) + 1))
    backward = list(itertools.islice(reversed(graph), len(graph) + 1))
    for before, node in itertools.pairwise([None, *forward]):
        if node is None:
            continue
        if node.graph is not graph:
            yield node, f"the node stands in this graph but belongs to graph {node.graph.name}"
        if node.previous is not before:
            yield node, f"the node before it is {before!r}, its link says {node.previous!r}"
    if len(forward) != len(graph) or forward != backward[::-1]:
        yield (
            None,
            f"{len(graph)} nodes are counted, {len(forward)} found forwards, {len(backward)} backwards",
        )


def _values_are_defined_once(graph: Graph) -> Iterator[Problem]:
    """A value of this graph is an argument, a constant or the output of one node, and knows which."""
    seen: dict[Value, str] = {}
    for node, value, role in _definitions(graph):
        if value in seen:
            yield node, f"{value!r} is defined twice: {seen[value]} and {role}"
        seen[value] = role
        if value.producer is not node:
            yield node, f"{value!r} is {role}, but its producer is {value.producer!r}"
        if value.graph is not graph:
            yield node, f"{value!r} is {role}, but belongs to graph {value.graph.name}"


def _names_and_versions_are_unique(graph: Graph) -> Iterator[Problem]:
    """No two values of a graph share both name and version; a constant is filed under its name."""
    seen: set[tuple[str, int]] = set()
    for node, value, _ in _definitions(graph):
        key = (value.name, value.version)
        if key in seen:
            yield node, f"two values are called {value!r}"
        seen.add(key)
    for name, value in graph.constants.items():
        if name != value.name:
            yield None, f"constant {value!r} is filed under {name!r}"


def _inputs_are_defined_before_use(graph: Graph) -> Iterator[Problem]:
    """A node reads arguments, constants and outputs of nodes before it; a slot is never empty."""
    defined = {value for node, value, _ in _definitions(graph) if node is None}
    for node in graph:
        for slot, values in node.inputs.items():
            if not values:
                yield node, f"input {slot} is an empty list; a slot without values is left out"
            for value in values:
                if value not in defined:
                    yield node, f"input {slot}: {value!r} is not defined before it"
        for slot, values in node.outputs.items():
            if not values:
                yield node, f"output {slot} is an empty list; a slot without values is left out"
        defined.update(node.all_outputs())


def _uses_are_registered(graph: Graph) -> Iterator[Problem]:
    """`Value.users` says of every node how many of its input positions read the value, no more."""
    uses: dict[Value, dict[Node, int]] = {}
    for node in graph:
        for value in node.all_inputs():
            counts = uses.setdefault(value, {})
            counts[node] = counts.get(node, 0) + 1
    for producer, value, _ in _definitions(graph):
        expected = uses.get(value, {})
        if value.users != expected:
            yield producer, f"{value!r} has the users {value.users}, its real ones are {expected}"


def _results_are_of_this_graph(graph: Graph) -> Iterator[Problem]:
    """Results are values of the graph, have a name each, and know how often they are returned."""
    if len(graph.result_names) != len(graph.results):
        yield None, f"{len(graph.results)} results have {len(graph.result_names)} names"
    counts: dict[Value, int] = {}
    for value in graph.results:
        counts[value] = counts.get(value, 0) + 1
    for node, value, _ in _definitions(graph):
        count = counts.pop(value, 0)
        if value.result_count != count:
            yield node, f"{value!r} is returned {count} times, its count says {value.result_count}"
    for value in counts:
        yield None, f"result {value!r} is not a value of this graph"


def _constants_are_arrays(graph: Graph) -> Iterator[Problem]:
    """Constants have a read-only array of their dtype (or its quantised storage) and shape; others none."""
    for node, value, role in _definitions(graph):
        constant = node is None and graph.constants.get(value.name) is value
        if value.data is None:
            if constant:
                yield None, f"constant {value!r} has no array"
            continue
        if not constant:
            yield node, f"{value!r} is {role}, but has the array of a constant"
        if value.data.flags.writeable:
            yield None, f"the array of {value!r} can be written"
        stored = value.dtype if value.quant is None else value.quant.storage
        found = DType.from_numpy(value.data.dtype)
        if found not in (stored, value.dtype):
            yield None, f"constant {value!r} is of {stored}, its array of {found}"
        if value.shape != value.data.shape:
            yield None, f"constant {value!r} is of shape {value.shape}, its array of {value.data.shape}"


def _blocks_match_their_nodes(graph: Graph) -> Iterator[Problem]:
    """Arguments and results of a nested graph pair with its node's values, as `lite.ir.build` says."""
    for node in graph:
        if node.op in (WHILE, *CONDITIONAL, SUBGRAPH) and len(node.blocks) != 1:
            yield node, f"{len(node.blocks)} nested graphs, expected one"
        for block in node.blocks:
            for sentence in _block_problems(node, block):
                yield node, f"graph {block.name}: {sentence}"


def _block_problems(node: Node, block: Graph) -> Iterator[str]:
    if block.ids is not node.graph.ids:
        yield "it hands out ids of its own"
    inputs, outputs = len(block_inputs(node)), len(list(node.all_outputs()))
    if len(block.args) != inputs:
        yield f"{len(block.args)} arguments for {inputs} inputs"
    if len(block.results) != outputs:
        yield f"{len(block.results)} results for {outputs} outputs"
    carried = node.attrs.get("carried", 0)
    if not isinstance(carried, int) or not 0 <= carried <= min(len(block.args), len(block.results)):
        yield f"carried is {carried!r} of {len(block.args)} arguments and {len(block.results)} results"
    if node.op == WHILE and (carried != len(block.results) or not carried):
        yield f"a loop carries its condition and all its results; carried is {carried!r}"


def _regions_say_where_they_run(graph: Graph) -> Iterator[Problem]:
    """A ``subgraph`` has the name of its device and its number, and returns what is read outside."""
    for node in graph:
        if node.op != SUBGRAPH:
            continue
        device, number = node.attrs.get("device"), node.attrs.get("region")
        if not isinstance(device, str) or not device:
            yield node, f"attribute device is {device!r}, expected the name of a device"
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            yield node, f"attribute region is {number!r}, expected its number"
        if not node.outputs.get("Outputs"):
            yield node, "it has no outputs; a region that nothing reads is left out"
        if node.inputs.keys() - {"Inputs"} or node.outputs.keys() - {"Outputs"}:
            yield node, f"its slots are {[*node.inputs, *node.outputs]}, expected Inputs and Outputs"
        for inner in (inner for block in node.blocks for inner in block):
            if inner.blocks or inner.effect:
                yield node, f"{inner!r} is in the region; control flow and effects are the host's"


def _ids_are_unique(graph: Graph) -> Iterator[Problem]:
    """No two nodes or values of a graph and the graphs nested in it have the same id."""
    seen: set[int] = set()
    for inner in graph.walk(regions=True):
        ids: list[tuple[Node | None, int, str]] = [(node, node.id, repr(node)) for node in inner]
        ids += [(node, value.id, repr(value)) for node, value, _ in _definitions(inner)]
        for owner, number, what in ids:
            if number in seen:
                yield owner, f"id {number} of {what} is taken"
            seen.add(number)


def _result_names_are_unique(graph: Graph) -> Iterator[Problem]:
    """Two values that the model returns have different names."""
    seen: dict[str, Value] = {}
    for name, value in zip(graph.result_names, graph.results, strict=True):
        if seen.setdefault(name, value) is not value:
            yield None, f"{seen[name]!r} and {value!r} are both returned as {name!r}"


_RULES: tuple[Rule, ...] = (
    _order_is_consistent,
    _values_are_defined_once,
    _names_and_versions_are_unique,
    _inputs_are_defined_before_use,
    _uses_are_registered,
    _results_are_of_this_graph,
    _constants_are_arrays,
    _blocks_match_their_nodes,
    _regions_say_where_they_run,
)


def _definitions(graph: Graph) -> Iterator[tuple[Node | None, Value, str]]:
    """Every value of a graph with the node that writes it and the role it has."""
    for value in graph.args:
        yield None, value, "an argument"
    for value in graph.constants.values():
        yield None, value, "a constant"
    for node in graph:
        for value in node.all_outputs():
            yield node, value, f"an output of {node.op}"


def _around(graph: Graph, node: Node | None) -> str:
    """The node and up to three lines of text on either side."""
    if node is None:
        return f"    {header_text(graph)}\n    {return_text(graph)}"
    lines = [f"  > {node_text(node)}"]
    before, behind = node.previous, node.next
    for _ in range(_CONTEXT):
        if before is not None:
            lines.insert(0, f"    {node_text(before)}")
            before = before.previous
        if behind is not None:
            lines.append(f"    {node_text(behind)}")
            behind = behind.next
    return "\n".join(lines)
