"""Predictors: names, both forms of run, clones and pools."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from lite.compat.paddle_inference import Config, DataType, Predictor, PredictorPool, create_predictor
from lite.compat.paddle_inference.paddle.tensor import to_tensor
from lite.errors import ConfigError, InputError
from tests.lite.compat.paddle_inference import models


@pytest.fixture
def two(tmp_path: Path) -> Predictor:
    return Predictor(Config(str(models.save_two_inputs(tmp_path / "two"))))


def test_inputs_and_outputs_have_names_shapes_and_types(two: Predictor) -> None:
    assert two.get_input_names() == ["a", "b"]
    assert two.get_output_names() == ["y"]
    assert two.get_input_tensor_shape() == {"a": [-1], "b": [-1]}
    assert two.get_input_types() == {"a": DataType.FLOAT32, "b": DataType.FLOAT32}


def test_an_unknown_name_is_refused_with_near_names(model: str) -> None:
    predictor = create_predictor(Config(model))
    with pytest.raises(InputError, match="no input 'X'"):
        predictor.get_input_handle("X")
    with pytest.raises(InputError, match="no output 'yy'; did you mean 'y'"):
        predictor.get_output_handle("yy")


def test_an_input_without_an_array_is_named(two: Predictor) -> None:
    two.get_input_handle("a").copy_from_cpu(np.ones(2, np.float32))
    with pytest.raises(InputError, match="inputs are missing: b"):
        two.run()


def test_run_on_a_list_returns_tensors_in_order(two: Predictor) -> None:
    a, b = np.array([5, 7], np.float32), np.array([1, 9], np.float32)

    (y,) = two.run([to_tensor(a), b])
    (swapped,) = two.run([b, to_tensor(a)])

    assert (y.name, y.shape) == ("y", [2])
    np.testing.assert_array_equal(y.numpy(), a - b)
    np.testing.assert_array_equal(swapped.numpy(), b - a)


def test_run_on_a_list_passes_lods(tmp_path: Path) -> None:
    predictor = create_predictor(Config(str(models.save_sequences(tmp_path))))
    x = to_tensor(np.arange(3, dtype=np.float32).reshape(3, 1))
    x.set_lod([[0, 1, 3]])

    (y,) = predictor.run([x])

    assert y.numpy().ravel().tolist() == [0, 2, 1]
    assert y.lod() == [[0, 1, 3]]


def test_run_on_a_list_of_another_length_is_refused(two: Predictor) -> None:
    with pytest.raises(InputError, match=r"takes 2 inputs \(a, b\), got 1"):
        two.run([np.ones(2, np.float32)])


def test_shrinking_memory_changes_no_result(model: str) -> None:
    predictor = create_predictor(Config(model))
    predictor.get_input_handle("x").copy_from_cpu(np.ones((1, 3), np.float32))
    predictor.run()
    predictor.clear_intermediate_tensor()
    assert predictor.try_shrink_memory() == 0

    np.testing.assert_array_equal(
        predictor.get_output_handle("y").copy_to_cpu(), models.relu_of_sum(np.ones((1, 3), np.float32))
    )


def test_a_clone_has_its_own_handles(model: str) -> None:
    first = create_predictor(Config(model))
    first.get_input_handle("x").copy_from_cpu(np.ones((1, 3), np.float32))
    second = first.clone()

    assert second.get_input_handle("x").shape() == [-1, 3]
    with pytest.raises(InputError, match="inputs are missing: x"):
        second.run()


def test_clones_run_concurrently_in_threads(model: str) -> None:
    first = create_predictor(Config(model))
    wrong: list[int] = []

    def work(predictor: Predictor, seed: int) -> None:
        x, y = predictor.get_input_handle("x"), predictor.get_output_handle("y")
        for size in range(1, 60):
            rows = np.full((size, 3), seed * size, np.float32)
            x.copy_from_cpu(rows)
            predictor.run()
            if not np.array_equal(y.copy_to_cpu(), models.relu_of_sum(rows)):
                wrong.append(size)

    threads = [threading.Thread(target=work, args=(p, n)) for n, p in enumerate((first, first.clone()), -1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []


def test_the_predictors_of_a_pool_are_independent(model: str) -> None:
    pool = PredictorPool(Config(model), 2)
    rows = [np.full((1, 3), value, np.float32) for value in (2, -2)]
    for number in range(2):
        pool.retrive(number).get_input_handle("x").copy_from_cpu(rows[number])
    for number in range(2):
        pool.retrieve(number).run()

    for number in range(2):
        result = pool.retrive(number).get_output_handle("y").copy_to_cpu()
        np.testing.assert_array_equal(result, models.relu_of_sum(rows[number]))
    with pytest.raises(ConfigError, match="expected an index from 0 to 1, got 2"):
        pool.retrive(2)
    with pytest.raises(ConfigError, match="expected 1 predictor or more, got 0"):
        PredictorPool(Config(model), 0)
