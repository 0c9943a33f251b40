"""Ops that read and write by index, sorted elements, and one-hot vectors."""

from __future__ import annotations

import numpy as np

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.tflite.graph_writer import GraphWriter, Names
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.translations import tflite_op


@tflite_op("GATHER")
def gather(node: TfliteNode, writer: GraphWriter) -> None:
    """`take` along an axis, or with `batch_dims` shared leading axes `gather_nd` between transposes."""
    source, index = node.input(0), node.input(1)
    axis, batch = source.axis(node.integer("axis")), node.integer("batch_dims")
    batch += index.rank if batch < 0 else 0
    if not 0 <= batch <= min(axis, index.rank):
        raise ModelParseError(f"option batch_dims: expected 0 to {min(axis, index.rank)}, got {batch}")
    if not batch:
        writer.move(node, "take", {"axis": axis}, others={"Index": writer.name(index)})
        return
    (name,), is_stored = writer.moved(node, [source])
    order = [*range(batch), axis, *(n for n in range(batch, source.rank) if n != axis)]
    if axis > batch:
        name = writer.unary("transpose2", name, {"axis": order})
    inputs = {"X": name, "Index": writer.unary("unsqueeze2", writer.name(index), {"axes": [-1]})}
    if axis == batch:
        writer.write(node, "gather_nd", inputs, {"batch_dims": batch}, is_stored=is_stored)
        return
    found = writer.new_name(name)
    writer.emit("gather_nd", inputs, {"Out": found}, {"batch_dims": batch})
    # The axes between the batch and `axis` come after those of the index, and go back before them.
    between = range(index.rank, index.rank + axis - batch)
    after = range(between.stop, source.rank - 1 + index.rank - batch)
    back = [*range(batch), *between, *range(batch, index.rank), *after]
    writer.write(node, "transpose2", {"X": found}, {"axis": back}, is_stored=is_stored)


@tflite_op("GATHER_ND")
def gather_nd(node: TfliteNode, writer: GraphWriter) -> None:
    """`gather_nd`."""
    writer.move(node, "gather_nd", others={"Index": writer.name(node.input(1))})


@tflite_op("EMBEDDING_LOOKUP")
def embedding_lookup(node: TfliteNode, writer: GraphWriter) -> None:
    """`take` of rows; the indices come first."""
    inputs = {"X": writer.real(node.input(1)), "Index": writer.name(node.input(0))}
    writer.write(node, "take", inputs, {"axis": 0})


@tflite_op("TOPK_V2")
def topk(node: TfliteNode, writer: GraphWriter) -> None:
    """`top_k_v2` along the last axis; the count may be computed, and positions are int32."""
    count = node.input(1)
    (source,), is_stored = writer.moved(node, [node.input(0)])
    values, positions = (writer.new_name(output.name) for output in node.outputs)
    inputs: dict[str, Names] = {"X": source, "K": None if count.elements is not None else writer.name(count)}
    attrs: dict[str, AttrValue] = {"axis": -1}
    if count.elements is not None:
        (attrs["k"],) = node.integers(1)
    writer.emit("top_k_v2", inputs, {"Out": values, "Indices": positions}, attrs)
    writer.write(node, "assign", {"X": values}, is_stored=is_stored)
    writer.write(node, "cast", {"X": positions}, {"out_dtype": node.output(1).dtype.code}, position=1)


@tflite_op("UNIQUE")
def unique(node: TfliteNode, writer: GraphWriter) -> None:
    """`unique_with_counts`: distinct elements of a vector in order, and the index of each element's."""
    source, index = node.input(0), node.output(1)
    values, counts = (writer.new_name(node.output().name) for _ in range(2))
    outputs = {"Out": values, "Index": index.name, "Count": counts}
    attrs: dict[str, AttrValue] = {"dtype": index.dtype.code}
    writer.emit("unique_with_counts", {"X": writer.name(source)}, outputs, attrs)
    writer.declare(index)
    writer.write(node, "assign", {"X": values}, is_stored=True)


@tflite_op("ONE_HOT")
def one_hot(node: TfliteNode, writer: GraphWriter) -> None:
    """`one_hot_values` of the off and the on value, in stored form.

    An index outside of 0 to depth - 1 gives off values only: `depth` replaces negative ones, which count from
    the end for `one_hot_values`.  The interpreter copies quantised values, whatever their scales are.
    """
    off, on = (node.input(position) for position in (3, 2))
    values = [writer.unary("reshape2", writer.name(tensor), {"shape": [1]}) for tensor in (off, on)]
    joined = writer.new_name(node.output().name)
    writer.emit("concat", {"X": values}, {"Out": joined}, {"axis": 0})
    (depth,) = node.integers(1)
    index = node.input(0)
    zero = writer.weight("zero", np.zeros(1, index.dtype.numpy))
    inputs = {
        "Condition": writer.binary("less_than", writer.name(index), zero),
        "X": writer.weight("depth", np.array([depth], index.dtype.numpy)),
        "Y": index.name,
    }
    places = writer.new_name(index.name)
    writer.emit("where", inputs, {"Out": places})
    attrs: dict[str, AttrValue] = {"depth": depth, "axis": node.integer("axis")}
    writer.write(node, "one_hot_values", {"X": places, "Values": joined}, attrs, is_stored=True)


@tflite_op("WHERE")
def where(node: TfliteNode, writer: GraphWriter) -> None:
    """`where_index`: the positions of true elements."""
    writer.write(node, "where_index", {"Condition": writer.name(node.input(0))})
