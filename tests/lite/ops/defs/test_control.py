"""Control flow and ops that pass tensor arrays on."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.program import AttrValue
from lite.ir.types import DType, Shape
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


@pytest.mark.parametrize(
    ("shape", "split", "attrs", "parts"),
    [
        ((2, 5), [1, 4], {"axis": 1}, ((2, 1), (2, 4))),
        ((5, "n"), 2, {"axis": -2}, ((2, "n"), (2, "n"), (1, "n"))),
        ((2, 3), None, {"axis": 0}, ((1, 3), (1, 3))),
        ((2, 3), None, {"axis": 0, "keepdims": 0}, ((3,), (3,))),
        ((2, 5), [1, 3], {"axis": 1}, None),
        ((2, "n"), [1, 4], {"axis": 1}, None),
        ((2, 5), 0, {"axis": 1}, None),
        ((65, 5), 1, {"axis": 0}, None),
        (None, [1, 4], {"axis": 1}, None),
    ],
)
def test_elements_of_a_divided_tensor_have_its_shapes(
    shape: Shape | None, split: list[int] | int | None, attrs: dict[str, AttrValue], parts: object
) -> None:
    inputs = {"X": [Meta(DType.INT32, shape)]}
    if split is not None:
        inputs["Split"] = [Meta.of(np.array(split))]
    schema = get_schema("split_to_array")

    found = infer(schema, inputs, schema.attr_values(attrs), {"Out": 1})["Out"]

    assert (found[0].is_array, found[0].dtype, found[0].parts) == (True, DType.INT32, parts)


@pytest.mark.parametrize(("position", "shape"), [(0, (2,)), (1, (3,)), (-1, (3,)), (2, None), (None, None)])
def test_an_element_has_the_shape_of_its_place(position: int | None, shape: Shape | None) -> None:
    array = Meta(DType.FLOAT32, None, is_array=True, parts=((2,), (3,)))
    at = Meta(DType.INT64, ()) if position is None else Meta.of(np.array(position))

    found = infer(get_schema("array_element"), {"X": [array], "Position": [at]}, {}, {"Out": 1})["Out"]

    assert found[0].shape == shape


def test_a_tensor_array_of_values_has_their_shapes() -> None:
    schema, values = get_schema("make_array"), [Meta(DType.FLOAT32, (2,)), Meta(DType.FLOAT32, ())]
    attrs = schema.attr_values({})

    assert infer(schema, {"X": values}, attrs, {"Out": 1})["Out"][0].parts == ((2,), ())
    values.append(Meta(DType.FLOAT32, None))
    assert infer(schema, {"X": values}, attrs, {"Out": 1})["Out"][0].parts is None


@pytest.mark.parametrize("op", ["while", "conditional_block", "conditional_block_infer"])
def test_outputs_of_control_flow_are_unknown_before_the_blocks_run(op: str) -> None:
    assert SCHEMAS[op].control_flow
    slot = "Condition" if op == "while" else "Cond"
    schema = get_schema(op)
    assert (
        infer(schema, {slot: [Meta(DType.BOOL, (1,))]}, schema.attr_values({"carried": 1}), {"Out": 2}) == {}
    )
