"""Constants, ranges, one-hot rows, triangles and random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import check_against_reference, check_equal, model_of, run

DENSE = np.array([[1.5, 0.0], [0.0, -2.0]], np.float32)
INDICES = np.array([0, 3])
SPARSE = helper.make_sparse_tensor(
    numpy_helper.from_array(np.array([1.5, -2.0], np.float32), "values"),
    numpy_helper.from_array(INDICES, "indices"),
    [2, 2],
)
QUARTERS = np.full((40, 50), 0.25, np.float32)


@pytest.mark.parametrize(
    ("attrs", "expected"),
    [
        ({"value": numpy_helper.from_array(DENSE)}, DENSE),
        ({"sparse_value": SPARSE}, DENSE),
        ({"value_int": 7}, np.array(7)),
        ({"value_ints": [1, 2]}, np.array([1, 2])),
        ({"value_float": 0.5}, np.array(0.5, np.float32)),
        ({"value_floats": [0.5, 1.0]}, np.array([0.5, 1.0], np.float32)),
        ({"value_string": "a"}, np.array("a", object)),
        ({"value_strings": ["a", "b"]}, np.array(["a", "b"], object)),
    ],
)
def test_constant_in_every_form(attrs: dict[str, Any], expected: np.ndarray) -> None:
    check_equal([run(model_of("Constant", [], attrs), {})["y0"]], [expected])


def test_constant_without_a_value_is_refused() -> None:
    with pytest.raises(ModelParseError, match=r"node \(Constant\): attribute value is missing"):
        run(model_of("Constant", []), {})


@pytest.mark.parametrize("value", [np.array([2.5], np.float32), np.array([2**62 + 1]), np.array([True])])
@pytest.mark.parametrize("shape", [[2, 3], [], [0]])
def test_constant_of_shape_of_a_constant_shape(shape: list[int], value: np.ndarray) -> None:
    sizes = np.array(shape, np.int64)
    model = model_of("ConstantOfShape", [sizes], {"value": numpy_helper.from_array(value)}, constants=[0])

    check_equal([run(model, {})["y0"]], [np.full(shape, value[0])])


def test_constant_of_shape_of_a_computed_shape() -> None:
    check_against_reference("ConstantOfShape", [np.array([3, 2])])


def test_constant_of_shape_with_two_values_is_refused() -> None:
    value = numpy_helper.from_array(np.zeros(2, np.float32))
    model = model_of("ConstantOfShape", [np.array([1])], {"value": value}, constants=[0])

    with pytest.raises(ModelParseError, match="value: expected one element, got 2"):
        run(model, {})


@pytest.mark.parametrize(
    "numbers", [np.array([1.0, 6.0, 1.5], np.float32), np.array([10, 4, -2]), np.array([3, 3, 1], np.int16)]
)
def test_range_equals_the_reference(numbers: np.ndarray) -> None:
    check_against_reference("Range", [number.reshape(()) for number in numbers], constants=[0, 2])


@pytest.mark.parametrize("numbers", [[5, 2, 1], [2, 5, -1], [2, 2, 1]])
def test_range_away_from_the_limit_is_empty(numbers: list[int]) -> None:
    inputs = [np.array(number) for number in numbers]

    for constants in ((), (0, 1, 2)):
        outputs = run(
            model_of("Range", inputs, constants=constants), dict(zip(("x0", "x1", "x2"), inputs, strict=True))
        )
        check_equal([outputs["y0"]], [np.zeros(0, np.int64)])


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_one_hot_of_indices_in_and_out_of_range(axis: int) -> None:
    index = np.array([[1, -2, 0], [4, -9, 2]])
    values = np.array([-1.0, 2.0], np.float32)
    expected = np.full((2, 3, 4), -1.0, np.float32)
    for position in np.ndindex(2, 3):
        if -4 <= index[position] < 4:
            expected[(*position, index[position])] = 2.0

    for constants in ((), (1, 2)):
        model = model_of("OneHot", [index, np.array(4), values], {"axis": axis}, constants=constants)
        outputs = run(model, {"x0": index, "x1": np.array(4), "x2": values})
        check_equal([outputs["y0"]], [np.moveaxis(expected, -1, axis)])


@pytest.mark.parametrize("attrs", [{}, {"k": 1}, {"k": -2, "dtype": TensorProto.DOUBLE}])
def test_eye_like_equals_the_reference(attrs: dict[str, int]) -> None:
    check_against_reference("EyeLike", [np.zeros((3, 4), np.int32)], {"dtype": TensorProto.INT32, **attrs})


def test_eye_like_has_the_type_of_the_input() -> None:
    x = np.zeros((2, 2), np.int64)

    check_equal([run(model_of("EyeLike", [x]), {"x0": x})["y0"]], [np.eye(2, dtype=np.int64)])


@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("diagonal", [None, 1, -1])
def test_trilu_equals_the_reference(diagonal: int | None, upper: int) -> None:
    x = np.arange(1, 25).reshape(2, 3, 4)

    k = None if diagonal is None else np.array(diagonal)
    check_against_reference("Trilu", [x, k], {"upper": upper}, constants=[1])


def random_numbers(op: str, inputs: list[Array], attrs: dict[str, Any]) -> Array:
    model = model_of(op, list(inputs), attrs)
    feeds = {f"x{n}": array for n, array in enumerate(inputs)}
    first, again = run(model, feeds)["y0"], run(model, feeds)["y0"]
    np.testing.assert_array_equal(first, again)
    return first


@pytest.mark.parametrize("like", [False, True])
def test_uniform_numbers_have_shape_type_and_range(like: bool) -> None:
    attrs = {"low": 2.0, "high": 3.0, "dtype": TensorProto.DOUBLE, "seed": 5.0}
    name, inputs = ("RandomUniformLike", [QUARTERS]) if like else ("RandomUniform", [])

    output = random_numbers(name, inputs, attrs if like else {**attrs, "shape": [40, 50]})

    assert output.dtype == np.float64
    assert output.shape == (40, 50)
    assert 2 <= output.min() < 2.01 < 2.99 < output.max() < 3


@pytest.mark.parametrize("like", [False, True])
def test_normal_numbers_have_shape_mean_and_deviation(like: bool) -> None:
    name, inputs = ("RandomNormalLike", [QUARTERS]) if like else ("RandomNormal", [])

    output = random_numbers(
        name, inputs, {"mean": 4.0, "scale": 2.0, **({} if like else {"shape": [40, 50]})}
    )

    assert output.dtype == np.float32
    assert output.shape == (40, 50)
    assert abs(output.mean() - 4) < 0.2
    assert abs(output.std() - 2) < 0.2


def test_other_seeds_give_other_numbers() -> None:
    one, other = (random_numbers("RandomUniform", [], {"shape": [9], "seed": seed}) for seed in (1.0, 1.5))

    assert not np.array_equal(one, other)


def test_bernoulli_gives_ones_with_the_probability() -> None:
    output = random_numbers("Bernoulli", [QUARTERS], {"dtype": TensorProto.INT32})

    assert output.dtype == np.int32
    assert output.shape == (40, 50)
    assert set(np.unique(output)) == {0, 1}
    assert abs(output.mean() - 0.25) < 0.05


def test_multinomial_samples_by_log_probabilities() -> None:
    logs = np.log(np.array([[0.5, 0.5, 1e-9], [1e-9, 1e-9, 3.0]], np.float32))

    outputs = random_numbers("Multinomial", [logs], {"sample_size": 200})

    assert outputs.dtype == np.int32
    assert outputs.shape == (2, 200)
    assert set(outputs[0]) == {0, 1}
    assert set(outputs[1]) == {2}


def test_random_numbers_without_a_shape_are_refused() -> None:
    with pytest.raises(ModelParseError, match=r"node \(RandomNormal\): attribute shape is missing"):
        run(model_of("RandomNormal", []), {})
