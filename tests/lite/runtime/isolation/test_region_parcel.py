"""Parcels of regions: unpacking gives an equal region."""

from __future__ import annotations

import socket

import ml_dtypes
import numpy as np
import pytest

from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.ir.text import parse_graph, print_graph
from lite.ir.types import DType
from lite.ops.view import Meta
from lite.plugin.device import Signature, meta_of
from lite.runtime.isolation.channel import Channel
from lite.runtime.isolation.region_parcel import pack_region, unpack_region

TEXT = """
graph region(%x: float32[2,n], %"odd, name": bfloat16[?]) {
  %w = const float32[2,3] [1.0, nan, -0.0, inf, 1e-45, 0.1]
  %big = const float32[100] random(7)
  %twin = const float32[100] random(7)
  %none = const int64[0,4] []
  %one = const bool[] [true] : bool[] quant([0.5], [3], -1, int8)
  Out=%y, Other=[%p, %q#3] = op(X=%x, Y=[%w, %w], Z=%big)
    {a=1, b=1.0, c=-0.0, d="ü\\n", e=[1, 2], f=true}
    @host/float32/nchw : float32[2,n], float32[*], int8[2] lod 1
  %r = other(X=[%y, %twin, %none, %one]) effect
    graph inner(%i: float32[2]) {
      %c = const float16[2] [1.0, 2.0]
      %o = op(X=%i, Y=%c)
      return %o
    }
  return result=%y, %r, %x
}
"""


def sent(graph: Graph, signature: Signature = ()) -> tuple[Graph, Signature]:
    """A region packed, sent through a channel, and unpacked."""
    first, second = map(Channel, socket.socketpair())
    parcel = pack_region(graph, signature)
    first.send(parcel.message, parcel.segment)
    received = second.receive()
    first.close()
    second.close()
    assert received is not None
    return unpack_region(received)


def test_a_region_is_unpacked_unchanged() -> None:
    graph = parse_graph(TEXT)
    before = print_graph(graph)
    unpacked, _ = sent(graph)
    assert print_graph(unpacked) == before
    assert print_graph(graph) == before
    for inner, arrived in zip(graph.walk(), unpacked.walk(), strict=True):
        for value, copy in zip(inner.constants.values(), arrived.constants.values(), strict=True):
            assert value.data is not None
            assert copy.data is not None
            assert (copy.data.dtype, copy.data.shape) == (value.data.dtype, value.data.shape)
            assert copy.data.tobytes() == value.data.tobytes()
            assert not copy.data.flags.writeable
            assert (copy.dtype, copy.shape) == (value.dtype, value.shape)


@pytest.mark.parametrize(
    "array",
    [
        np.array(3.5),
        np.arange(7, dtype=ml_dtypes.bfloat16),
        np.array([1 + 2j, np.nan]),
        np.asfortranarray(np.arange(600).reshape(20, 30)),
        np.zeros((3, 0)),
    ],
)
def test_constants_of_any_dtype_and_layout_are_unpacked(
    array: np.ndarray[tuple[int, ...], np.dtype[np.generic]],
) -> None:
    graph = Graph()
    graph.set_results([graph.add_constant("c", array)], ["c"])
    (constant,) = sent(graph)[0].constants.values()
    assert constant.data is not None
    assert (constant.data.dtype, constant.data.shape) == (array.dtype, array.shape)
    assert constant.data.tobytes() == array.tobytes()


def test_the_signature_is_unpacked_with_elements_and_lods() -> None:
    metas = (
        Meta(DType.FLOAT32, (2, "n", "?")),
        Meta(DType.BFLOAT16, None, is_array=True),
        Meta(DType.INT64, (3,), np.array([1, 2, 3])),
        Meta(DType.INT8, (), lod=((0, 2), (0, 1, 2))),
        Meta(DType.BOOL, (np.int64(2),), np.array([True, False])),  # type: ignore[arg-type]
    )
    graph = parse_graph(
        "graph r(%x: float32[1]) { %w = const float32[2] [5.0, 6.0] %y = op(X=%x, Y=%w) return %y }"
    )
    unpacked, signature = sent(graph, metas)
    for meta, copy in zip(metas, signature, strict=True):
        assert (copy.dtype, copy.shape, copy.lod, copy.is_array) == (
            meta.dtype,
            meta.shape,
            meta.lod,
            meta.is_array,
        )
        assert (copy.value is None) == (meta.value is None)
        np.testing.assert_array_equal(copy.value, meta.value)
    assert unpacked.constants["w"].data is not None
    assert unpacked.constants["w"].data.tolist() == [5.0, 6.0]


def test_a_region_without_constants_is_unpacked() -> None:
    graph = parse_graph("graph r(%x: float32[1]) { %y = relu(X=%x) return %y }")
    unpacked, signature = sent(graph, (meta_of(graph.args[0]),))
    assert print_graph(unpacked) == print_graph(graph)
    assert [str(meta) for meta in signature] == ["float32[1]"]


def test_constants_of_strings_are_refused() -> None:
    graph = parse_graph('graph r() { %w = const string[1] ["a"] return %w }')
    with pytest.raises(CompileError, match="constants of strings cannot be sent"):
        pack_region(graph, ())
