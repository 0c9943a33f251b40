"""Attribute → OpDesc.Attr."""

from __future__ import annotations

from typing import cast

from lite.errors import ModelParseError
from lite.ir.program import Attribute, AttrType
from lite.model_parser.paddle.attribute_fields import VALUE_FIELDS
from lite.model_parser.paddle.framework_pb2 import AttrType as AttrTypeNumber
from lite.model_parser.paddle.framework_pb2 import Complex, OpDesc, Scalar


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
        _join_scalars(message, attr)


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


def _join_scalars(message: OpDesc.Attr, attr: Attribute) -> None:
    """`extra` holds what is left of each scalar as a list of equal length, now behind the values."""
    count = len(attr.value) if isinstance(attr.value, list) else 0
    if attr.type is not AttrType.SCALARS or len(message.scalars) == count:
        return
    rest = list(message.scalars)[count:]
    del message.scalars[count:]
    for scalar, left in zip(message.scalars, rest, strict=False):
        scalar.MergeFrom(left)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
