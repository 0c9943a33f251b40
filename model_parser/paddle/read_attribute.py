"""OpDesc.Attr → Attribute, with what an Attribute has no field for as `extra`."""

from __future__ import annotations

from collections.abc import Iterable

from lite.errors import ModelParseError
from lite.ir.program import Attribute, AttrType, AttrValue
from lite.ir.program import Scalar as ScalarValue
from lite.model_parser.paddle.attribute_fields import VALUE_FIELDS
from lite.model_parser.paddle.framework_pb2 import OpDesc, Scalar
from lite.model_parser.paddle.leftover import is_empty

_TYPES = {int(kind): (kind, *VALUE_FIELDS[kind]) for kind in AttrType}

_DEFAULTS: dict[AttrType, AttrValue] = {
    AttrType.INT: 0,
    AttrType.LONG: 0,
    AttrType.FLOAT: 0.0,
    AttrType.FLOAT64: 0.0,
    AttrType.BOOLEAN: False,
    AttrType.STRING: "",
}
"""What Paddle reads where the value is absent; other types have no sensible one."""


def read_attributes(messages: Iterable[OpDesc.Attr], unknown: bool) -> dict[str, Attribute]:
    """Attributes by name, in the file's order.

    `unknown` says that unknown fields must be looked for.  An attribute without a known type is left
    out (the op's `extra` keeps it).  Raises `ModelParseError` that names the attribute.
    """
    attrs: dict[str, Attribute] = {}
    for message in messages:
        # One call for all fields in order of their numbers: name, type, value.
        fields = message.ListFields()
        if unknown and not message.HasField("type"):
            continue
        name: str = fields[0][1]
        kind, field, number, repeated = _TYPES[fields[1][1]]
        if name in attrs:
            raise ModelParseError(f"the attribute {name!r} is given twice")
        usual = len(fields) == 3 and fields[2][0].number == number
        if usual:
            value = fields[2][1]
        elif repeated or message.HasField(field):
            value = getattr(message, field)
        elif kind in _DEFAULTS:
            value = _DEFAULTS[kind]
        else:
            raise ModelParseError(f"the attribute {name!r} of type {kind.name} has no value")
        attr = Attribute(kind, list(value) if repeated else value)
        if number >= 20:
            attr.value = _read_scalars(value) if repeated else _read_scalar(value)
            attr.extra = _rest(message, field)
        elif unknown or (not usual and len(fields) > 2):
            attr.extra = _rest(message, field)
        _check_text(name, value, repeated)
        attrs[name] = attr
    return attrs


def _check_text(name: str, value: object, repeated: bool) -> None:
    # protobuf hands out text that is not UTF-8 as bytes.
    if isinstance(name, bytes):
        raise ModelParseError(f"the attribute name {name!r} is not UTF-8 text")
    if isinstance(value, bytes) or (repeated and isinstance(value, Iterable) and bytes in map(type, value)):
        raise ModelParseError(f"the attribute {name!r} holds text that is not UTF-8")


def _read_scalars(messages: Iterable[Scalar]) -> list[ScalarValue]:
    return [_read_scalar(message) for message in messages]


def _read_scalar(message: Scalar) -> ScalarValue:
    if message.type == Scalar.BOOLEAN:
        return message.b
    if message.type == Scalar.LONG:
        return message.i
    if message.type == Scalar.FLOAT64:
        return message.r
    return complex(message.c.r, message.c.i)


def _rest(message: OpDesc.Attr, field: str) -> bytes:
    """What is left of the message without name, type and value."""
    rest = OpDesc.Attr()
    rest.CopyFrom(message)
    rest.ClearField("name")
    rest.ClearField("type")
    if field == "scalar":
        _strip(rest.scalar)
        if is_empty(rest.scalar):
            rest.ClearField("scalar")
    elif field == "scalars":
        for scalar in rest.scalars:
            _strip(scalar)
        if all(is_empty(scalar) for scalar in rest.scalars):
            rest.ClearField("scalars")
    else:
        for known in VALUE_FIELDS.values():
            if known.name == field:
                rest.ClearField(known.name)
    return rest.SerializePartialToString()


_SCALAR_FIELDS = {Scalar.BOOLEAN: "b", Scalar.LONG: "i", Scalar.FLOAT64: "r", Scalar.COMPLEX128: "c"}


def _strip(scalar: Scalar) -> None:
    """Clear the type and the value that the type names."""
    if scalar.type == Scalar.COMPLEX128:
        scalar.c.ClearField("r")
        scalar.c.ClearField("i")
        if is_empty(scalar.c):
            scalar.ClearField("c")
    elif scalar.type == Scalar.BOOLEAN:
        scalar.ClearField("b")
    elif scalar.type == Scalar.LONG:
        scalar.ClearField("i")
    else:
        scalar.ClearField("r")
    scalar.ClearField("type")
