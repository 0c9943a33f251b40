"""Values of PIR attributes: ``0.a_i32``, ``0.a_array``, ``1.a_dtype`` and the others."""

from __future__ import annotations

import math

import numpy as np

from lite.errors import ModelParseError
from lite.ir.types import DType
from lite.model_parser.paddle.pir.fields import Json, checked, field, integer64, is_mapping, short
from lite.model_parser.paddle.pir.types import read_dtype

AttributeValue = bool | int | float | complex | str | DType | list["AttributeValue"] | None
"""A decoded attribute; None is a null attribute, or the undefined element type."""

_INTEGERS = {"a_i32", "a_i64", "a_index"}
_REALS = {"a_f32", "a_f64"}
_COMPLEX = {"a_c64", "a_c128"}
_STRINGS = {"a_str", "a_tensorname", "a_layout"}
_NOT_FINITE = {
    "inf": math.inf,
    "+inf": math.inf,
    "infinity": math.inf,
    "+infinity": math.inf,
    "-inf": -math.inf,
    "-infinity": -math.inf,
    "nan": math.nan,
    "-nan": math.nan,
}


def read_attribute(value: Json, where: str) -> AttributeValue:
    """The value of an object ``{"#": encoding, "D": data}``; raises `ModelParseError`."""
    encoding = field(value, "#", str, where)
    name = encoding.partition(".")[2]
    where = f"{where}: {encoding}"
    if encoding == "NULL":
        return None
    if name in _REALS:
        return _read_real(value, where)
    if not is_mapping(value) or "D" not in value:
        raise ModelParseError(f"{where}: expected the key 'D', got {short(value)}")
    data = value["D"]
    if name == "a_bool":
        return checked(data, bool, where)
    if name in _INTEGERS:
        return integer64(data, where)
    if name in _STRINGS:
        return checked(data, str, where)
    if name == "a_dtype":
        return read_dtype(data, where)
    if name == "a_array":
        return [read_attribute(item, where) for item in checked(data, list, where)]
    if name == "a_intarray":
        return [integer64(item, where) for item in checked(data, list, where)]
    if name == "a_scalar":
        return _read_scalar(checked(data, list, where), where)
    if name in _COMPLEX:
        return _read_complex(checked(data, list, where), where)
    raise ModelParseError(f"{where}: attributes of this encoding are not supported")


def _read_real(value: Json, where: str) -> float:
    """A number in ``D``; one that is not finite is a word in ``VD``, whose spelling varies."""
    data = value.get("D", value.get("VD")) if is_mapping(value) else None
    if isinstance(data, str):
        number = _NOT_FINITE.get(data.lower())
        if number is None:
            raise ModelParseError(f"{where}: expected a number, INF, -INF or NaN, got {short(data)}")
        return number
    return checked(data, float, where)


def _read_scalar(data: list[Json], where: str) -> AttributeValue:
    """A number after its element type; 16-bit floating-point numbers are written as their bits."""
    if len(data) < 2:
        raise ModelParseError(f"{where}: expected an element type and a number, got {short(data)}")
    dtype = read_dtype(data[0], where)
    if dtype is None or dtype.is_float:
        if (
            dtype in (DType.FLOAT16, DType.BFLOAT16)
            and isinstance(data[1], int)
            and not isinstance(data[1], bool)
        ):
            if not 0 <= data[1] < 2**16:
                raise ModelParseError(f"{where}: expected the 16 bits of a {dtype}, got {short(data[1])}")
            return float(np.array(data[1], np.uint16).view(dtype.numpy))
        return _read_real({"D": data[1]}, where)
    if dtype is DType.BOOL:
        return bool(data[1])
    if dtype.is_integer:
        return integer64(data[1], where)
    return _read_complex(data[1:], where)


def _read_complex(data: list[Json], where: str) -> complex:
    if len(data) != 2:
        raise ModelParseError(f"{where}: expected a real and an imaginary part, got {short(data)}")
    return complex(_read_real({"D": data[0]}, where), _read_real({"D": data[1]}, where))
