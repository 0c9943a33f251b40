"""Casts floating point inputs to the element types of kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from lite.errors import GraphError
from lite.ir.graph import Graph, Node, Value
from lite.ir.program import AttrValue, VarKind
from lite.ir.types import HOST, UNKNOWN, DType
from lite.ops import SCHEMAS, Meta
from lite.ops.image_layout import infer_in_layout, node_layout
from lite.ops.infer_graph import infer_graph
from lite.ops.schema import LOD_BY_KERNEL
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes
from lite.passes.placement.cast_insertion import CALIBS, COPIES, LAYOUTS, CastInsertion, target_of
from lite.passes.registry import register_pass


@register_pass
class TypePrecisionCastPass(Pass):
    """Inserts a cast where a kernel is declared for another element type than that of a value it reads::

        %y = relu(X=%x) @npu/float16      %x.float16 = calib(X=%x) {in_dtype=5, out_dtype=4}
        return %y                    ->   %y = relu(X=%x.float16) @npu/float16 : float16
                                          %y.float32 = calib(X=%y) {in_dtype=4, out_dtype=5}
                                          return y=%y.float32

    Only floating point values are cast, and quantised values with their scales; indices and shapes stay.
    The outputs of such a kernel have the types that the rule of the op infers from the cast inputs.
    Kernels for any type, blocks and the results of the graph get the types that the model declares, but
    views take any type.  There is one cast per value and type, directly after the node that writes the
    value; a constant becomes a new constant.
    """

    name: ClassVar[str] = "type_precision_cast_pass"
    whole_program: ClassVar[bool] = True
    after: ClassVar[tuple[str, ...]] = ("static_kernel_pick_pass", "variable_place_inference_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Infers what is unknown first, if any kernel is declared for a type; then visits nodes in order."""
        blocks = list(graph.walk())
        if all(_declared_type(node) is None for block in blocks for node in block):
            return Outcome.UNCHANGED
        outputs = (value for block in blocks for node in block for value in node.all_outputs())
        changed = not all(map(_is_inferred, outputs)) and infer_graph(graph)
        for block in blocks:
            casts = _PrecisionCasts(block)
            for node in block:
                if node.op not in CALIBS:
                    casts.convert(node)
            casts.set_results([casts.of_type(value, casts.declared.get(value)) for value in block.results])
            changed |= casts.clean_up()
        return Outcome.of(changed)


class _PrecisionCasts(CastInsertion):
    """The casts of one graph; `declared` are the types of values before this pass."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        values = [*graph.args, *(value for node in graph for value in node.all_outputs())]
        self.declared = {value: value.dtype for value in values}

    def convert(self, node: Node) -> None:
        """Cast the inputs of a node for its kernel, and give its outputs the types that follow."""
        target = HOST if node.place is None else node.place.target
        before = [self.declared.get(value, _stored(value)) for value in node.all_inputs()]
        for slot, values in list(node.inputs.items()):
            cast = [self.of_type(value, self._input_type(node, slot, value), target) for value in values]
            self.read(node, slot, cast)
        after = [_stored(value) for value in node.all_inputs()]
        if before != after:
            _retype(node, dict(zip(before, after, strict=True)))

    def of_type(self, value: Value, dtype: DType | None, target: str = HOST) -> Value:
        """The value in this type, for a reader on `target`; the value itself if no cast is needed."""
        stored = _stored(value)
        if dtype is stored or not _can_cast(value, stored, dtype):
            return value
        producer = value.producer
        if producer is not None and producer.op in CALIBS and _stored(producer.input("X")) is dtype:
            return producer.input("X")
        cast = self.find(value, dtype)
        return cast if cast is not None else self.enter(value, dtype, self._cast(value, dtype, target))

    def _input_type(self, node: Node, slot: str, value: Value) -> DType | None:
        """The type in which a node reads a value; None for any.  Some slots accept one type only."""
        own, schema = _declared_type(node), SCHEMAS.get(node.op)
        if own is not None and (schema is None or own in schema.inputs[slot].dtypes or not own.is_float):
            return own
        return None if _keeps_type(node) else self.declared.get(value)

    def _cast(self, value: Value, dtype: DType | None, target: str) -> Value:
        if dtype is None:
            return value
        attrs = _attributes(value, dtype)
        if value.is_constant:
            cast = self.constant(value, "calib_once", attrs, str(dtype))
        else:
            targets = sorted((target_of(value), target, HOST), key=lambda each: each == HOST)
            cast = self.insert(value, "calib", attrs, targets, str(dtype))
        if dtype.is_float:
            cast.quant = None
        _set_type(cast, dtype)
        return cast


def _is_inferred(value: Value) -> bool:
    """Whether an inference would find nothing more about a value."""
    return value.dtype is not None and value.shape is not None and UNKNOWN not in value.shape


def _declared_type(node: Node) -> DType | None:
    return None if node.place is None else node.place.dtype


def _keeps_type(node: Node) -> bool:
    """Whether a node only copies or reinterprets elements, whatever their type."""
    schema = SCHEMAS.get(node.op)
    return node.op in COPIES or node.op in LAYOUTS or (schema is not None and schema.view is not None)


def _stored(value: Value) -> DType | None:
    """The type of the stored elements."""
    return value.dtype if value.data is None else DType.from_numpy(value.data.dtype)


def _can_cast(value: Value, stored: DType | None, target: DType | None) -> bool:
    """Whether both types are real or, for a quantised value, its storage type."""
    if stored is None or target is None or value.kind is not VarKind.TENSOR:
        return False
    storage = None if value.quant is None else value.quant.storage
    return all(dtype.is_float or dtype is storage for dtype in (stored, target))


def _attributes(value: Value, dtype: DType) -> dict[str, AttrValue]:
    stored, quant = _stored(value), value.quant
    attrs: dict[str, AttrValue] = {"in_dtype": -1 if stored is None else stored.code, "out_dtype": dtype.code}
    if quant is not None and quant.storage in (stored, dtype):
        attrs |= {"scale": list(quant.scale), "zero_point": list(quant.zero_point), "axis": quant.axis}
    return attrs


def _retype(node: Node, changed: dict[DType | None, DType | None]) -> None:
    """Give the outputs the types that follow from the new types of the inputs."""
    inferred = _by_rule(node)
    for slot, values in node.outputs.items():
        for n, value in enumerate(values):
            dtype = inferred[slot][n].dtype if slot in inferred else changed.get(value.dtype, value.dtype)
            if value.kind is VarKind.TENSOR:
                _set_type(value, dtype)


def _by_rule(node: Node) -> Mapping[str, Sequence[Meta]]:
    """The metas of the outputs; empty if only a run determines them, or if the rule rejects the inputs."""
    schema = SCHEMAS.get(node.op)
    if schema is None or schema.lod == LOD_BY_KERNEL or schema.control_flow:
        return {}
    inputs = {slot: [_meta(value) for value in values] for slot, values in node.inputs.items()}
    outputs = {slot: len(values) for slot, values in node.outputs.items()}
    try:
        return infer_in_layout(schema, node_layout(node), inputs, attributes(node), outputs)
    except GraphError:
        return {}


def _meta(value: Value) -> Meta:
    is_array = value.kind is not VarKind.TENSOR
    return Meta(_stored(value) or DType.FLOAT32, value.shape, value.data, is_array=is_array)


def _set_type(value: Value, dtype: DType | None) -> None:
    value.dtype = dtype
    if value.place is not None:
        value.place = replace(value.place, dtype=dtype)
