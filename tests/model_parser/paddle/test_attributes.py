"""Attributes in Paddle's format."""

import pytest

from lite.errors import ModelParseError
from lite.ir.program import Attribute, AttrType, AttrValue
from lite.model_parser.paddle.attributes import read_attributes, write_attribute
from lite.model_parser.paddle.framework_pb2 import OpDesc
from tests.model_parser.paddle import wire as w

CASES: list[tuple[int, bytes, AttrValue]] = [
    (0, w.num(3, -7), -7),
    (1, w.f32(4, 0.25), 0.25),
    (2, w.text(5, "ü"), "ü"),
    (3, w.num(6, 1, -2), [1, -2]),
    (4, w.f32(7, 1.0, -0.5), [1.0, -0.5]),
    (5, w.text(8, "a", ""), ["a", ""]),
    (6, w.num(10, 1), True),
    (7, w.num(11, 1, 0), [True, False]),
    (8, w.num(12, 3), 3),
    (9, w.num(13, 2**40), 2**40),
    (10, w.num(14, 1, 2), [1, 2]),
    (11, w.num(15, -(2**40), 1), [-(2**40), 1]),
    (12, w.f64(16, 0.1), [0.1]),
    (13, w.text(17, "v"), "v"),
    (14, w.text(18, "v", "u"), ["v", "u"]),
    (15, w.f64(19, 0.1), 0.1),
    (16, w.msg(20, w.num(1, 1), w.num(2, 1)), True),
    (16, w.msg(20, w.num(1, 2), w.num(3, 5)), 5),
    (16, w.msg(20, w.num(1, 3), w.f64(4, 0.1)), 0.1),
    (16, w.msg(20, w.num(1, 4), w.msg(5, w.f64(1, 1.5), w.f64(2, -2.5))), 1.5 - 2.5j),
    (17, w.msg(21, w.num(1, 2), w.num(3, 5)) + w.msg(21, w.num(1, 1), w.num(2, 0)), [5, False]),
    *[(kind, b"", []) for kind in (3, 4, 5, 7, 10, 11, 12, 14, 17)],
]


def message(kind: int, value: bytes) -> OpDesc.Attr:
    attr = OpDesc.Attr()
    attr.ParseFromString(w.text(1, "k") + w.num(2, kind) + value)
    return attr


@pytest.mark.parametrize(("kind", "wire", "value"), CASES)
def test_every_type_is_read_and_written(kind: int, wire: bytes, value: AttrValue) -> None:
    attrs = read_attributes([message(kind, wire)], has_unknown=False)
    assert attrs == {"k": Attribute(AttrType(kind), value)}
    assert type(attrs["k"].value) is type(value)
    written = OpDesc.Attr()
    write_attribute(written, "k", attrs["k"])
    assert written.SerializeToString() == w.text(1, "k") + w.num(2, kind) + wire


def test_every_type_has_a_case() -> None:
    assert {kind for kind, _, _ in CASES} == {int(kind) for kind in AttrType}


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [(3, 6, [3, 0, 300]), (7, 11, [1, 0]), (10, 14, [0, 1]), (11, 15, [-1, 2**40])],
)
def test_packed_lists_are_read_as_unpacked_ones(kind: int, field: int, value: list[int]) -> None:
    attrs = read_attributes([message(kind, w.packed(field, *value))], has_unknown=False)
    assert attrs == {"k": Attribute(AttrType(kind), value)}


@pytest.mark.parametrize(("kind", "value"), [(0, 0), (1, 0.0), (2, ""), (6, False), (9, 0), (15, 0.0)])
def test_an_absent_value_is_the_default_of_paddle(kind: int, value: AttrValue) -> None:
    assert read_attributes([message(kind, b"")], has_unknown=False) == {"k": Attribute(AttrType(kind), value)}


@pytest.mark.parametrize("kind", [AttrType.BLOCK, AttrType.VAR, AttrType.SCALAR])
def test_an_absent_value_without_a_default_is_refused(kind: AttrType) -> None:
    with pytest.raises(ModelParseError) as caught:
        read_attributes([message(kind, b"")], has_unknown=False)
    assert str(caught.value) == f"the attribute 'k' of type {kind.name} has no value"


@pytest.mark.parametrize(
    ("kind", "value", "message_tail"),
    [
        (AttrType.INT, 2**31, "2147483648"),
        (AttrType.INT, "1", "'1'"),
        (AttrType.INT, [1], "[1]: expected one value"),
        (AttrType.INTS, 1, "1: expected a list"),
        (AttrType.LONGS, [2**63], "[9223372036854775808]"),
        (AttrType.STRING, "\ud800", r"'\ud800'"),
        (AttrType.STRINGS, [1], "[1]"),
        (AttrType.SCALAR, "s", "'s': a scalar is a bool, int, float or complex, not str"),
        (AttrType.INTS, ["x" * 99], f"['{'x' * 75}...: "),
    ],
)
def test_a_value_that_the_type_cannot_hold_is_refused(
    kind: AttrType, value: AttrValue, message_tail: str
) -> None:
    with pytest.raises(ModelParseError) as caught:
        write_attribute(OpDesc.Attr(), "k", Attribute(kind, value))
    assert str(caught.value).startswith(f"the attribute 'k' of type {kind.name} cannot hold {message_tail}")
