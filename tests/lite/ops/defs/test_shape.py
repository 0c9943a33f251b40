"""Shape rules of the reshape family with symbolic sizes."""

import pytest

from lite.ir.program import AttrValue
from lite.ir.types import DType, Lod
from lite.ops import Meta, get_schema, infer
from tests.lite.ops.inferred import inferred

CASES: list[tuple[str, dict[str, str | list[str]], dict[str, AttrValue], str]] = [
    ("reshape2", {"X": "float32[n,3,4]"}, {"shape": [0, -1]}, "float32[n,12]"),
    ("reshape2", {"X": "float32[n,12]"}, {"shape": [-1, 3, 4]}, "float32[n,3,4]"),
    ("reshape2", {"X": "float32[n,12]"}, {"shape": [-1, 6]}, "float32[?,6]"),
    ("reshape2", {"X": "float32[n,12]"}, {"shape": [-1, 12]}, "float32[n,12]"),
    ("reshape2", {"X": "float32[?,h,12]"}, {"shape": [0, 0, 3, 4]}, "float32[?,h,3,4]"),
    ("reshape2", {"X": "float32[n,h,w]"}, {"shape": [0, -1]}, "float32[n,?]"),
    ("reshape2", {"X": "float32[*]"}, {"shape": [-1, 8]}, "float32[?,8]"),
    ("reshape2", {"X": "float32[2,6]", "Shape": "int32[3]"}, {"shape": [12]}, "float32[?,?,?]"),
    ("reshape2", {"X": "float32[2,6]", "Shape": "int32[r]"}, {"shape": [12]}, "float32[*]"),
    ("reshape2", {"X": "float32[2,6]", "Shape": "int32[2]=3,-1"}, {}, "float32[3,4]"),
    (
        "reshape2",
        {"X": "float32[2,6]", "ShapeTensor": ["int32[1]", "int32[1]=4", "int32[]=-1"]},
        {},
        "float32[?,4,?]",
    ),
    ("reshape", {"X": "float32[2,6]"}, {"shape": [12]}, "float32[12]"),
    ("squeeze2", {"X": "float32[n,1,8]"}, {"axes": [1]}, "float32[n,8]"),
    ("squeeze2", {"X": "float32[n,1,8]"}, {"axes": [0]}, "float32[*]"),
    ("squeeze2", {"X": "float32[n,1,8]"}, {}, "float32[*]"),
    ("unsqueeze2", {"X": "float32[n]"}, {"axes": [0, -1]}, "float32[1,n,1]"),
    ("unsqueeze2", {"X": "float32[n]", "AxesTensor": "int32[2]"}, {}, "float32[?,?,?]"),
    ("unsqueeze2", {"X": "float32[n]", "AxesTensorList": ["int32[1]=1"]}, {}, "float32[n,1]"),
    ("flatten2", {"X": "float32[n,3,4]"}, {"axis": 1}, "float32[n,12]"),
    ("flatten2", {"X": "float32[n,3,4]"}, {"axis": 0}, "float32[1,?]"),
    (
        "flatten_contiguous_range",
        {"X": "float32[n,3,h,w]"},
        {"start_axis": 2, "stop_axis": 3},
        "float32[n,3,?]",
    ),
    ("flatten_contiguous_range", {"X": "float32[*]"}, {}, "float32[*]"),
]


@pytest.mark.parametrize(("op", "inputs", "attrs", "wanted"), CASES)
def test_symbolic_sizes(
    op: str, inputs: dict[str, str | list[str]], attrs: dict[str, AttrValue], wanted: str
) -> None:
    assert inferred(op, inputs, attrs) == wanted


@pytest.mark.parametrize(("shape", "wanted"), [([0, -1], ((0, 2, 5),)), ([-1], ())])
def test_lod_is_kept_while_axis_0_is(shape: list[int], wanted: Lod) -> None:
    schema = get_schema("reshape2")
    x = Meta(DType.FLOAT32, (5, 2, 2), lod=((0, 2, 5),))
    found = infer(schema, {"X": [x]}, schema.attr_values({"shape": list(shape)}), {"Out": 1})
    assert found["Out"][0].lod == wanted
