"""Keeps the weights of products in the small type in which the model stores them."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from lite.ir.graph import Graph, Node
from lite.ir.types import DType
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.quantize.stored_integers import StoredWeights
from lite.passes.fuse.quantize.stored_weights import STORED, Product, product_of, stored_weights
from lite.passes.match import erase_unread
from lite.passes.registry import register_pass


@register_pass
class WeightStorageFusePass(Pass):
    """Replaces a product with weights that a cast or a dequantisation computes by one of stored weights::

        %f = cast(X=%w) : float32     (%w: float16)
        %y = matmul_v2(X=%x, Y=%f)                      ->  %y = stored_fc(Input=%x, W=%w)

    The kernel of the target cpu computes the same numbers a panel at a time, so that a float16 model takes
    half the memory, a model with int8 weights a quarter, and one with weights of 4 bits an eighth.  With a
    FLOAT16 place among the valid places, float32 weights are rounded to float16, too, except in strict
    precision; numbers beyond its range stay.
    """

    name: ClassVar[str] = "weight_storage_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("fc", "matmul_v2", "mul")
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "constant_fold_pass")
    targets: ClassVar[tuple[str, ...]] = ("cpu",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Visits every product."""
        halves = not ctx.strict and any(place.dtype is DType.FLOAT16 for place in ctx.valid_places)
        changed = False
        for node in graph:
            found = product_of(node)
            if found is None:
                continue
            make = stored_weights(found, strict=ctx.strict)
            weights = _halves(found, halves) if make is None else make()
            if weights is not None:
                _replace(graph, node, weights, found.rows)
                changed = True
        changed |= graph.drop_unused_constants()
        return Outcome.of(changed)


def _halves(product: Product, wanted: bool) -> StoredWeights | None:
    """float32 weights rounded to float16; None for numbers beyond its range."""
    value = product.weights
    if not wanted or value.data is None or value.data.dtype != np.float32 or value.data.size < STORED:
        return None
    if np.abs(value.data).max() > np.finfo(np.float16).max:
        return None
    halves = value.data.astype(np.float16)
    return StoredWeights(np.ascontiguousarray(halves.T) if product.is_transposed else halves)


def _replace(graph: Graph, node: Node, stored: StoredWeights, rows: int) -> None:
    before = list(node.all_inputs())
    x = node.input("Input" if node.op == "fc" else "X")
    name = node.input("W" if node.op == "fc" else "Y").name
    inputs = {"Input": [x], "W": [graph.add_constant(f"{name}_stored", stored.numbers)]}
    if stored.scale is not None:
        inputs["Scale"] = [graph.add_constant(f"{name}_scale", stored.scale)]
    if stored.zero_point is not None:
        inputs["ZeroPoint"] = [graph.add_constant(f"{name}_zero", stored.zero_point)]
    if "Bias" in node.inputs:
        inputs["Bias"] = node.inputs["Bias"]
    [value] = node.all_outputs()
    for slot in list(node.inputs):
        node.set_input(slot, ())
    for slot, values in inputs.items():
        node.set_input(slot, values)
    kept = ("activation", "activation_params") if node.op == "fc" else ()
    node.attrs = {"in_num_col_dims": rows} | {key: node.attrs[key] for key in kept if key in node.attrs}
    node.op, node.outputs = "stored_fc", {"Out": [value]}
    erase_unread(before)
