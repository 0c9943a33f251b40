"""Paddle's words for element types, precisions and places."""

from __future__ import annotations

import pytest

from lite.compat.paddle_inference import (
    DataType,
    PlaceType,
    PrecisionType,
    convert_to_mixed_precision,
    get_num_bytes_of_data_type,
    get_trt_compile_version,
    get_trt_runtime_version,
    get_version,
)
from lite.errors import InputError, LiteError
from lite.ir.types import DType


def test_data_types_have_sizes() -> None:
    assert {data_type.name: get_num_bytes_of_data_type(data_type) for data_type in DataType} == {
        "FLOAT32": 4,
        "INT64": 8,
        "INT32": 4,
        "UINT8": 1,
        "INT8": 1,
        "FLOAT16": 2,
        "BOOL": 1,
        "FLOAT64": 8,
        "BFLOAT16": 2,
    }


def test_a_type_that_paddle_has_no_word_for() -> None:
    assert DataType.of(DType.INT8) is DataType.INT8
    with pytest.raises(InputError, match="no DataType for complex64"):
        DataType.of(DType.COMPLEX64)


def test_precisions_and_places_have_paddles_names() -> None:
    assert [precision.name for precision in PrecisionType] == ["Float32", "Int8", "Half", "Bfloat16"]
    assert {"UNK", "CPU", "GPU", "XPU", "CUSTOM"} <= {place.name for place in PlaceType}


def test_mixed_precision_is_not_supported() -> None:
    with pytest.raises(LiteError, match=r"a.pdmodel: convert_to_mixed_precision to Half is not supported"):
        convert_to_mixed_precision("a.pdmodel", "a", "b", "b", PrecisionType.Half, PlaceType.GPU)


def test_versions() -> None:
    assert get_version().startswith("version: 2.")
    assert get_trt_compile_version() == get_trt_runtime_version() == (0, 0, 0)
