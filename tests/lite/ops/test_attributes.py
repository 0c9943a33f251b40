"""Attributes of an op with the schema's defaults filled in."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from lite.ir.program import AttrType, AttrValue
from lite.ops.attrs import Attr, choice, floats, ints, number
from lite.ops.schema import OpSchema

SCHEMA = OpSchema(
    "sample",
    "A sample.",
    {},
    {},
    {
        "axis": Attr(AttrType.INT, -1),
        "flag": Attr(AttrType.BOOLEAN, False),
        "alpha": Attr(AttrType.FLOAT, 0.5),
        "name": Attr(AttrType.STRING, ""),
        "sizes": ints(1, 2),
        "scales": floats(),
        "mode": choice("a", "b"),
        "rate": number(0.5, 0.0, 1.0),
    },
    lambda op: op["X"],
)

DEFAULTS: dict[str, AttrValue] = {
    "axis": -1,
    "flag": False,
    "alpha": 0.5,
    "name": "",
    "sizes": [1, 2],
    "scales": [],
    "mode": "a",
    "rate": 0.5,
}


def test_missing_attributes_have_their_defaults() -> None:
    assert SCHEMA.attr_values({}) == DEFAULTS


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("axis", 3, 3),
        ("axis", True, 1),
        ("axis", 2.0, 2),
        ("flag", 1, True),
        ("alpha", 2, 2.0),
        ("alpha", 0.25, 0.25),
        ("name", "x", "x"),
        ("sizes", [3, 4], [3, 4]),
        ("sizes", [], []),
        ("sizes", [True, 2.0], [1, 2]),
        ("sizes", 7, [7]),
        ("scales", [1, 0.5], [1.0, 0.5]),
        ("mode", "b", "b"),
        ("rate", 1, 1.0),
    ],
)
def test_values_are_converted_to_the_declared_type(name: str, value: AttrValue, expected: AttrValue) -> None:
    converted = SCHEMA.attr_values({name: value, "unknown": 1})

    assert repr(converted) == repr({**DEFAULTS, name: expected})


def test_a_value_list_is_copied() -> None:
    value: list[int] = [3, 4]

    converted = SCHEMA.attr_values({"sizes": value})["sizes"]
    value.append(5)

    assert converted == [3, 4]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("axis", "1"),
        ("axis", [1]),
        ("axis", []),
        ("flag", "yes"),
        ("name", 1),
        ("name", []),
        ("sizes", ["1"]),
        ("sizes", [1.5]),
        ("mode", "c"),
        ("rate", 1.5),
    ],
)
def test_a_value_of_another_type_is_refused(name: str, value: AttrValue) -> None:
    with pytest.raises(GraphError, match=f"^sample: attribute {name}: expected "):
        SCHEMA.attr_values({name: value})


def test_a_missing_attribute_without_default_is_refused() -> None:
    schema = OpSchema("sample", "A sample.", {}, {}, {"axis": Attr(AttrType.INT, None)}, lambda op: op["X"])

    assert schema.attr_values({"axis": 0}) == {"axis": 0}
    with pytest.raises(GraphError, match=r"^sample: attribute axis is missing and has no default$"):
        schema.attr_values({})


def test_numbers_encode_flags_and_leave_other_attributes_out() -> None:
    assert SCHEMA.numbers({"flag": True}) == [-1.0, 1.0, 0.5, 0.5]


def test_more_numbers_than_attributes_are_refused() -> None:
    schema = OpSchema("sample", "A sample.", {}, {}, {"alpha": number(0.5)}, lambda op: op["X"])

    assert schema.from_numbers([2.0]) == {"alpha": 2.0}
    with pytest.raises(GraphError, match=r"sample: expected at most 1 numbers, for \['alpha'\], got"):
        schema.from_numbers([1.0, 2.0])
