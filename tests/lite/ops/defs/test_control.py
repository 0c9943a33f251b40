"""Control flow and ops that pass tensor arrays on."""

from __future__ import annotations

import pytest

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.ops import SCHEMAS, Meta, get_schema, infer


def test_a_tensor_array_remains_one() -> None:
    array = Meta(DType.INT64, None, is_array=True)
    for op, slot, expected in (("assign", "X", True), ("flip", "X", True), ("slice", "Input", True)):
        schema = get_schema(op)
        attrs: dict[str, AttrValue] = {"axis": [0], "axes": [0], "starts": [0], "ends": [1]}
        found = infer(schema, {slot: [array]}, schema.attr_values(attrs), {"Out": 1})["Out"][0]
        assert (found.is_array, found.dtype) == (expected, DType.INT64)
    schema = get_schema("slice")
    attrs = {"axes": [0], "starts": [0], "ends": [1], "decrease_axis": [0]}
    assert not infer(schema, {"Input": [array]}, schema.attr_values(attrs), {"Out": 1})["Out"][0].is_array


@pytest.mark.parametrize("op", ["while", "conditional_block", "conditional_block_infer"])
def test_outputs_of_control_flow_are_unknown_before_the_blocks_run(op: str) -> None:
    assert SCHEMAS[op].control_flow
    slot = "Condition" if op == "while" else "Cond"
    schema = get_schema(op)
    assert (
        infer(schema, {slot: [Meta(DType.BOOL, (1,))]}, schema.attr_values({"carried": 1}), {"Out": 2}) == {}
    )
