"""Regions as messages: the graph as text, with its constants in shared memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lite.errors import CompileError
from lite.ir.clone import clone_graph
from lite.ir.graph import Graph, Value
from lite.ir.text import parse_graph, print_graph
from lite.ir.types import Array, DType
from lite.ops.view import Meta
from lite.plugin.device import Signature
from lite.runtime.isolation.channel import Message, Parcel, message_spec, spec_message
from lite.runtime.isolation.segment import Segment


def pack_region(graph: Graph, signature: Signature) -> Parcel:
    """The parcel of a region and its signature.

    Raises `CompileError` for constants of strings, and `OSError` when there is not enough shared memory.
    """
    copy = clone_graph(graph)
    arrays: list[Array] = []
    for value in _constants(copy):
        assert value.data is not None
        arrays.append(value.data)
        # In the text, the constant has its type, but a number in place of its elements.
        value.data = np.array([len(arrays) - 1])
    arrays += [meta.value for meta in signature if meta.value is not None]
    if any(array.dtype.kind in "OUS" for array in arrays):
        raise CompileError("constants of strings cannot be sent to the device's process")
    segment, specs = Segment.holding(arrays)
    message = {
        "graph": print_graph(copy),
        "arrays": [spec_message(spec) for spec in specs],
        "signature": [_meta_message(meta) for meta in signature],
    }
    return Parcel(message, segment)


def unpack_region(parcel: Parcel) -> tuple[Graph, Signature]:
    """The region and signature of a parcel; constants are read-only arrays in shared memory."""
    arrays = [parcel.contents.array(message_spec(spec)) for spec in parcel.message["arrays"]]
    graph = parse_graph(parcel.message["graph"])
    constants = list(_constants(graph))
    for value, array in zip(constants, arrays, strict=False):
        value.data = array
    values = iter(arrays[len(constants) :])
    return graph, tuple(_meta(message, values) for message in parcel.message["signature"])


def _constants(graph: Graph) -> Iterator[Value]:
    for inner in graph.walk(regions=True):
        yield from inner.constants.values()


def _meta_message(meta: Meta) -> Message:
    return {
        "dtype": str(meta.dtype),
        "shape": None if meta.shape is None else [d if isinstance(d, str) else int(d) for d in meta.shape],
        "lod": meta.lod,
        "is_array": meta.is_array,
        "has_value": meta.value is not None,
    }


def _meta(message: Message, values: Iterator[Array]) -> Meta:
    shape = message["shape"]
    return Meta(
        DType.from_name(message["dtype"]),
        None if shape is None else tuple(shape),
        next(values) if message["has_value"] else None,
        tuple(tuple(level) for level in message["lod"]),
        message["is_array"],
    )
