"""The enumerations: element types, precisions and places."""

from __future__ import annotations

import pytest

from lite.compat.paddle_inference import DataType, PlaceType, PrecisionType, get_num_bytes_of_data_type
from lite.errors import InputError
from lite.ir.types import DType


def test_each_data_type_has_its_size() -> None:
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


def test_a_dtype_without_a_data_type_is_refused() -> None:
    assert DataType.of(DType.INT8) is DataType.INT8
    with pytest.raises(InputError, match="no DataType for complex64"):
        DataType.of(DType.COMPLEX64)


def test_precisions_and_places_have_the_names_of_paddle() -> None:
    assert [precision.name for precision in PrecisionType] == ["Float32", "Int8", "Half", "Bfloat16"]
    assert {"UNK", "CPU", "GPU", "XPU", "CUSTOM"} <= {place.name for place in PlaceType}
