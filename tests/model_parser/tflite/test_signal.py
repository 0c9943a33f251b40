"""Fourier transforms and parts of complex numbers equal TensorFlow Lite's interpreter."""

from __future__ import annotations

import pytest

import lite
from lite.errors import ModelParseError
from lite.plugin.format import ModelSource
from tests.model_parser.tflite.builder import TfliteBuilder
from tests.model_parser.tflite.compare import check
from tests.model_parser.tflite.models import Case, ints, noise


@pytest.mark.parametrize("op", ["REAL", "IMAG", "COMPLEX_ABS"])
@pytest.mark.parametrize("lengths", [(1, 8), (4, 8), (8, 16), (2, 4)])
def test_parts_of_a_spectrum(op: str, lengths: tuple[int, int]) -> None:
    builder = TfliteBuilder()
    shape = (2, lengths[0], lengths[1] // 2 + 1)
    x, spectrum = builder.tensor("x", (2, 4, 8)), builder.tensor("spectrum", shape, "complex64")
    y = builder.tensor("y", shape)
    builder.op("RFFT2D", [x, builder.constant("lengths", ints(*lengths))], [spectrum])
    builder.op(op, [spectrum], [y])
    check(Case(op, builder.model([x], [y]), [noise(2, 4, 8)]))


@pytest.mark.parametrize("lengths", [(1, 8), (4, 8)])
def test_a_spectrum_is_cast_to_its_real_part(lengths: tuple[int, int]) -> None:
    builder = TfliteBuilder()
    shape = (2, lengths[0], 5)
    x, spectrum = builder.tensor("x", (2, lengths[0], 8)), builder.tensor("spectrum", shape, "complex64")
    y = builder.tensor("y", shape)
    builder.op("RFFT2D", [x, builder.constant("lengths", ints(*lengths))], [spectrum])
    builder.op("CAST", [spectrum], [y], {0: ("b", 8), 1: ("b", 0)})
    check(Case("CAST", builder.model([x], [y]), [noise(2, lengths[0], 8)]))


@pytest.mark.parametrize("op", ["SQUEEZE", "RESHAPE"])
@pytest.mark.parametrize("axis", [-2, 1])
def test_a_transform_of_vectors_is_squeezed(op: str, axis: int) -> None:
    builder = TfliteBuilder()
    x, spectrum = builder.tensor("x", (3, 1, 16)), builder.tensor("spectrum", (3, 1, 9), "complex64")
    vectors, y = builder.tensor("vectors", (3, 9), "complex64"), builder.tensor("y", (3, 9))
    builder.op("RFFT2D", [x, builder.constant("lengths", ints(1, 16))], [spectrum])
    if op == "SQUEEZE":
        builder.op(op, [spectrum], [vectors], {0: ints(axis)})
    else:
        builder.op(op, [spectrum, builder.constant("shape", ints(3, 9))], [vectors], {0: ints(3, 9)})
    builder.op("COMPLEX_ABS", [vectors], [y])
    check(Case("vectors", builder.model([x], [y]), [noise(3, 1, 16)]))


def test_a_complex_output_is_refused() -> None:
    builder = TfliteBuilder()
    x, y = builder.tensor("x", (4, 8)), builder.tensor("y", (4, 5), "complex64")
    builder.op("RFFT2D", [x, builder.constant("lengths", ints(4, 8))], [y])
    with pytest.raises(ModelParseError, match="tensor 'y': complex numbers are not supported here"):
        lite.load_program(ModelSource(model=builder.model([x], [y])))


def test_a_complex_input_is_refused() -> None:
    builder = TfliteBuilder()
    x, y = builder.tensor("x", (4,), "complex64"), builder.tensor("y", (4,))
    builder.op("REAL", [x], [y])
    with pytest.raises(ModelParseError, match="tensor 'x': expected complex numbers that RFFT2D computes"):
        lite.load_program(ModelSource(model=builder.model([x], [y])))
