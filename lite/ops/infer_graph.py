"""Infer dtypes and shapes of every value of a graph, and of the graphs nested in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.errors import GraphError
from lite.ir.build import CONDITIONAL, WHILE, block_inputs
from lite.ir.graph import SUBGRAPH, Graph, Node, Value
from lite.ir.program import VarKind
from lite.ir.quantized_arrays import real_array
from lite.ir.types import UNKNOWN, Array, Dim, DType, Shape
from lite.ops.image_layout import infer_in_layout, node_layout
from lite.ops.infer import check_slots
from lite.ops.rules import common_shape
from lite.ops.schema import LOD_BY_KERNEL, SCHEMAS, OpSchema
from lite.ops.view import Meta

_FEW = 16
"""The most elements of a quantised constant that shape rules see."""


def infer_graph(graph: Graph) -> bool:
    """Set the dtype and shape of every value by the rule of its op; returns whether any changed.

    A declared size is kept where the rule infers none, except in sub-blocks, where it may hold for the
    first iteration only.  Outputs of unknown ops keep what is declared.

    Raises `GraphError` naming the node where slots, dtypes or shapes of the main graph do not fit; in a
    sub-block, which may never run, the shape of such an output becomes unknown.
    """
    return infer_changes(graph)[0]


def infer_changes(graph: Graph, inference: Inference | None = None) -> tuple[bool, dict[Value, Meta]]:
    """The results of `infer_graph` and of `infer_metas`, by a single inference."""
    inference = inference or Inference({})
    before = [(value.dtype, value.shape) for each in graph.walk() for value in _values(each)]
    inference.run(graph, trusted=True)
    after = [(value.dtype, value.shape) for each in graph.walk() for value in _values(each)]
    return before != after, inference.metas


def infer_metas(graph: Graph, arguments: Mapping[Value, Meta] | None = None) -> dict[Value, Meta]:
    """Like `infer_graph`; returns the meta of every value, with its elements where a rule infers them.

    `arguments` replace the declared metas of the graph's arguments.
    """
    inference = Inference({})
    for value, meta in (arguments or {}).items():
        inference.enter(value, meta)
    inference.run(graph, trusted=True)
    return inference.metas


def infer_again(node: Node, metas: dict[Value, Meta]) -> bool:
    """Enter the outputs of a node of the main graph in `metas` again, since its inputs or attributes changed.

    Returns whether that changes what is known about an output.  Raises `GraphError` as `infer_metas` does.
    """
    return Inference(metas).again(node)


class Inference:
    """Infers graphs by the rules of their ops; `metas` has what is known about the values so far."""

    def __init__(self, metas: dict[Value, Meta]) -> None:
        self.metas = metas

    def run(self, graph: Graph, *, trusted: bool) -> None:
        """Infer one graph; arguments that are not in `metas` have what is declared."""
        for value in graph.args:
            if value not in self.metas and value.dtype is not None:
                self.metas[value] = _declared(value, value.dtype)
        for value in graph.constants.values():
            if value.data is not None:
                self.metas[value] = _constant(value, value.data)
        for node in graph:
            self._infer(node, trusted=trusted)

    def again(self, node: Node) -> bool:
        """Infer a node of the main graph once more; whether more or less is known about its outputs then."""
        for value in node.all_inputs():
            if value.data is not None and value not in self.metas:
                self.metas[value] = _constant(value, value.data)
        before = [_known(self.metas.get(value)) for value in node.all_outputs()]
        self._infer(node, trusted=True)
        return before != [_known(self.metas.get(value)) for value in node.all_outputs()]

    def _infer(self, node: Node, *, trusted: bool) -> None:
        if node.op == WHILE:
            self._while(node)
        elif node.op in CONDITIONAL:
            self._conditional(node)
        elif node.op == SUBGRAPH:
            self._region(node, trusted=trusted)
        else:
            self.infer_node(node, trusted=trusted)

    def infer_node(self, node: Node, *, trusted: bool) -> None:
        """Infer the outputs of a node without sub-blocks."""
        schema = SCHEMAS.get(node.op)
        has_metas = all(value in self.metas for value in node.all_inputs())
        if schema is None or schema.control_flow or schema.lod == LOD_BY_KERNEL or not has_metas:
            # The shape of an op that reads LoDs is unknown until these are known.
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

    def _set(self, value: Value, inferred: Meta | None, *, trusted: bool) -> None:
        """Enter the inferred meta of an output, completed by the declared one."""
        shape = inferred.shape if inferred is not None else None
        if trusted:
            shape = _merged(shape, value.shape)
        if inferred is None and value.dtype is None:
            value.shape = shape
            return
        dtype = inferred.dtype if inferred is not None else value.dtype or DType.FLOAT32
        elements = inferred.value if inferred is not None else None
        is_array = value.kind == VarKind.TENSOR_ARRAY or (inferred is not None and inferred.is_array)
        parts = inferred.parts if inferred is not None else None
        self.enter(value, Meta(dtype, shape, elements, is_array=is_array, parts=parts))

    def enter(self, value: Value, meta: Meta) -> None:
        """Store the meta of a value, and set its dtype and shape."""
        self.metas[value] = meta
        value.dtype, value.shape = meta.dtype, meta.shape

    def _while(self, node: Node) -> None:
        """The meta of a carried argument holds before the loop and after every iteration."""
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
        """The meta of a carried output holds for the block's result and for the value before the block."""
        block = node.blocks[0]
        entries = [self.metas.get(value) for value in block_inputs(node)]
        self._run_block(block, entries)
        for n, value in enumerate(node.outputs.get("Out", ())):
            result = _without_elements(self.metas.get(block.results[n]))
            meta = _join(entries[n], result) if n < node.carried else result
            self._set(value, meta, trusted=False)

    def _region(self, node: Node, *, trusted: bool) -> None:
        """The outputs have the metas of the results of the region's graph."""
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


def _constant(value: Value, data: Array) -> Meta:
    """The meta of a constant; a quantised one has elements only if they may be sizes or factors of sizes."""
    if value.quant is None:
        return Meta.of(data)
    elements = real_array(value) if data.size <= _FEW else None
    return Meta(value.dtype or DType.FLOAT32, data.shape, elements)


def _type(meta: Meta | None) -> tuple[DType, Shape | None] | None:
    return None if meta is None else (meta.dtype, meta.shape)


def _known(meta: Meta | None) -> tuple[DType, Shape | None, bool] | None:
    """What an inference can change; elements that are known stay as they are."""
    return None if meta is None else (meta.dtype, meta.shape, meta.value is not None)


def _without_elements(meta: Meta | None) -> Meta | None:
    return None if meta is None else Meta(meta.dtype, meta.shape, is_array=meta.is_array)


def _join(first: Meta | None, second: Meta | None) -> Meta | None:
    """The meta that holds for both."""
    if first is None or second is None:
        return None
    if first.is_array or second.is_array:
        return Meta(second.dtype, None, is_array=True)
    if first.dtype != second.dtype:
        return None
    return Meta(first.dtype, common_shape([first.shape, second.shape]))


def _merged(inferred: Shape | None, declared: Shape | None) -> Shape | None:
    if inferred is None or declared is None or len(inferred) != len(declared):
        return declared if inferred is None else inferred
    return tuple(_merged_dim(a, b) for a, b in zip(inferred, declared, strict=True))


def _merged_dim(inferred: Dim, declared: Dim) -> Dim:
    if isinstance(inferred, int):
        return inferred
    return declared if isinstance(declared, int) or inferred == UNKNOWN else inferred
