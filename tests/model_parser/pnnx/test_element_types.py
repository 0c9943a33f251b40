"""The names of element types in PNNX."""

import pytest

from lite.errors import ModelParseError
from lite.ir.types import DType
from lite.model_parser.pnnx.element_types import dtype_of, torch_dtype


def test_short_names_are_known() -> None:
    names = ["f32", "f64", "f16", "i32", "i64", "i16", "i8", "u8", "bool", "bf16"]
    assert [str(dtype_of(name)) for name in names] == [
        "float32",
        "float64",
        "float16",
        "int32",
        "int64",
        "int16",
        "int8",
        "uint8",
        "bool",
        "bfloat16",
    ]


def test_names_of_torch_are_known() -> None:
    assert torch_dtype("torch.double") is DType.FLOAT64
    assert torch_dtype("torch.long") is DType.INT64
    assert torch_dtype("torch.bool") is DType.BOOL


def test_other_names_are_refused() -> None:
    with pytest.raises(ModelParseError, match=r"^element type 'c64', expected one of f32, f64"):
        dtype_of("c64")
    with pytest.raises(ModelParseError, match=r"^element type 'torch.cfloat', expected one of torch.float, "):
        torch_dtype("torch.cfloat")
