"""FAKE_QUANT, BUCKETIZE, BITCAST and diagonals equal TensorFlow Lite's interpreter."""

from __future__ import annotations

import numpy as np
import pytest

import lite
from lite.errors import ModelParseError
from lite.plugin.format import ModelSource
from tests.model_parser.tflite.compare import check
from tests.model_parser.tflite.models import X, case, f32, noise, quantised

SCALE = (0.03, -5)


@pytest.mark.parametrize("bits", [2, 8, 16])
@pytest.mark.parametrize("limits", [(-1.0, 1.0), (0.0, 1.5), (-0.7, 0.0), (-0.37, 1.91)])
def test_fake_quant(limits: tuple[float, float], bits: int) -> None:
    options = {0: ("f", limits[0]), 1: ("f", limits[1]), 2: ("i", bits)}
    check(case("fake", "FAKE_QUANT", [noise(50, 40)], f32(50, 40), options))


def test_a_range_without_0_is_refused() -> None:
    options = {0: ("f", 1.0), 1: ("f", 2.0), 2: ("i", 8)}
    wrong = case("wrong", "FAKE_QUANT", [X], f32(*X.shape), options)
    with pytest.raises(
        ModelParseError, match=r"expected 2 to 16 bits and a range around 0, got 8, 1\.0 to 2\.0"
    ):
        lite.load_program(ModelSource(model=wrong.model))


def test_a_narrow_range_is_refused_as_by_the_interpreter() -> None:
    options = {0: ("f", -1.0), 1: ("f", 1.0), 2: ("i", 8), 3: ("?", True)}
    wrong = case("wrong", "FAKE_QUANT", [X], f32(*X.shape), options)
    with pytest.raises(ModelParseError, match="option narrow_range: expected false"):
        lite.load_program(ModelSource(model=wrong.model))


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64"])
def test_bucketize(dtype: str) -> None:
    source = np.array([[-9, -1, 0, 1], [2, 5, 7, 100]], dtype)
    boundaries = np.array([-1, 0.5, 2, 7], np.float32)
    check(case("bucketize", "BUCKETIZE", [source], [((2, 4), "int32")], {0: boundaries}))


def test_bucketize_of_no_number() -> None:
    source = np.array([np.nan, np.inf, -np.inf], np.float32)
    boundaries = np.array([0, 1], np.float32)
    check(case("bucketize", "BUCKETIZE", [source], [((3,), "int32")], {0: boundaries}))


@pytest.mark.parametrize(
    ("first", "second"), [("float32", "int32"), ("int32", "float32"), ("int8", "uint8"), ("int16", "float16")]
)
def test_bitcast(first: str, second: str) -> None:
    check(case("bitcast", "BITCAST", [(90 * X).astype(first)], [(X.shape, second)]))


def test_a_bitcast_to_another_width_is_refused() -> None:
    wrong = case("wrong", "BITCAST", [X], [((2, 3, 4, 4), "uint8")])
    with pytest.raises(ModelParseError, match="expected types of the same width, got float32 and uint8"):
        lite.load_program(ModelSource(model=wrong.model))


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64", "int8", "uint8", "int16"])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 4, 3)])
def test_matrix_diag(shape: tuple[int, ...], dtype: str) -> None:
    source = (9 * noise(*shape)).astype(dtype)
    check(case("diag", "MATRIX_DIAG", [source], [((*shape, shape[-1]), dtype)]))


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64", "int8", "uint8", "int16"])
@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (2, 3, 5), (2, 2, 5, 3)])
def test_matrix_set_diag(shape: tuple[int, ...], dtype: str) -> None:
    source = (9 * noise(*shape)).astype(dtype)
    diagonal = (9 * noise(*shape[:-2], min(shape[-2:]), seed=1)).astype(dtype)
    check(case("diag", "MATRIX_SET_DIAG", [source, diagonal], [(shape, dtype)]))


def test_diagonals_of_quantised_tensors_keep_their_integers() -> None:
    source, diagonal = quantised(X, SCALE), quantised(noise(2, 3, seed=1), SCALE)
    out, scales = [((2, 3, 4), "int8")], {0: SCALE, 1: SCALE}
    check(case("set", "MATRIX_SET_DIAG", [source, diagonal], out, scales=scales, out_scale=SCALE))
    out = [((2, 3, 3), "int8")]
    check(case("diag", "MATRIX_DIAG", [diagonal], out, scales={0: SCALE}, out_scale=SCALE))
