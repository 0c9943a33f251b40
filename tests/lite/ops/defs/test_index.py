"""Shapes of ops that read and write by index, with symbolic sizes."""

from __future__ import annotations

import pytest

from lite.ir.program import AttrValue
from tests.lite.ops.inferred import inferred


@pytest.mark.parametrize(
    ("op", "inputs", "attrs", "expected"),
    [
        ("take", {"X": "float32[n,3]", "Index": "int64[m,2]"}, {"axis": 1}, "float32[n,m,2]"),
        ("take", {"X": "float32[n,3]", "Index": "int64[*]"}, {}, "float32[*]"),
        ("take_along_axis", {"Input": "int8[n,3]", "Index": "int64[n,2]"}, {"Axis": 1}, "int8[n,2]"),
        (
            "put_along_axis",
            {"Input": "int8[n,3]", "Index": "int64[*]", "Value": "int8[*]"},
            {"Axis": 1},
            "int8[n,3]",
        ),
        (
            "scatter_nd_update",
            {"X": "bool[n,3]", "Index": "int64[m,1]", "Updates": "bool[m,3]"},
            {},
            "bool[n,3]",
        ),
        ("tensor_scatter", {"X": "float32[b,n,3]", "Updates": "float32[b,m,3]"}, {}, "float32[b,n,3]"),
        ("reverse_sequence", {"X": "float32[t,b]", "SequenceLens": "int64[b]"}, {}, "float32[t,b]"),
        ("compress", {"X": "float32[n,3]", "Condition": "bool[n]"}, {}, "float32[?,3]"),
        ("gather_nd", {"X": "float32[b,n,3]", "Index": "int64[b,m,1]"}, {"batch_dims": 1}, "float32[b,m,3]"),
    ],
)
def test_symbolic_sizes(op: str, inputs: dict[str, str], attrs: dict[str, AttrValue], expected: str) -> None:
    assert inferred(op, dict(inputs), attrs) == expected
