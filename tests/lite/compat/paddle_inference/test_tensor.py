"""Handles of inputs and outputs, and tensors outside a predictor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lite.compat.paddle_inference import Config, DataType, Predictor, Tensor, create_predictor
from lite.compat.paddle_inference.paddle.tensor import to_tensor
from lite.errors import InputError
from tests.lite.compat.paddle_inference import models

ROWS = np.array([[1, 2, -3], [-4, 0.5, 6]], np.float32)


@pytest.fixture
def predictor(model: str) -> Predictor:
    return create_predictor(Config(model))


def test_handles_describe_and_read_each_run(predictor: Predictor) -> None:
    x, y = predictor.get_input_handle("x"), predictor.get_output_handle("y")
    assert (x.name(), x.shape(), x.type(), x.lod()) == ("x", [-1, 3], DataType.FLOAT32, [])

    for rows in (ROWS, ROWS[:1] * 2, ROWS):
        x.copy_from_cpu(rows)
        predictor.run()

        np.testing.assert_array_equal(y.copy_to_cpu(), models.relu_of_sum(rows))
        assert (x.shape(), y.shape()) == (list(rows.shape), list(rows.shape))
        assert (y.name(), y.type(), y.lod()) == ("y", DataType.FLOAT32, [])


def test_an_input_is_kept_for_the_next_run(predictor: Predictor) -> None:
    predictor.get_input_handle("x").copy_from_cpu(ROWS)
    assert predictor.run()
    assert predictor.run()

    np.testing.assert_array_equal(predictor.get_output_handle("y").copy_to_cpu(), models.relu_of_sum(ROWS))


def test_copy_from_cpu_copies_and_share_external_data_does_not(predictor: Predictor) -> None:
    x, y = predictor.get_input_handle("x"), predictor.get_output_handle("y")
    rows = ROWS.copy()
    x.copy_from_cpu(rows)
    rows[:] = 7
    predictor.run()
    np.testing.assert_array_equal(y.copy_to_cpu(), models.relu_of_sum(ROWS))

    x.share_external_data(rows)
    rows[:] = 5
    predictor.run()
    np.testing.assert_array_equal(y.copy_to_cpu(), models.relu_of_sum(rows))

    x.share_external_data(to_tensor(ROWS))
    predictor.run()
    np.testing.assert_array_equal(y.copy_to_cpu(), models.relu_of_sum(ROWS))


def test_the_result_of_copy_to_cpu_is_a_copy(predictor: Predictor) -> None:
    x, y = predictor.get_input_handle("x"), predictor.get_output_handle("y")
    x.copy_from_cpu(ROWS)
    predictor.run()
    first = y.copy_to_cpu()
    first[:] = 9
    x.copy_to_cpu()[:] = 9

    np.testing.assert_array_equal(y.copy_to_cpu(), models.relu_of_sum(ROWS))
    np.testing.assert_array_equal(x.copy_to_cpu(), ROWS)
    predictor.run()
    np.testing.assert_array_equal(first, np.full((2, 3), 9, np.float32))


def test_reshape_sets_the_shape_of_the_next_array(predictor: Predictor) -> None:
    x, y = predictor.get_input_handle("x"), predictor.get_output_handle("y")
    x.reshape([2, 3])
    assert x.shape() == [2, 3]
    x.copy_from_cpu(ROWS)

    x.reshape([4, 3])
    assert x.shape() == [4, 3]
    x.copy_from_cpu(np.zeros((4, 3), np.float32))
    predictor.run()
    np.testing.assert_array_equal(y.copy_to_cpu(), models.relu_of_sum(np.zeros((4, 3), np.float32)))


def test_reshape_to_the_same_number_of_elements_keeps_them(tmp_path: Path) -> None:
    predictor = create_predictor(Config(str(models.save_two_inputs(tmp_path))))
    a = predictor.get_input_handle("a")
    tensor = Tensor("", np.array([[1, 2]], np.float32))
    tensor.reshape(2)

    a.share_external_data(tensor)
    a.reshape(2)
    np.testing.assert_array_equal(a.copy_to_cpu(), np.array([1, 2], np.float32))


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.uint8])
def test_a_wrong_dtype_is_refused_and_the_last_array_is_kept(predictor: Predictor, dtype: type) -> None:
    x = predictor.get_input_handle("x")
    x.copy_from_cpu(ROWS)

    with pytest.raises(InputError, match=f"'x': expected dtype float32, got {np.dtype(dtype).name}"):
        x.copy_from_cpu(ROWS.astype(dtype))

    predictor.run()
    np.testing.assert_array_equal(predictor.get_output_handle("y").copy_to_cpu(), models.relu_of_sum(ROWS))


def test_a_wrong_shape_is_refused(predictor: Predictor) -> None:
    with pytest.raises(InputError, match=r"got \[2, 4\]"):
        predictor.get_input_handle("x").copy_from_cpu(np.zeros((2, 4), np.float32))


@pytest.mark.parametrize("data", [[[1.0, 2.0, 3.0]], 1.0, None, []])
def test_data_of_another_type_is_refused(predictor: Predictor, data: object) -> None:
    with pytest.raises(InputError, match="expected a numpy array or a list of str"):
        predictor.get_input_handle("x").copy_from_cpu(data)  # type: ignore[arg-type]


def test_a_list_of_str_becomes_an_array_of_objects() -> None:
    tensor = Tensor("text")
    tensor.copy_from_cpu(["ab", "c"])

    assert tensor.copy_to_cpu().tolist() == ["ab", "c"]
    assert tensor.copy_to_cpu().dtype == object


def test_an_output_is_read_only_and_needs_a_run(predictor: Predictor) -> None:
    y = predictor.get_output_handle("y")
    y.reshape([1])
    for read in (y.copy_to_cpu, y.numpy, y.shape, y.type, y.lod):
        with pytest.raises(InputError, match="'y' has no value yet"):
            read()
    with pytest.raises(InputError, match="'y' is an output"):
        y.copy_from_cpu(ROWS)
    with pytest.raises(InputError, match="'y' is an output"):
        y.share_external_data(ROWS)
    with pytest.raises(InputError, match="'y' is an output"):
        y.set_lod([[0, 2]])


def test_an_input_without_an_array_cannot_be_read(predictor: Predictor) -> None:
    with pytest.raises(InputError, match="'x' has no array yet"):
        predictor.get_input_handle("x").copy_to_cpu()


@pytest.mark.parametrize("lod_first", [True, False])
def test_a_lod_set_before_or_after_the_array_is_used(tmp_path: Path, lod_first: bool) -> None:
    predictor = create_predictor(Config(str(models.save_sequences(tmp_path))))
    x, y = predictor.get_input_handle("x"), predictor.get_output_handle("y")
    rows = np.arange(5, dtype=np.float32).reshape(5, 1)
    if lod_first:
        x.set_lod([[0, 2, 5]])
        x.copy_from_cpu(rows)
    else:
        x.copy_from_cpu(rows)
        x.set_lod([[0, 2, 5]])
    predictor.run()

    assert y.copy_to_cpu().ravel().tolist() == [1, 0, 4, 3, 2]
    assert x.lod() == y.lod() == [[0, 2, 5]]
