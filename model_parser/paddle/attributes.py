"""Attributes of an op: OpDesc.Attr of framework.proto to and from `Attribute`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, cast

from lite.errors import ModelParseError
from lite.ir.program import Attribute, AttrType, AttrValue
from lite.ir.program import Scalar as ScalarValue
from lite.model_parser.paddle.framework_pb2 import AttrType as AttrTypeNumber
from lite.model_parser.paddle.framework_pb2 import Complex, OpDesc, Scalar
from lite.model_parser.paddle.unknown_fields import is_empty, without


class ValueField(NamedTuple):
    """The field of OpDesc.Attr that holds the value of an attribute type."""

    name: str
    number: int
    repeated: bool


_FIELD_NAMES = {
    AttrType.INT: "i",
    AttrType.FLOAT: "f",
    AttrType.STRING: "s",
    AttrType.INTS: "ints",
    AttrType.FLOATS: "floats",
    AttrType.STRINGS: "strings",
    AttrType.BOOLEAN: "b",
    AttrType.BOOLEANS: "bools",
    AttrType.BLOCK: "block_idx",
    AttrType.LONG: "l",
    AttrType.BLOCKS: "blocks_idx",
    AttrType.LONGS: "longs",
    AttrType.FLOAT64S: "float64s",
    AttrType.VAR: "var_name",
    AttrType.VARS: "vars_name",
    AttrType.FLOAT64: "float64",
    AttrType.SCALAR: "scalar",
    AttrType.SCALARS: "scalars",
}
_FIELD_NUMBERS = {field.name: field.number for field in OpDesc.Attr.DESCRIPTOR.fields}

VALUE_FIELDS = {
    kind: ValueField(name, _FIELD_NUMBERS[name], kind.name.endswith("S"))
    for kind, name in _FIELD_NAMES.items()
}
_TYPES = {int(kind): (kind, *VALUE_FIELDS[kind]) for kind in AttrType}
_SCALAR_NUMBER = VALUE_FIELDS[AttrType.SCALAR].number
"""Values in this field and the next one are messages, not numbers or strings."""

_DEFAULTS: dict[AttrType, AttrValue] = {
    AttrType.INT: 0,
    AttrType.LONG: 0,
    AttrType.FLOAT: 0.0,
    AttrType.FLOAT64: 0.0,
    AttrType.BOOLEAN: False,
    AttrType.STRING: "",
}
"""The value that Paddle reads where the field is absent; other types have no default."""


def read_attributes(messages: Iterable[OpDesc.Attr], has_unknown: bool) -> dict[str, Attribute]:
    """Attributes by name, in the file's order.

    `has_unknown` tells whether unknown fields must be looked for.  An attribute of an unknown type is
    left out; the op's `extra` keeps it.  Raises `ModelParseError` that names the attribute.
    """
    attrs: dict[str, Attribute] = {}
    for message in messages:
        # One call for all fields in the order of their numbers: name, type, value.
        fields = message.ListFields()
        if has_unknown and not message.HasField("type"):
            continue
        name: str = fields[0][1]
        kind, field, number, repeated = _TYPES[fields[1][1]]
        if name in attrs:
            raise ModelParseError(f"the attribute {name!r} is given twice")
        plain = len(fields) == 3 and fields[2][0].number == number
        if plain:
            value = fields[2][1]
        elif repeated or message.HasField(field):
            value = getattr(message, field)
        elif kind in _DEFAULTS:
            value = _DEFAULTS[kind]
        else:
            raise ModelParseError(f"the attribute {name!r} of type {kind.name} has no value")
        attr = Attribute(kind, list(value) if repeated else value)
        if number >= _SCALAR_NUMBER:
            attr.value = [_read_scalar(item) for item in value] if repeated else _read_scalar(value)
            attr.extra = _extra(message, field)
        elif has_unknown or (not plain and len(fields) > 2):
            attr.extra = _extra(message, field)
        _check_utf8(name, value, repeated)
        attrs[name] = attr
    return attrs


def write_attribute(message: OpDesc.Attr, name: str, attr: Attribute) -> None:
    """Fill the empty `message`; raises `ModelParseError` for a value that the type cannot hold."""
    try:
        message.name = name
        message.type = cast(AttrTypeNumber, attr.type)
        _write_value(message, attr)
    except (TypeError, ValueError) as error:
        raise ModelParseError(
            f"the attribute {name!r} of type {attr.type.name} cannot hold {_short(attr.value)}: {error}"
        ) from error
    if attr.extra:
        message.MergeFromString(attr.extra)
        _merge_scalars(message, attr)


def _check_utf8(name: str, value: object, repeated: bool) -> None:
    # protobuf returns a string that is not UTF-8 as bytes.
    if isinstance(name, bytes):
        raise ModelParseError(f"the attribute name {name!r} is not UTF-8 text")
    if isinstance(value, bytes) or (repeated and isinstance(value, Iterable) and bytes in map(type, value)):
        raise ModelParseError(f"the attribute {name!r} holds text that is not UTF-8")


def _read_scalar(message: Scalar) -> ScalarValue:
    if message.type == Scalar.BOOLEAN:
        return message.b
    if message.type == Scalar.LONG:
        return message.i
    if message.type == Scalar.FLOAT64:
        return message.r
    return complex(message.c.r, message.c.i)


def _write_scalar(value: object) -> Scalar:
    if isinstance(value, bool):
        return Scalar(type=Scalar.BOOLEAN, b=value)
    if isinstance(value, int):
        return Scalar(type=Scalar.LONG, i=value)
    if isinstance(value, float):
        return Scalar(type=Scalar.FLOAT64, r=value)
    if isinstance(value, complex):
        return Scalar(type=Scalar.COMPLEX128, c=Complex(r=value.real, i=value.imag))
    raise TypeError(f"a scalar is a bool, int, float or complex, not {type(value).__name__}")


def _write_value(message: OpDesc.Attr, attr: Attribute) -> None:
    field = VALUE_FIELDS[attr.type]
    value = attr.value
    if isinstance(value, list) is not field.repeated:
        raise TypeError(f"expected {'a list' if field.repeated else 'one value'}")
    if attr.type is AttrType.SCALAR:
        message.scalar.CopyFrom(_write_scalar(value))
    elif isinstance(value, list):
        items = map(_write_scalar, value) if attr.type is AttrType.SCALARS else value
        getattr(message, field.name).extend(items)
    else:
        setattr(message, field.name, value)


def _extra(message: OpDesc.Attr, field: str) -> bytes:
    """The fields of the message other than its name, type and value."""
    if field not in ("scalar", "scalars"):
        return without(message, "name", "type", field).SerializePartialToString()
    rest = without(message, "name", "type")
    scalars = [rest.scalar] if field == "scalar" else list(rest.scalars)
    for scalar in scalars:
        _clear_value(scalar)
    if all(is_empty(scalar) for scalar in scalars):
        rest = without(rest, field)
    return rest.SerializePartialToString()


def _clear_value(scalar: Scalar) -> None:
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


def _merge_scalars(message: OpDesc.Attr, attr: Attribute) -> None:
    """Merge the unknown fields of each scalar, which `extra` appended as a second list, into its value."""
    count = len(attr.value) if isinstance(attr.value, list) else 0
    if attr.type is not AttrType.SCALARS or len(message.scalars) == count:
        return
    appended = list(message.scalars)[count:]
    del message.scalars[count:]
    for scalar, unknown in zip(message.scalars, appended, strict=False):
        scalar.MergeFrom(unknown)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
