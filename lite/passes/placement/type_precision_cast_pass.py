"""Every kernel gets floating point inputs of the element type it is declared for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from lite.errors import GraphError
from lite.ir.graph import Graph, Node, Value
from lite.ir.program import AttrValue, VarKind
from lite.ir.types import HOST, DType
from lite.ops import SCHEMAS, Meta, infer
from lite.ops.schema import LOD_BY_KERNEL
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes
from lite.passes.placement.cast_insertion import COPIES, LAYOUTS, CALIBS, CastInsertion, target_of
from lite.passes.registry import register_pass


@register_pass
@dataclass(frozen=True)
class TypePrecisionCastPass(Pass):
    """Puts a cast where a kernel is declared for another element type than a value it reads has::

        %y = relu(X=%x) @npu/float16      %x.float16 = calib(X=%x) {in_dtype=5, out_dtype=4}
        return %y                    ->   %y = relu(X=%x.float16) @npu/float16 : float16
                                          %y.float32 = calib(X=%y) {in_dtype=4, out_dtype=5}
                                          return y=%y.float32

    Only floating point values are cast, and quantised ones with their scales: indices and shapes stay.
    What such a kernel writes has the type that the op's rule finds for such inputs.  Kernels for any
    type, blocks and the graph's results get what the model declares, but views take what is there.
    One cast per value and type, right behind what writes the value; a constant becomes a new constant.
    """

    name: ClassVar[str] = "type_precision_cast_pass"
    after: ClassVar[tuple[str, ...]] = ("static_kernel_pick_pass", "variable_place_inference_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Walks the nodes in order, so that casts see the types that earlier ones made."""
        casts = _PrecisionCasts(graph)
        for node in graph:
            if node.op not in CALIBS:
                casts.convert(node)
        casts.set_results([casts.of_type(value, casts.declared.get(value)) for value in graph.results])
        return Outcome.of(casts.finish())


class _PrecisionCasts(CastInsertion):
    """`declared` are the types that values had before this pass."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        values = [*graph.args, *(value for node in graph for value in node.all_outputs())]
        self.declared = {value: value.dtype for value in values}

    def convert(self, node: Node) -> None:
        """Let a node read what its kernel takes, and its outputs have the types that follow."""
        target = HOST if node.place is None else node.place.target
        for slot, values in list(node.inputs.items()):
            found = [self.of_type(value, self._wanted(node, value), target) for value in values]
            self.read(node, slot, found)
        if _keeps_type(node) or _declared_type(node) is not None:
            self._retype(node)

    def of_type(self, value: Value, dtype: DType | None, target: str = HOST) -> Value:
        """The value in this type, for a reader on `target`; itself where it is, or has no type to cast."""
        stored = _stored(value)
        if dtype is None or stored is None or dtype is stored or value.kind is not VarKind.TENSOR:
            return value
        producer = value.producer
        if producer is not None and producer.op in CALIBS and _stored(producer.input("X")) is dtype:
            return producer.input("X")
        found = self.found(value, dtype)
        return found if found is not None else self.enter(value, dtype, self._cast(value, dtype, target))

    def _cast(self, value: Value, dtype: DType, target: str) -> Value:
        attrs = _cast_attributes(value, dtype)
        if value.is_constant:
            cast = self.constant(value, "calib_once", attrs, str(dtype))
        else:
            cast = self.insert(value, "calib", attrs, (target_of(value), target, HOST), str(dtype))
        if dtype.is_float:
            cast.quant = None
        _set_type(cast, dtype)
        return cast

    def _wanted(self, node: Node, value: Value) -> DType | None:
        """The type a node wants a value in; None for as it is."""
        stored, own = _stored(value), _declared_type(node)
        if own is None:
            return None if _keeps_type(node) else self.declared.get(value)
        is_real = stored is not None and stored.is_float
        if own.is_float:
            return own if is_real or (value.quant is not None and value.quant.storage is stored) else None
        return own if is_real and value.quant is not None and value.quant.storage is own else None

    def _retype(self, node: Node) -> None:
        inputs = [value for value in node.all_inputs() if value.dtype is not None]
        if all(self.declared.get(value, value.dtype) is value.dtype for value in inputs) and not any(
            value.dtype is not before for value, before in self._originals(node)
        ):
            return
