"""Element types and shapes."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import GraphError
from lite.ir.graph import Graph
from lite.ir.text import parse_graph, print_graph
from lite.ir.types import UNKNOWN, DType, Shape, shape_fits
from lite.ops.slots import KINDS


@pytest.mark.parametrize("dtype", DType, ids=str)
def test_every_type_is_found_by_code_name_and_numpy_dtype(dtype: DType) -> None:
    assert DType.from_code(dtype.code) is dtype
    assert DType.from_name(dtype.label) is dtype
    assert DType.from_numpy(dtype.numpy) is dtype


@pytest.mark.parametrize("array", [["a"], ["ab", "c"], [b"a"], [None]], ids=str)
def test_strings_of_any_length_are_one_type(array: list[object]) -> None:
    assert DType.from_numpy(np.array(array).dtype) is DType.STRING


def test_byte_order_does_not_matter() -> None:
    assert [DType.from_numpy(np.dtype(text)) for text in ("<i4", ">i4", "<i4")] == [DType.INT32] * 3


@pytest.mark.parametrize("dtype", [dtype for dtype in DType if not dtype.in_paddle], ids=str)
def test_types_that_paddle_lacks_are_of_kind_any_only(dtype: DType) -> None:
    assert dtype.itemsize == 1
    assert [kind for kind, dtypes in KINDS.items() if dtype in dtypes] == ["any"]


@pytest.mark.parametrize(
    ("label", "real", "whole"),
    [("float16", True, False), ("float8_e5m2", True, False), ("uint64", False, True), ("bool", False, False)],
)
def test_types_are_float_integer_or_neither(label: str, real: bool, whole: bool) -> None:
    dtype = DType.from_name(label)

    assert dtype.in_paddle
    assert (dtype.is_float, dtype.is_integer) == (real, whole)


@pytest.mark.parametrize("dtype", [dtype for dtype in DType if dtype is not DType.STRING], ids=str)
def test_constants_of_every_type_survive_the_round_trip(dtype: DType) -> None:
    graph = Graph()
    constant = graph.add_constant("w", np.array([1, 0, 1]).astype(dtype.numpy))
    node = graph.add_node("cast", {"X": [constant]}, {"Out": ["y"]}, {"out_dtype": 5})
    graph.set_results([node.output()], ["y"])

    text = print_graph(graph)

    assert str(dtype) in text
    assert print_graph(parse_graph(text)) == text


@pytest.mark.parametrize(
    ("shape", "sizes", "fits"),
    [
        ((2, 3), (2, 3), True),
        ((2, 3), (2, 4), False),
        ((2, "n", UNKNOWN), (2, 7, 0), True),
        (("n",), (1, 1), False),
        ((), (), True),
        ((), (1,), False),
        (None, (5,), True),
        ((5,), None, True),
    ],
)
def test_shape_fits_accepts_the_sizes_that_a_shape_allows(
    shape: Shape | None, sizes: Shape | None, fits: bool
) -> None:
    assert shape_fits(shape, sizes) is fits


def test_unknown_types_are_errors() -> None:
    with pytest.raises(GraphError, match="4711 is not the number of an element type"):
        DType.from_code(4711)
    with pytest.raises(GraphError, match=r"no element type is called 'int5'; did you mean .*'int4'"):
        DType.from_name("int5")
    with pytest.raises(GraphError, match="numpy dtype datetime64 is not an element type"):
        DType.from_numpy(np.dtype("datetime64"))
