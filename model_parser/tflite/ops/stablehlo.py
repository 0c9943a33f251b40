"""Ops of StableHLO that the interpreter runs."""

from __future__ import annotations

import math

import numpy as np

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.subgraph import Subgraph
from lite.model_parser.tflite.translations import tflite_op

_STARTS = {"MAXIMUM": -math.inf, "ADD": 0.0}
"""Op of a reduction → what it begins with."""


@tflite_op("STABLEHLO_COMPOSITE")
def composite(node: TfliteNode, writer: GraphWriter) -> None:
    """The ops of the subgraph that the composite stands for, which the interpreter runs, too."""
    body = Subgraph(node.model, node.integer("decomposition"), writer)
    body.read_inputs([writer.name(node.input(position)) for position in range(len(node.inputs))])
    body.write_operators()
    for result, output in zip(body.results(len(node.outputs)), node.outputs, strict=True):
        writer.emit("assign", {"X": result}, {"Out": output.name})
        writer.declare(output)


@tflite_op("STABLEHLO_REDUCE_WINDOW")
def reduce_window(node: TfliteNode, writer: GraphWriter) -> None:
    """`pool_nd` over all axes, for maxima from minus infinity and sums from 0."""
    source, rank = node.input(0), node.input(0).rank
    kind, start = node.model.only_op(node.integer("body")), node.constant(1)
    if _STARTS.get(kind) != start.tolist() or source.quantisation is not None:
        raise ModelParseError(f"expected maxima from -inf or sums from 0, got {kind} from {start}")
    size, strides, dilations = (node.integer_list(name) for name in ("size", "strides", "dilations"))
    base, paddings = node.integer_list("base_dilations"), node.integer_list("paddings")
    lengths = [len(numbers) for numbers in (size, strides, dilations)]
    if lengths != [rank] * 3 or len(paddings) != 2 * rank or any(step != 1 for step in base):
        raise ModelParseError(
            f"expected {rank} sizes, strides and dilations, {2 * rank} paddings and an input that is not "
            f"dilated, got {size}, {strides}, {dilations}, {paddings} and {base}"
        )
    attrs: dict[str, AttrValue] = {
        "pooling_type": "max" if kind == "MAXIMUM" else "avg",
        "ksize": size,
        "strides": strides,
        "dilations": dilations,
        "paddings": paddings,
        "exclusive": False,
    }
    name = writer.unary("unsqueeze2", writer.real(source), {"axes": [0, 1]})
    name = writer.unary("pool_nd", name, attrs)
    if kind == "ADD":
        count = writer.weight("count", np.array(math.prod(size), np.float32))
        name = writer.binary("elementwise_mul", name, count)
    writer.write(node, "squeeze2", {"X": name}, {"axes": [0, 1]})
