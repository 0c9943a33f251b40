"""Shape rules of the ops that create or pass on tensors, and of tensor arrays and control flow."""

import numpy as np
import pytest

from lite.ir.program import AttrValue
from lite.ops import Meta, get_schema, infer
from tests.lite.ops.inferred import inferred, meta

Inputs = dict[str, str | list[str]]


@pytest.mark.parametrize(
    ("op", "inputs", "attrs", "wanted"),
    [
        ("fill_constant", {}, {"shape": [2, 3], "dtype": 3}, "int64[2,3]"),
        ("fill_constant", {}, {"shape": [-1, 3]}, "float32[?,3]"),
        ("fill_constant", {"ShapeTensor": "int32[2]"}, {"shape": [1]}, "float32[?,?]"),
        ("fill_constant", {"ShapeTensor": "int32[k]"}, {}, "float32[*]"),
        ("fill_constant", {"ShapeTensorList": ["int32[1]=4", "int32[1]"]}, {}, "float32[4,?]"),
        ("gaussian_random", {"ShapeTensor": "int64[2]=3,4"}, {"dtype": 6}, "float64[3,4]"),
        ("empty", {}, {"shape": [], "dtype": 0}, "bool[]"),
        ("range", {"Start": "int64[1]=1", "End": "int64[1]=8", "Step": "int64[]=3"}, {}, "int64[3]"),
        (
            "range",
            {"Start": "float32[1]=0", "End": "float32[1]=1", "Step": "float32[1]=0.25"},
            {},
            "float32[4]",
        ),
        ("range", {"Start": "int64[1]=1", "End": "int64[1]", "Step": "int64[1]=3"}, {}, "int64[?]"),
        (
            "linspace",
            {"Start": "float32[1]", "Stop": "float32[1]", "Num": "int32[1]=7"},
            {"dtype": 5},
            "float32[7]",
        ),
        ("fill_any_like", {"X": "float32[n,2]"}, {"dtype": 3}, "int64[n,2]"),
        (
            "fill_constant_batch_size_like",
            {"Input": "float32[n,2]"},
            {"shape": [-1, 4], "dtype": 2},
            "int32[n,4]",
        ),
        ("sampling_id", {"X": "float32[n,5]"}, {}, "int64[n]"),
        ("shape", {"Input": "float32[n,2]"}, {}, "int32[2]"),
        ("is_empty", {"X": "float32[*]"}, {}, "bool[]"),
        ("assign", {"X": "float32[n]"}, {}, "float32[n]"),
        ("select_input", {"X": ["float32[2,n]", "float32[2,m]"], "Mask": "int32[1]"}, {}, "float32[2,?]"),
        ("select_input", {"X": ["float32[2]", "float32[2,3]"], "Mask": "int32[1]"}, {}, "float32[*]"),
        ("select_input", {"X": ["float32[2]", "int64[2,3]"], "Mask": "int32[1]=1"}, {}, "int64[2,3]"),
        ("write_to_array", {"X": "int64[2]", "I": "int64[1]"}, {}, "int64[*]"),
        ("read_from_array", {"X": "int64[*]", "I": "int64[1]"}, {}, "int64[*]"),
        ("lod_array_length", {"X": "float32[*]"}, {}, "int64[1]"),
    ],
)
def test_symbolic_sizes(op: str, inputs: Inputs, attrs: dict[str, AttrValue], wanted: str) -> None:
    assert inferred(op, inputs, attrs) == wanted


def value_of(op: str, slot: str, given: Meta) -> np.ndarray | None:
    return infer(get_schema(op), {slot: [given]}, {}, {"Out": 1})["Out"][0].value


def test_elements_that_follow_from_a_shape_are_known() -> None:
    known = value_of("shape", "Input", meta("float32[2,0,3]"))
    assert known is not None
    assert (str(known.dtype), known.tolist()) == ("int32", [2, 0, 3])
    assert value_of("shape", "Input", meta("float32[n]")) is None
    assert bool(value_of("is_empty", "X", meta("float32[0,n]")))
    assert value_of("is_empty", "X", meta("float32[2,n]")) is None
    passed = value_of("assign", "X", meta("int32[2]=4,5"))
    assert passed is not None
    assert passed.tolist() == [4, 5]
