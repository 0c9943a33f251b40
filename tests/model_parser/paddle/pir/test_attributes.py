"""Encodings of PIR attributes and types."""

from __future__ import annotations

import math

import pytest

from lite.errors import ModelParseError
from lite.ir.types import UNKNOWN, DType
from lite.model_parser.paddle.pir.attributes import read_attribute
from lite.model_parser.paddle.pir.types import PirType, read_type


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"#": "0.a_bool", "D": True}, True),
        ({"#": "0.a_i32", "D": -3}, -3),
        ({"#": "0.a_i64", "D": 2**40}, 2**40),
        ({"#": "0.a_index", "D": 3}, 3),
        ({"#": "0.a_f32", "D": 9.999999747378752e-06}, 9.999999747378752e-06),
        ({"#": "0.a_f64", "D": 2}, 2.0),
        ({"#": "0.a_f64", "VD": "INF"}, math.inf),
        ({"#": "0.a_f32", "VD": "-INF"}, -math.inf),
        ({"#": "0.a_f32", "VD": "-Infinity"}, -math.inf),
        ({"#": "0.a_str", "D": "SAME"}, "SAME"),
        ({"#": "0.a_tensorname", "D": "x"}, "x"),
        ({"#": "1.a_layout", "D": "NCHW"}, "NCHW"),
        ({"#": "0.a_array", "D": []}, []),
        ({"#": "0.a_array", "D": [{"#": "0.a_i64", "D": 1}, {"#": "0.a_f32", "D": 0.5}]}, [1, 0.5]),
        ({"#": "1.a_intarray", "D": [1, -1]}, [1, -1]),
        ({"#": "1.a_dtype", "D": "bfloat16"}, DType.BFLOAT16),
        ({"#": "1.a_dtype", "D": "Undefined(ALL_DTYPE)"}, None),
        ({"#": "1.a_scalar", "D": ["float32", 0.5]}, 0.5),
        ({"#": "1.a_scalar", "D": ["float32", "nan"]}, math.nan),
        ({"#": "1.a_scalar", "D": ["int64", 7]}, 7),
        ({"#": "1.a_scalar", "D": ["bool", 1]}, True),
        ({"#": "1.a_scalar", "D": ["float16", 0x3C00]}, 1.0),
        ({"#": "1.a_scalar", "D": ["bfloat16", 0x3F80]}, 1.0),
        ({"#": "1.a_scalar", "D": ["complex64", 1.0, 2.0]}, 1 + 2j),
        ({"#": "0.a_c64", "D": [1.0, -2]}, 1 - 2j),
        ({"#": "NULL"}, None),
    ],
)
def test_encodings(item: object, expected: object) -> None:
    value = read_attribute(item, "a")
    assert value == expected or (value != value and expected != expected)
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({"#": "0.a_bool", "D": 1}, "a: 0.a_bool: expected true or false, got 1"),
        ({"#": "0.a_i32", "D": 1.5}, "a: 0.a_i32: expected an integer, got 1.5"),
        ({"#": "0.a_i64", "D": 2**63}, "a: 0.a_i64: expected a 64-bit integer, got 9223372036854775808"),
        ({"#": "0.a_f32"}, "a: 0.a_f32: expected a number, got null"),
        ({"#": "0.a_f32", "D": 10**400}, "a: 0.a_f32: expected a 64-bit number, got an integer of 1329 bits"),
        ({"#": "0.a_i32"}, "a: 0.a_i32: expected the key 'D', got "),
        ({"#": "0.a_str", "D": ["x"]}, 'a: 0.a_str: expected a string, got ["x"]'),
        (
            {"#": "1.a_dtype", "D": "float23"},
            'a: 1.a_dtype: expected an element type, got "float23"; did you',
        ),
        ({"#": "1.a_scalar", "D": ["float16", 2**16]}, "a: 1.a_scalar: expected the 16 bits of a float16"),
        ({"#": "1.a_scalar", "D": ["int32"]}, "a: 1.a_scalar: expected an element type and a number"),
        ({"#": "0.a_c64", "D": [1]}, "a: 0.a_c64: expected a real and an imaginary part, got [1]"),
        ({"#": "4.a_mesh", "D": []}, "a: 4.a_mesh: attributes of this encoding are not supported"),
        (7, "a: expected an object with '#', got 7"),
    ],
)
def test_damaged_attributes_are_refused(item: object, message: str) -> None:
    with pytest.raises(ModelParseError) as caught:
        read_attribute(item, "a")
    assert str(caught.value).startswith(message)


def test_types() -> None:
    element = {"#": "0.t_f32"}
    tensor = {"#": "0.t_dtensor", "D": [element, [2, -1], "NCHW", [], 0]}
    expected = PirType("0.t_dtensor", DType.FLOAT32, (2, UNKNOWN))
    assert read_type(tensor, "t") == expected
    assert read_type({"#": "0.t_vec", "D": [tensor, tensor]}, "t").items == (expected, expected)
    array = read_type({"#": "1.t_dense_tensor_array", "D": [element, [], "NCHW"]}, "t")
    assert (array.dtype, array.is_array) == (DType.FLOAT32, True)
    assert read_type({"#": "0.t_bf16"}, "t").dtype is DType.BFLOAT16
    assert read_type({"#": "1.t_sparse_coo_tensor", "D": []}, "t") == PirType("1.t_sparse_coo_tensor")
    assert read_type({"#": "NULL"}, "t") == PirType("NULL")


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (None, "t: expected an object with '#', got null"),
        ({"#": "0.t_dtensor"}, "t: type 0.t_dtensor: expected the key 'D', got the keys [\"#\"]"),
        ({"#": "0.t_dtensor", "D": [1]}, "t: type 0.t_dtensor: expected at least 2 items in 'D', got 1"),
        (
            {"#": "0.t_dtensor", "D": [{"#": "0.t_f32"}, ["n"]]},
            "t: type 0.t_dtensor: a size: expected an integer",
        ),
    ],
)
def test_damaged_types_are_refused(item: object, message: str) -> None:
    with pytest.raises(ModelParseError) as caught:
        read_type(item, "t")
    assert str(caught.value).startswith(message)
