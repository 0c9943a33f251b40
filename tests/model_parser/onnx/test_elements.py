"""Elements of every type in bytes and in lists, as the onnx package writes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from lite.ir.types import DType
from lite.model_parser.onnx.element_types import dtype_of
from lite.model_parser.onnx.elements import from_bytes, from_lists, packed_size

INTEGERS: dict[str, list[int]] = {
    "INT4": [-8, 7, 1, -1, 0],
    "UINT4": [15, 0, 3, 8, 1],
    "INT2": [1, -2, 0, -1, 1],
    "UINT2": [3, 0, 2, 1, 3],
    "INT8": [-128, 127, 0],
    "UINT8": [255, 0, 7],
    "INT16": [-32768, 32767, -1],
    "UINT16": [65535, 0, 1],
    "INT32": [-(2**31), 2**31 - 1, -1],
    "UINT32": [2**32 - 1, 0, 1],
    "INT64": [-(2**63), 2**63 - 1, 2**53 + 1],
    "UINT64": [2**64 - 1, 0, 2**53 + 1],
    "BOOL": [True, False, True],
}
REALS = [
    "FLOAT",
    "DOUBLE",
    "FLOAT16",
    "BFLOAT16",
    "FLOAT8E4M3FN",
    "FLOAT8E5M2",
    "FLOAT8E4M3FNUZ",
    "FLOAT8E5M2FNUZ",
]
FIELDS = ("int32_data", "int64_data", "uint64_data", "float_data", "double_data", "string_data")


def kind_of(name: str) -> tuple[int, DType]:
    if name not in TensorProto.DataType.keys():  # noqa: SIM118 - the enum wrapper is not a dict
        pytest.skip(f"the installed onnx does not have {name}")
    number = TensorProto.DataType.Value(name)
    dtype = dtype_of(number)
    assert dtype is not None
    return number, dtype


def check_bytes_and_lists(tensor: onnx.TensorProto, dtype: DType, raw: bytes, expected: list[Any]) -> None:
    assert any(getattr(tensor, field) for field in FIELDS)
    for array in (from_lists(tensor, dtype), from_bytes(raw, dtype, len(expected))):
        assert array.dtype == dtype.numpy
        assert array.tolist() == expected
    assert packed_size(len(expected), dtype) == len(raw)


@pytest.mark.parametrize("name", INTEGERS)
def test_integers(name: str) -> None:
    number, dtype = kind_of(name)
    values = INTEGERS[name]
    bits = {"INT4": 4, "UINT4": 4, "INT2": 2, "UINT2": 2}.get(name)
    if bits is None:
        raw = np.array(values, dtype.numpy).tobytes()
    else:
        packed = sum((value % 2**bits) << bits * n for n, value in enumerate(values))
        raw = packed.to_bytes(-(-bits * len(values) // 8), "little")

    check_bytes_and_lists(helper.make_tensor("w", number, [len(values)], values), dtype, raw, values)


@pytest.mark.parametrize("name", REALS)
def test_real_numbers(name: str) -> None:
    number, dtype = kind_of(name)
    values = [0.5, -1.0, 1.5, 0.0]

    check_bytes_and_lists(
        helper.make_tensor("w", number, [4], values), dtype, np.array(values, dtype.numpy).tobytes(), values
    )


def test_float4() -> None:
    number, dtype = kind_of("FLOAT4E2M1")
    values = [0.5, -6.0, 1.5]

    check_bytes_and_lists(helper.make_tensor("w", number, [3], values), dtype, bytes([0xF1, 0x03]), values)


@pytest.mark.parametrize("name", ["COMPLEX64", "COMPLEX128"])
def test_complex_numbers(name: str) -> None:
    number, dtype = kind_of(name)
    values: list[Any] = [1 + 2j, -0.5j]

    check_bytes_and_lists(
        helper.make_tensor("w", number, [2], values), dtype, np.array(values, dtype.numpy).tobytes(), values
    )


def test_strings() -> None:
    strings = ["a", "", "é\0"]

    output = from_lists(TensorProto(string_data=[text.encode() for text in strings]), DType.STRING)

    assert (output.dtype.kind, output.tolist()) == ("O", strings)


@pytest.mark.parametrize(
    "dtype", [DType.FLOAT32, DType.INT64, DType.BOOL, DType.INT4, DType.COMPLEX64, DType.STRING]
)
def test_an_empty_list_of_elements(dtype: DType) -> None:
    output = from_lists(TensorProto(dims=[0]), dtype)

    assert output.dtype == dtype.numpy
    assert output.shape == (0,)
