"""Attributes of an op with the schema's defaults filled in."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from lite.ir.program import AttrType, AttrValue
from lite.ops.schema import Attr, OpSchema, choice, floats, ints, number

SCHEMA = OpSchema(
    "sample",
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


def test_nothing_given() -> None:
    assert SCHEMA.attr_values({}) == DEFAULTS


@pytest.mark.parametrize(
    ("name", "given", "expected"),
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
def test_given_ones_are_of_the_type_that_is_declared(
    name: str, given: AttrValue, expected: AttrValue
) -> None:
    found = SCHEMA.attr_values({name: given, "unknown": 1})

    assert repr(found) == repr({**DEFAULTS, name: expected})


def test_a_given_list_is_copied() -> None:
    given: list[int] = [3, 4]

    found = SCHEMA.attr_values({"sizes": given})["sizes"]
    given.append(5)

    assert found == [3, 4]


@pytest.mark.parametrize(
    ("name", "given"),
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
def test_what_does_not_fit_is_refused(name: str, given: AttrValue) -> None:
    with pytest.raises(GraphError, match=f"^sample: attribute {name}: expected "):
        SCHEMA.attr_values({name: given})


def test_what_is_missing_is_refused() -> None:
    schema = OpSchema("sample", {}, {}, {"axis": Attr(AttrType.INT, None)}, lambda op: op["X"])

    assert schema.attr_values({"axis": 0}) == {"axis": 0}
    with pytest.raises(GraphError, match=r"^sample: attribute axis is missing and has no default$"):
        schema.attr_values({})
