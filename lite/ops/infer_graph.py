"""Infer dtypes and shapes of every value of a graph, and of the graphs nested in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.errors import GraphError
from lite.ir.build import CONDITIONAL, WHILE, block_inputs
from lite.ir.graph import SUBGRAPH, Graph, Node, Value
from lite.ir.program import VarKind
from lite.ir.types import UNKNOWN, Dim, DType, Shape
from lite.ops.image_layout import infer_in_layout, node_layout
from lite.ops.infer import check_slots
from lite.ops.schema import LOD_BY_KERNEL, SCHEMAS, OpSchema
from lite.ops.view import Meta


def infer_graph(graph: Graph) -> bool:
    """Set the dtype and shape of every value by its op's rule; whether any became another.

    A declared size stays where the rule knows less, except in sub-blocks: what is declared there may
    hold for the first iteration only.  Outputs of unknown ops stay as declared.

    Raises `GraphError` naming the node where slots, dtypes or shapes of the main graph do not fit; in
    a sub-block, which may never run, such an output is of unknown shape.
    """
    return infer_anew(graph)[0]


def infer_anew(graph: Graph) -> tuple[bool, Mapping[Value, Meta]]:
    """What `infer_graph` and `infer_metas` return, by one inference."""
    before = [(value.dtype, value.shape) for each in graph.walk() for value in _values(each)]
    metas = infer_metas(graph)
    after = [(value.dtype, value.shape) for each in graph.walk() for value in _values(each)]
    return before != after, metas


def infer_metas(graph: Graph, given: Mapping[Value, Meta] | None = None) -> Mapping[Value, Meta]:
    """Like `infer_graph`; what is known of every value, with the elements where a rule finds them.

    `given` are metas of arguments to start from, instead of what they are declared to be.
    """
    inference = _Inference()
    for value, meta in (given or {}).items():
        inference.enter(value, meta)
    inference.run(graph, trusted=True)
    return inference.metas


class _Inference:
    def __init__(self) -> None:
        self.metas: dict[Value, Meta] = {}

    def run(self, graph: Graph, *, trusted: bool) -> None:
        """Infer one graph whose arguments are in `metas` already, or as declared."""
        for value in graph.args:
            if value not in self.metas and value.dtype is not None:
                self.metas[value] = _declared(value, value.dtype)
        for value in graph.constants.values():
            if value.data is not None:
                self.metas[value] = Meta.of(value.data)
        for node in graph:
            if node.op == WHILE:
                self._while(node)
            elif node.op in CONDITIONAL:
                self._conditional(node)
            elif node.op == SUBGRAPH:
                self._region(node, trusted=trusted)
            else:
                self._plain(node, trusted=trusted)

    def _plain(self, node: Node, *, trusted: bool) -> None:
        schema = SCHEMAS.get(node.op)
        known = all(value in self.metas for value in node.all_inputs())
        if schema is None or schema.control_flow or schema.lod == LOD_BY_KERNEL or not known:
            # An op that reads LoDs has no shape before it has those.
            inferred: Mapping[str, Sequence[Meta]] = {}
        else:
            inferred = self._by_rule(node, schema, trusted=trusted)
        trusted = trusted and not (schema is not None and schema.sized_by_run and inferred)
        for slot, values in node.outputs.items():
            for n, value in enumerate(values):
                self._set(value, inferred[slot][n] if slot in inferred else None, trusted=trusted)

    def _by_rule(self, node: Node, schema: OpSchema, *, trusted: bool) -> Mapping[str, Sequence[Meta]]:
        inputs = {slot: [self.metas[value] for value in values] for slot, values in node.inputs.items()}
        outputs = {slot: len(values) for slot, values in node.outputs.items()}
        try:
            check_slots(schema, {slot: len(metas) for slot, metas in inputs.items()}, outputs)
            attrs = schema.attr_values(node.attrs)
            return infer_in_layout(schema, node_layout(node), inputs, attrs, outputs)
        except GraphError as error:
            if not trusted:
                return {}
            raise GraphError(f"{node!r}: {error}") from error

    def _set(self, value: Value, found: Meta | None, *, trusted: bool) -> None:
        """Enter what was found of an output and, where that is less, what is declared."""
        shape = found.shape if found is not None else None
        if trusted:
            shape = _merged(shape, value.shape)
        if found is None and value.dtype is None:
            value.shape = shape
            return
        dtype = found.dtype if found is not None else value.dtype or DType.FLOAT32
        elements = found.value if found is not None else None
        is_array = value.kind == VarKind.TENSOR_ARRAY or (found is not None and found.is_array)
        self.enter(value, Meta(dtype, shape, elements, is_array=is_array))

    def enter(self, value: Value, meta: Meta) -> None:
        """Note what is known of a value, in its dtype and shape, too."""
        self.metas[value] = meta
        value.dtype, value.shape = meta.dtype, meta.shape

    def _while(self, node: Node) -> None:
        """A carried argument is what it was at first and after any iteration."""
        block = node.blocks[0]
        carried = node.carried
        entries = [self.metas.get(value) for value in block_inputs(node)]
        entries[:carried] = [_without_elements(meta) for meta in entries[:carried]]
        while True:
            self._run_block(block, entries)
            results = [self.metas.get(value) for value in block.results]
            joined = [_join(entry, result) for entry, result in zip(entries[:carried], results, strict=True)]
            if [_type(meta) for meta in joined] == [_type(meta) for meta in entries[:carried]]:
                break
            entries[:carried] = joined
        for value, meta in zip(node.outputs.get("Out", ()), joined, strict=True):
            self._set(value, meta, trusted=False)

    def _conditional(self, node: Node) -> None:
        """A carried output is what the block returns, or what it was before."""
        block = node.blocks[0]
        entries = [self.metas.get(value) for value in block_inputs(node)]
        self._run_block(block, entries)
        for n, value in enumerate(node.outputs.get("Out", ())):
            result = _without_elements(self.metas.get(block.results[n]))
            meta = _join(entries[n], result) if n < node.carried else result
            self._set(value, meta, trusted=False)

    def _region(self, node: Node, *, trusted: bool) -> None:
        """The outputs are what the region's ops make of its inputs."""
        block = node.blocks[0]
        self._run_block(block, [self.metas.get(value) for value in block_inputs(node)])
        for value, result in zip(node.outputs.get("Outputs", ()), block.results, strict=True):
            self._set(value, _without_elements(self.metas.get(result)), trusted=trusted)

    def _run_block(self, block: Graph, entries: Sequence[Meta | None]) -> None:
        for value, meta in zip(block.args, entries, strict=True):
            if meta is None:
                self.metas.pop(value, None)
                value.shape = None
            else:
                self.enter(value, meta)
        self.run(block, trusted=False)


def _values(graph: Graph) -> list[Value]:
    return [*graph.args, *(value for node in graph for value in node.all_outputs())]


def _declared(value: Value, dtype: DType) -> Meta:
    return Meta(dtype, value.shape, is_array=value.kind == VarKind.TENSOR_ARRAY)


def _type(meta: Meta | None) -> tuple[DType, Shape | None] | None:
    return None if meta is None else (meta.dtype, meta.shape)


def _without_elements(meta: Meta | None) -> Meta | None:
    return None if meta is None else Meta(meta.dtype, meta.shape, is_array=meta.is_array)


def _join(first: Meta | None, second: Meta | None) -> Meta | None:
    """What holds for a value that is the one or the other."""
    if first is None or second is None:
        return None
    if first.is_array or second.is_array:
        return Meta(second.dtype, None, is_array=True)
    if first.dtype != second.dtype:
        return None
    shape: Shape | None = None
    if first.shape is not None and second.shape is not None and len(first.shape) == len(second.shape):
        pairs = zip(first.shape, second.shape, strict=True)
        shape = tuple(a if a == b else UNKNOWN for a, b in pairs)
    return Meta(first.dtype, shape)


def _merged(found: Shape | None, declared: Shape | None) -> Shape | None:
    if found is None or declared is None or len(found) != len(declared):
        return declared if found is None else found
    return tuple(_merged_dim(a, b) for a, b in zip(found, declared, strict=True))


def _merged_dim(found: Dim, declared: Dim) -> Dim:
    if isinstance(found, int):
        return found
    return declared if isinstance(declared, int) or found == UNKNOWN else found
