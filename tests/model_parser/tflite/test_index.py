"""Reads by index, distinct elements, reversed sequences and shapes equal TensorFlow Lite's interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lite
from lite.errors import ModelParseError
from lite.plugin.format import ModelSource
from tests.model_parser.tflite.builder import TfliteBuilder
from tests.model_parser.tflite.compare import check
from tests.model_parser.tflite.models import Array, Case, Scale, X, case, f32, ints, noise, quantised

SCALE = (0.03, -5)


@pytest.mark.parametrize("axis", [1, 2, -1])
@pytest.mark.parametrize("shape", [(2,), (2, 3), (2, 3, 2)])
def test_gather_with_one_batch_axis(axis: int, shape: tuple[int, ...]) -> None:
    index = np.random.default_rng(0).integers(0, 3, shape).astype(np.int32)
    source = noise(2, 3, 4, 5)
    first = axis % 4
    out = [*source.shape[:first], *shape[1:], *source.shape[first + 1 :]]
    check(case("gather", "GATHER", [source, index], f32(*out), {0: ("i", axis), 1: ("i", 1)}))


@pytest.mark.parametrize(("axis", "batch"), [(2, 2), (3, 2), (3, 3), (3, -1), (2, -2)])
def test_gather_with_more_batch_axes(axis: int, batch: int) -> None:
    source, count = noise(2, 3, 4, 5), 3 if batch == 3 else 2
    shape = (*source.shape[:count], 6) if batch != -2 else (2, 3, 4, 6)
    index = np.random.default_rng(0).integers(0, 4, shape).astype(np.int32)
    count = batch % len(shape)
    out = [*source.shape[:axis], *shape[count:], *source.shape[axis + 1 :]]
    check(case("gather", "GATHER", [source, index], f32(*out), {0: ("i", axis), 1: ("i", batch)}))


def test_gather_of_quantised_batches_keeps_their_integers() -> None:
    inputs = [quantised(X, SCALE), ints(2, 0).reshape(2, 1)]
    options, out = {0: ("i", 2), 1: ("i", 1)}, [((2, 3, 1), "int8")]
    check(case("gather", "GATHER", inputs, out, options, scales={0: SCALE}, out_scale=SCALE))


def test_more_batch_axes_than_the_axis_are_refused() -> None:
    wrong = case("wrong", "GATHER", [X, ints(0, 1)], f32(2, 3, 4), {0: ("i", 0), 1: ("i", 1)})
    with pytest.raises(ModelParseError, match="option batch_dims: expected 0 to 0, got 1"):
        lite.load_program(ModelSource(model=wrong.model))


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64", "int8", "uint8", "int16"])
@pytest.mark.parametrize("computed", [False, True])
def test_topk(dtype: str, computed: bool) -> None:
    source, count = (3 * noise(4, 9)).astype(dtype), np.array(3, np.int32)
    inputs, constants = ([source, count], {}) if computed else ([source], {1: count})
    check(case("topk", "TOPK_V2", inputs, [((4, 3), dtype), ((4, 3), "int32")], constants=constants))


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64", "int8", "uint8", "int16"])
@pytest.mark.parametrize(("code", "index"), [(2, "int32"), (4, "int64")])
def test_unique(dtype: str, code: int, index: str) -> None:
    source = np.array([5, 1, 5, 7, 1, 1], dtype)
    check(case("unique", "UNIQUE", [source], [((3,), dtype), ((6,), index)], {0: ("b", code)}))


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64", "uint8", "int16"])
@pytest.mark.parametrize("lengths", ["int32", "int64"])
@pytest.mark.parametrize(("seq", "batch"), [(1, 0), (0, 1), (2, 0), (1, 2)])
def test_reverse_sequence(seq: int, batch: int, dtype: str, lengths: str) -> None:
    source = (9 * X).astype(dtype)
    numbers = np.arange(1, 1 + source.shape[batch]).clip(1, source.shape[seq]).astype(lengths)
    options = {0: ("i", seq), 1: ("i", batch)}
    check(case("reverse", "REVERSE_SEQUENCE", [source, numbers], [(X.shape, dtype)], options))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize(
    ("first", "second"), [((2, 1, 4), (3, 1)), ((1,), (5, 2)), ((3, 0), (1,)), ((1, 2), (1, 2))]
)
def test_broadcast_args(first: tuple[int, ...], second: tuple[int, ...], dtype: str) -> None:
    shapes = [np.array(shape, dtype) for shape in (first, second)]
    out = [((max(len(first), len(second)),), dtype)]
    check(case("computed", "BROADCAST_ARGS", shapes, out))
    check(case("half", "BROADCAST_ARGS", shapes[:1], out, constants={1: shapes[1]}))


def test_broadcast_to_a_broadcast_shape() -> None:
    builder = TfliteBuilder()
    x, y = builder.tensor("x", (3, 1)), builder.tensor("y", (2, 3, 4))
    shapes = [builder.tensor("a", (3,), "int32"), builder.constant("b", ints(3, 1))]
    shape = builder.tensor("shape", (3,), "int32")
    builder.op("BROADCAST_ARGS", shapes, [shape])
    builder.op("BROADCAST_TO", [x, shape], [y])
    check(Case("broadcast", builder.model([x, shapes[0]], [y]), [noise(3, 1), ints(2, 1, 4)]))


def test_a_shape_that_is_a_number_is_refused() -> None:
    wrong = case("wrong", "BROADCAST_ARGS", [np.array(3, np.int32), ints(1)], [((1,), "int32")])
    with pytest.raises(ModelParseError, match="expected two lists of known length, got shapes"):
        lite.load_program(ModelSource(model=wrong.model))


def one_hot(index: Array, axis: int, dtype: str, scales: list[Scale] | None) -> Case:
    """ONE_HOT of depth 5; `scales` are those of the on value, the off value and the output."""
    builder = TfliteBuilder()
    keys: list[dict[str, Any]] = [{}, {}, {}]
    if scales:
        keys = [{"scale": scale, "zero": zero} for scale, zero in scales]
    on, off = np.array(100, dtype), np.array(-7, dtype)
    place = axis % (index.ndim + 1)
    x = builder.tensor("x", index.shape, str(index.dtype))
    y = builder.tensor("y", (*index.shape[:place], 5, *index.shape[place:]), dtype, **keys[2])
    inputs = [
        x,
        builder.constant("depth", np.array(5, np.int32)),
        builder.constant("on", on, **keys[0]),
        builder.constant("off", off, **keys[1]),
    ]
    builder.op("ONE_HOT", inputs, [y], {0: ("i", axis)})
    return Case("one_hot", builder.model([x], [y]), [index])


@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("axis", [-1, 0, 1])
@pytest.mark.parametrize("dtype", ["float32", "int32", "int8"])
def test_one_hot_of_indices_outside(dtype: str, axis: int, index: str) -> None:
    numbers = np.array([[-9, -5, -1, 0], [2, 4, 5, 7]], index)
    check(one_hot(numbers, axis, dtype, None))


def test_one_hot_copies_quantised_values_of_any_scale() -> None:
    check(one_hot(ints(-1, 0, 3), -1, "int8", [(0.5, -128), (0.01, 127), SCALE]))
