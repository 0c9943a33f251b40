"""Tensors of inputs and outputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lite.compat.paddlelite import CxxConfig, CxxPredictor, PrecisionType, TargetType, create_paddle_predictor
from lite.errors import InputError
from tests.lite.compat.paddle_inference import models
from tests.lite.compat.paddlelite.run_model import ROWS


@pytest.fixture
def predictor(model: str) -> CxxPredictor:
    """x: float32 [-1, 3] → y."""
    config = CxxConfig()
    config.set_model_dir(model)
    return create_paddle_predictor(config)


def test_a_new_tensor_has_a_description_and_no_elements(predictor: CxxPredictor) -> None:
    x, y = predictor.get_input(0), predictor.get_output(0)
    assert (x.shape(), x.precision(), x.target(), x.lod()) == (
        [-1, 3],
        PrecisionType.FP32,
        TargetType.Host,
        [],
    )
    with pytest.raises(InputError, match="has no elements"):
        x.numpy()
    with pytest.raises(InputError, match="run the predictor first"):
        y.numpy()


def test_from_numpy_copies(predictor: CxxPredictor) -> None:
    array = ROWS.copy()
    predictor.get_input(0).from_numpy(array)
    array[:] = 100
    predictor.run()
    y = predictor.get_output(0)

    np.testing.assert_array_equal(y.numpy(), models.relu_of_sum(ROWS))
    assert (y.shape(), y.precision(), y.target(), y.lod()) == (
        [1, 3],
        PrecisionType.FP32,
        TargetType.Host,
        [],
    )


def test_numpy_returns_the_array_without_a_copy(predictor: CxxPredictor) -> None:
    x = predictor.get_input(0)
    x.resize([2, 3])
    np.testing.assert_array_equal(x.numpy(), np.zeros((2, 3), np.float32))
    x.numpy()[1] = ROWS[0]
    predictor.run()
    expected = models.relu_of_sum(np.concatenate([np.zeros_like(ROWS), ROWS]))
    np.testing.assert_array_equal(predictor.get_output(0).numpy(), expected)


def test_the_next_run_does_not_change_an_output(predictor: CxxPredictor) -> None:
    x, y = predictor.get_input(0), predictor.get_output(0)
    x.from_numpy(ROWS)
    predictor.run()
    first = y.numpy()
    x.from_numpy(ROWS * 2)
    predictor.run()
    np.testing.assert_array_equal(first, models.relu_of_sum(ROWS))
    np.testing.assert_array_equal(y.numpy(), models.relu_of_sum(ROWS * 2))


def test_elements_are_set_and_read_as_lists(predictor: CxxPredictor) -> None:
    x = predictor.get_input(0)
    x.resize([1, 3])
    x.set_float_data([1, 2.0, -3])
    predictor.run()
    assert x.float_data() == [1.0, 2.0, -3.0]
    assert predictor.get_output(0).float_data() == models.relu_of_sum(ROWS).ravel().tolist()


def test_elements_need_a_shape_of_their_number(predictor: CxxPredictor) -> None:
    x = predictor.get_input(0)
    with pytest.raises(InputError, match=r"shape \[-1, 3\]; call resize"):
        x.set_float_data([1, 2, 3])
    x.resize([1, 3])
    with pytest.raises(InputError, match=r"expected 3 elements for the shape \[1, 3\], got 4"):
        x.set_float_data([1, 2, 3, 4])


def test_resize_to_the_same_number_of_elements_keeps_them(tmp_path: Path) -> None:
    config = CxxConfig()
    config.set_model_dir(str(models.save_two_inputs(tmp_path / "two")))
    a = create_paddle_predictor(config).get_input(0)
    a.from_numpy(np.arange(4, dtype=np.float32))
    a.resize([4])
    assert a.float_data() == [0.0, 1.0, 2.0, 3.0]
    with pytest.raises(InputError, match=r"expected shape \[\?\]"):
        a.resize([2, 2])
    assert a.shape() == [4]
    a.resize([2])
    assert a.float_data() == [0.0, 0.0]


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.float16])
def test_another_element_type_is_refused(predictor: CxxPredictor, dtype: type[np.generic]) -> None:
    with pytest.raises(InputError, match="'x': expected dtype float32, got"):
        predictor.get_input(0).from_numpy(ROWS.astype(dtype))


def test_setters_of_another_type_are_refused(predictor: CxxPredictor) -> None:
    x = predictor.get_input(0)
    x.resize([1, 3])
    for setter in (x.set_int32_data, x.set_int8_data, x.set_uint8_data):
        with pytest.raises(InputError, match="'x': expected dtype float32, got"):
            setter([1, 2, 3])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([300, 0, 0], "from -128 to 127, got 0 to 300"),
        ([0.5, 0, 0], "int8 elements"),
        (["a"] * 3, "int8 elements"),
    ],
)
def test_values_outside_the_element_type_are_refused(
    predictor: CxxPredictor, data: list[object], message: str
) -> None:
    x = predictor.get_input(0)
    x.resize([1, 3])
    with pytest.raises(InputError, match=message):
        x.set_int8_data(data)  # type: ignore[arg-type]


def test_getters_of_another_type_are_refused(predictor: CxxPredictor) -> None:
    x = predictor.get_input(0)
    x.from_numpy(ROWS)
    for getter in (x.int32_data, x.int8_data, x.uint8_data):
        with pytest.raises(InputError, match=r"elements of float32, not u?int\d+; read it with numpy"):
            getter()


def test_a_wrong_shape_is_refused(predictor: CxxPredictor) -> None:
    with pytest.raises(InputError, match=r"'x': expected shape"):
        predictor.get_input(0).from_numpy(np.zeros((1, 4), np.float32))


def test_data_of_another_type_is_refused(predictor: CxxPredictor) -> None:
    with pytest.raises(InputError, match="expected a numpy array, got list"):
        predictor.get_input(0).from_numpy([[1.0, 2.0, 3.0]])  # type: ignore[arg-type]


def test_a_tensor_on_other_hardware_gives_a_warning(
    predictor: CxxPredictor, caplog: pytest.LogCaptureFixture
) -> None:
    x = predictor.get_input(0)
    x.from_numpy(ROWS, TargetType.ARM)
    assert caplog.records == []
    x.from_numpy(ROWS, place=TargetType.CUDA)
    x.resize([1, 3])
    x.set_float_data([1, 2, 3], TargetType.CUDA)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    predictor.run()


def test_outputs_are_read_only(predictor: CxxPredictor) -> None:
    predictor.get_input(0).from_numpy(ROWS)
    predictor.run()
    y = predictor.get_output(0)
    y.resize([7])
    assert y.shape() == [1, 3]
    with pytest.raises(InputError, match="'y' is an output of the model"):
        y.from_numpy(ROWS)
    with pytest.raises(InputError, match="'y' is an output of the model"):
        y.set_lod([[0, 1]])
    with pytest.raises(InputError, match="'y' is an output of the model"):
        y.set_float_data([1, 2, 3])


def test_a_lod_set_before_or_after_the_array_is_used(tmp_path: Path) -> None:
    config = CxxConfig()
    config.set_model_dir(str(models.save_sequences(tmp_path / "sequences")))
    predictor = create_paddle_predictor(config)
    x, y = predictor.get_input(0), predictor.get_output(0)
    x.set_lod([[0, 1, 3]])
    x.from_numpy(np.array([[1], [2], [3]], np.float32))
    predictor.run()
    assert (x.lod(), y.lod(), y.float_data()) == ([[0, 1, 3]], [[0, 1, 3]], [1.0, 3.0, 2.0])

    x.set_lod([[0, 3]])
    predictor.run()
    assert (x.lod(), y.lod(), y.float_data()) == ([[0, 3]], [[0, 3]], [3.0, 2.0, 1.0])


@pytest.mark.parametrize("name", ["int32", "int8", "uint8"])
def test_integers_are_set_and_read(tmp_path: Path, name: str) -> None:
    config = CxxConfig()
    config.set_model_dir(str(models.save_copy(tmp_path / name, name)))
    predictor = create_paddle_predictor(config)
    x, y = predictor.get_input(0), predictor.get_output(0)
    x.resize([3])
    getattr(x, f"set_{name}_data")([1, 2, 100])
    predictor.run()
    assert getattr(x, f"{name}_data")() == getattr(y, f"{name}_data")() == [1, 2, 100]
    assert y.precision() is PrecisionType[name.upper()]
