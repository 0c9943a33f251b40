"""Fuses a product with a constant matrix, a bias and a relu into fc."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import Array
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes, is_plain_float, per_channel, sole_producer, take_output
from lite.passes.registry import register_pass


@register_pass
class FcFusePass(Pass):
    """Replaces mul or matmul_v2, elementwise_add and, if present, relu by one fc::

        %p = matmul_v2(X=%x, Y=%w)                   %y = fc(Input=%x, W=%w, Bias=%b)
        %s = elementwise_add(X=%p, Y=%b)        ->     {in_num_col_dims = 1, activation = "relu"}
        %y = relu(X=%s)

    The matrix must be constant and 2-D, and may be transposed; the bias has one number per column.  A
    quantized_fc or stored_fc without a bias takes one, too.
    """

    name: ClassVar[str] = "fc_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("matmul_v2", "mul", "quantized_fc", "stored_fc")
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """A product without a bias stays."""
        changes = [_fuse(graph, node) for node in graph if node.op == "elementwise_add"]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))


def _fuse(graph: Graph, add: Node) -> bool:
    x, y = add.input("X"), add.input("Y")
    value, constant = (x, y) if y.is_constant else (y, x)
    if _fuse_into_quantized(graph, add, value, constant):
        return True
    product = sole_producer(value, ("mul", "matmul_v2"))
    if product is None or constant.data is None:
        return False
    rows, matrix = product.input("X"), product.input("Y")
    if not is_plain_float(rows, matrix, value, constant, add.output("Out")):
        return False
    columns = _columns(product)
    weight = _weight(product)
    axis = attributes(add)["axis"]
    if columns is None or weight is None or not isinstance(axis, int):
        return False
    bias = per_channel(constant.data, weight.shape[1], columns + 1, columns, axis)
    if bias is None:
        return False
    _replace(graph, product, add, (columns, weight, bias, constant))
    return True


def _fuse_into_quantized(graph: Graph, add: Node, value: Value, constant: Value) -> bool:
    """Make the constant the bias of a quantized_fc or stored_fc, which has its weights already."""
    fc = sole_producer(value, ("quantized_fc", "stored_fc"))
    if fc is None or constant.data is None or "Bias" in fc.inputs or attributes(fc).text("activation"):
        return False
    axis, columns = attributes(add)["axis"], attributes(fc).integer("in_num_col_dims")
    weight = fc.input("W").data
    if not isinstance(axis, int) or weight is None or not is_plain_float(constant, value, add.output("Out")):
        return False
    bias = per_channel(constant.data, weight.shape[1], columns + 1, columns, axis)
    if bias is None:
        return False
    fc.set_input("Bias", [graph.add_constant(constant.name, np.ascontiguousarray(bias))])
    take_output(fc, "Out", add, "Out")
    return True


def _columns(product: Node) -> int | None:
    """The number of leading axes of X that are rows; None if it is unknown or X is transposed."""
    attrs = attributes(product)
    if product.op == "mul":
        rows = attrs["x_num_col_dims"]
        return rows if isinstance(rows, int) and attrs["y_num_col_dims"] == 1 else None
    shape = product.input("X").shape
    return None if attrs["trans_x"] or shape is None or len(shape) < 2 else len(shape) - 1


def _weight(product: Node) -> Array | None:
    """The matrix in the form of fc, or None if it is not constant."""
    matrix = product.input("Y").data
    if matrix is None or matrix.ndim != 2:
        return None
    transposed = product.op == "matmul_v2" and attributes(product)["trans_y"]
    return matrix.T if transposed else matrix


def _replace(graph: Graph, product: Node, add: Node, parts: tuple[int, Array, Array, Value]) -> None:
    columns, weight, bias, constant = parts
    matrix = product.input("Y")
    if weight is not matrix.data:
        matrix = graph.add_constant(matrix.name, weight)
    if constant.shape != bias.shape:
        constant = graph.add_constant(constant.name, np.ascontiguousarray(bias))
    inputs = {"Input": [product.input("X")], "W": [matrix], "Bias": [constant]}
    out = graph.new_value(product.output("Out").name, like=product.output("Out"))
    fc = graph.add_node("fc", inputs, {"Out": [out]}, {"in_num_col_dims": columns}, before=product)
    graph.replace_uses(product.output("Out"), out)
    graph.erase(product)
    take_output(fc, "Out", add, "Out")
    relu = fc.output("Out").only_user
    if relu is not None and relu.op == "relu" and is_plain_float(relu.output("Out")):
        fc.attrs["activation"] = "relu"
        take_output(fc, "Out", relu, "Out")
