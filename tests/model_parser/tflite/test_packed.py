"""Constants of 2 and 4 bits, and constants with a scale per block, from loops over their elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lite
from lite.errors import ModelParseError
from lite.plugin.format import ModelSource
from tests.model_parser.tflite.builder import Table, TfliteBuilder
from tests.model_parser.tflite.compare import check
from tests.model_parser.tflite.models import Array, Case, noise

BITS = {"int4": 4, "int2": 2, "uint4": 4}


def values(dtype: str, *shape: int) -> Array:
    low = 0 if dtype == "uint4" else -(1 << (BITS[dtype] - 1))
    return np.random.default_rng(0).integers(low, low + (1 << BITS[dtype]), shape)


def packed(numbers: Array, bits: int) -> Array:
    """The first element is in the low bits of the first byte."""
    found = [0] * -(-numbers.size * bits // 8)
    for n, number in enumerate(numbers.reshape(-1).tolist()):
        found[n * bits // 8] |= (number % (1 << bits)) << (n * bits % 8)
    return np.array(found, np.uint8)


def constant(builder: TfliteBuilder, numbers: Array, dtype: str, **quantisation: Any) -> int:
    number = builder.tensor("w", numbers.shape, dtype, **quantisation)
    builder.buffers.append(Table({0: packed(numbers, BITS[dtype])}))
    builder.tensors[number][2] = ("I", len(builder.buffers) - 1)
    return number


def sum_with(builder: TfliteBuilder, weights: int, shape: tuple[int, ...]) -> Case:
    """x + dequantised weights."""
    x, real, y = (builder.tensor(name, shape) for name in ("x", "real", "y"))
    builder.op("DEQUANTIZE", [weights], [real])
    builder.op("ADD", [x, real], [y])
    return Case("packed", builder.model([x], [y]), [noise(*shape)])


@pytest.mark.parametrize("dtype", ["int4", "int2", "uint4"])
@pytest.mark.parametrize("shape", [(4, 6), (3, 5), (1,)])
def test_elements_of_a_few_bits(dtype: str, shape: tuple[int, ...]) -> None:
    builder, numbers = TfliteBuilder(), values(dtype, *shape)
    model = sum_with(builder, constant(builder, numbers, dtype, scale=0.25, zero=1), shape)
    check(model, expected=[model.inputs[0] + ((numbers - 1) * 0.25).astype(np.float32)])


def test_4_bits_per_channel_equal_the_interpreter() -> None:
    builder, numbers = TfliteBuilder(), values("int4", 4, 6)
    keys = {"scale": [0.5, 0.25, 0.125, 1.0], "zero": [0] * 4}
    check(sum_with(builder, constant(builder, numbers, "int4", **keys), (4, 6)))


def by_blocks(numbers: Array, scales: Array, zeros: Array | None, size: int) -> Case:
    builder = TfliteBuilder()
    x, y = builder.tensor("x", (2, numbers.shape[1])), builder.tensor("y", (2, len(numbers)))
    weights, table = constant(builder, numbers, "int4"), Table({2: ("i", size)})
    table[0] = ("i", builder.constant("scales", scales))
    table[1] = ("i", -1 if zeros is None else builder.constant("zeros", zeros))
    builder.tensors[weights][4] = Table({4: ("B", 2), 5: table})
    builder.op("FULLY_CONNECTED", [x, weights, -1], [y])
    return Case("blocks", builder.model([x], [y]), [noise(2, numbers.shape[1])])


@pytest.mark.parametrize("has_zeros", [False, True])
@pytest.mark.parametrize("size", [4, 12])
def test_a_scale_for_each_block_of_a_row(size: int, has_zeros: bool) -> None:
    numbers = values("int4", 3, 12)
    scales = np.random.default_rng(1).uniform(0.1, 1, (3, 12 // size)).astype(np.float16)
    zeros = np.arange(scales.size, dtype=np.float16).reshape(scales.shape) if has_zeros else None
    model = by_blocks(numbers, scales, zeros, size)

    real = np.zeros(numbers.shape)
    for row, column in np.ndindex(numbers.shape):
        zero = float(zeros[row, column // size]) if zeros is not None else 0.0
        real[row, column] = (numbers[row, column] - zero) * float(scales[row, column // size])

    check(model, expected=[(model.inputs[0] @ real.T).astype(np.float32)])


@pytest.mark.parametrize(("size", "count"), [(5, 6), (4, 8), (0, 6)])
def test_scales_that_do_not_fit_are_refused(size: int, count: int) -> None:
    model = by_blocks(values("int4", 3, 12), np.ones(count, np.float16), None, size).model
    with pytest.raises(
        ModelParseError, match=r"tensor 'w': expected blocks that divide the last of the sizes"
    ):
        lite.load_program(ModelSource(model=model))


def test_an_input_of_4_bits_is_refused() -> None:
    builder = TfliteBuilder()
    x, y = builder.tensor("x", (4,), "int4", scale=0.5), builder.tensor("y", (4,))
    builder.op("DEQUANTIZE", [x], [y])
    with pytest.raises(ModelParseError, match="elements of 4 bits are not supported outside of constants"):
        lite.load_program(ModelSource(model=builder.model([x], [y])))


def test_bytes_that_do_not_fit_are_refused() -> None:
    builder = TfliteBuilder()
    weights = constant(builder, values("int4", 4, 6), "int4", scale=0.5)
    builder.buffers[-1][0] = builder.buffers[-1][0][:-1]
    with pytest.raises(ModelParseError, match=r"tensor 'w': expected 24 bytes for int8.4, 6., got 11"):
        lite.load_program(ModelSource(model=sum_with(builder, weights, (4, 6)).model))
