"""Cast, CastLike and BitCast."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import matches_reference, model_of, run, same

X = np.array([[-2.5, 0.0, 1.75], [300.0, 0.1, 100.0]], np.float32)


@pytest.mark.parametrize(
    "to",
    [TensorProto.INT64, TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.BOOL, TensorProto.BFLOAT16],
)
def test_cast(to: int) -> None:
    matches_reference("Cast", [X], {"to": to})


def test_cast_like() -> None:
    matches_reference("CastLike", [X, np.zeros(1, np.int32)])


@pytest.mark.parametrize(
    ("dtype", "to", "greatest"),
    [
        (ml_dtypes.float8_e4m3fn, TensorProto.FLOAT8E4M3FN, 448.0),
        (ml_dtypes.float8_e5m2, TensorProto.FLOAT8E5M2, 57344.0),
    ],
)
def test_8_bits_saturate(dtype: type[np.generic], to: int, greatest: float) -> None:
    x = np.array([1.0, -1e6, np.inf, np.nan], np.float32)

    found = run(model_of("Cast", [x], {"to": to}), {"x0": x})

    same([found["y0"]], [np.array([1.0, -greatest, greatest, np.nan], np.float32).astype(dtype)])


def test_8_bits_without_saturation() -> None:
    x = np.array([1e6], np.float32)

    found = run(model_of("Cast", [x], {"to": TensorProto.FLOAT8E5M2, "saturate": 0}), {"x0": x})

    same([found["y0"]], [np.array([np.inf], np.float32).astype(ml_dtypes.float8_e5m2)])


def test_bit_cast() -> None:
    found = run(model_of("BitCast", [X], {"to": TensorProto.UINT32}, opset=26), {"x0": X})

    same([found["y0"]], [X.view(np.uint32)])


def test_unsupported_type() -> None:
    with pytest.raises(
        ModelParseError, match=r"node \(Cast\): attribute to: element type 99 is not supported"
    ):
        run(model_of("Cast", [X], {"to": 99}), {"x0": X})


def test_powers_of_two_cannot_be_made() -> None:
    with pytest.raises(
        ModelParseError, match=r"\(Cast\): casts to FLOAT8E8M0 are not supported, only those from it"
    ):
        run(model_of("Cast", [X], {"to": 24}, opset=25), {"x0": X})


def test_missing_type() -> None:
    with pytest.raises(ModelParseError, match=r"node \(Cast\): attribute to is missing"):
        run(model_of("Cast", [X]), {"x0": X})
