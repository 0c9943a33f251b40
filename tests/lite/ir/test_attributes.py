"""Attributes read with a type."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from lite.errors import GraphError
from lite.ir.attributes import Attributes, record_fields
from lite.ir.types import DType

ATTRS = Attributes(
    "op",
    {
        "axis": -1,
        "scale": 0.5,
        "flag": True,
        "mode": "max",
        "ints": [1, 2],
        "reals": [1, 0.5],
        "words": ["a", "b"],
        "dtype": 5,
        "same": -1,
    },
)


def test_values_have_the_type_of_their_reader() -> None:
    assert ATTRS.integer("axis") == -1
    assert ATTRS.integer("flag") == 1
    assert ATTRS.real("scale") == 0.5
    assert isinstance(ATTRS.real("axis"), float)
    assert ATTRS.flag("flag") is True
    assert ATTRS.flag("axis") is True
    assert ATTRS.text("mode") == "max"
    assert ATTRS.integers("ints") == [1, 2]
    assert ATTRS.reals("reals") == [1.0, 0.5]
    assert ATTRS.reals("scale") == [0.5]
    assert ATTRS.strings("words") == ["a", "b"]
    assert ATTRS.dtype("dtype", DType.INT32) is DType.FLOAT32
    assert ATTRS.dtype("same", DType.INT32) is DType.INT32


def test_a_missing_attribute_has_the_default() -> None:
    assert ATTRS.integer("none", 3) == 3
    assert ATTRS.real("none", 0) == 0.0
    assert ATTRS.flag("none", False) is False
    assert ATTRS.text("none", "") == ""
    assert ATTRS.integers("none", (1,)) == [1]
    assert ATTRS.reals("none", ()) == []


def test_attributes_are_a_mapping() -> None:
    assert ATTRS["axis"] == -1
    assert "none" not in ATTRS
    assert len(ATTRS) == len(list(ATTRS)) == 9
    assert {**Attributes("op", {"a": 1}), "b": 2} == {"a": 1, "b": 2}
    assert repr(Attributes("op", {"a": 1})) == "Attributes('op', {'a': 1})"


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda: ATTRS.integer("scale"), "op: attribute scale: expected an integer, got 0.5"),
        (lambda: ATTRS.real("mode"), "op: attribute mode: expected a number, got 'max'"),
        (lambda: ATTRS.integers("axis"), "op: attribute axis: expected a list of integers, got -1"),
        (
            lambda: ATTRS.integers("reals"),
            "op: attribute reals: expected a list of integers, got [1, 0.5]",
        ),
        (lambda: ATTRS.reals("words"), "op: attribute words: expected a list of numbers, got ['a', 'b']"),
        (lambda: ATTRS.strings("ints"), "op: attribute ints: expected a list of strings, got [1, 2]"),
        (lambda: ATTRS.integer("axes"), "op: no attribute 'axes'; did you mean 'axis'?"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(read: Callable[[], object], message: str) -> None:
    with pytest.raises(GraphError, match=re.escape(message)):
        read()


@dataclass(frozen=True)
class Record:
    axis: int
    scale: float
    flag: bool
    mode: str
    ints: tuple[int, ...]
    reals: tuple[float, ...]


def test_a_dataclass_is_filled() -> None:
    assert ATTRS.read(Record) == Record(-1, 0.5, True, "max", (1, 2), (1.0, 0.5))


@dataclass(frozen=True)
class Lists:
    ints: list[int]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (str, "str is not a dataclass"),
        (Lists, r"Lists\.ints is list\[int\], not one of int, float, bool, str"),
    ],
)
def test_a_class_that_cannot_be_filled_is_refused(record: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        record_fields(record)
