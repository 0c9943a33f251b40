"""Fuses layer_norm of a sum of embeddings."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.norm.skip_layernorm_fuse_pass import is_bare
from lite.passes.match import attributes, become, is_plain_float, sole_producer
from lite.passes.registry import register_pass


@register_pass
class EmbeddingEltwiseLayernormFusePass(Pass):
    """Replaces a layer_norm, the sums before it and the lookups that they add by one op::

    %a = lookup_table_v2(Ids=%i, W=%u)
    %b = lookup_table_v2(Ids=%j, W=%v)              ->  %y = fused_embedding_eltwise_layernorm(
    %s = elementwise_add(X=%a, Y=%b)                        Ids=[%i, %j], Embs=[%u, %v], Scale=%w, Bias=%b)
    Y=%y = layer_norm(X=%s, Scale=%w, Bias=%b)
    """

    name: ClassVar[str] = "embedding_eltwise_layernorm_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("lookup_table_v2",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "layer_norm_fuse_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Lookups with a padding index, and results with other readers, stay."""
        changes = [_fuse(node) for node in graph if node.op == "layer_norm"]
        return Outcome.of(any(changes))


def _fuse(norm: Node) -> bool:
    lookups = _lookups(norm.input("X")) if is_bare(norm) else []
    shape = norm.output("Y").shape
    if len(lookups) < 2 or shape is None or attributes(norm)["begin_norm_axis"] != len(shape) - 1:
        return False
    tables = [lookup.input("W") for lookup in lookups]
    if len({table.dtype for table in tables}) > 1 or not is_plain_float(*tables):
        return False
    inputs = {"Ids": [lookup.input("Ids") for lookup in lookups], "Embs": tables}
    kept = {slot: values for slot, values in norm.inputs.items() if slot != "X"}
    attrs = {"epsilon": attributes(norm)["epsilon"]}
    become(norm, "fused_embedding_eltwise_layernorm", {**inputs, **kept}, attrs)
    return True


def _lookups(value: Value) -> list[Node]:
    """The lookups whose sum is `value`, in their order; an empty list for any other value."""
    found: list[Node] = []
    pending = [value]
    while pending:
        current = pending.pop()
        lookup = sole_producer(current, ("lookup_table_v2",))
        add = sole_producer(current, ("elementwise_add",))
        if lookup is not None and attributes(lookup)["padding_idx"] == -1 and _rank(lookup.input("Ids")) > 0:
            found.append(lookup)
        elif add is not None and attributes(add)["axis"] == -1 and is_plain_float(*add.all_inputs()):
            pending += [add.input("Y"), add.input("X")]
        else:
            return []
    return found


def _rank(value: Value) -> int:
    return -1 if value.shape is None else len(value.shape)
