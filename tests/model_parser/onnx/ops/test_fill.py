"""Range, OneHot, EyeLike, Trilu and the windows against ONNX's reference."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto

from tests.model_parser.onnx.node_models import matches_reference, model_of, run, same


@pytest.mark.parametrize(
    "numbers", [np.array([1.0, 6.0, 1.5], np.float32), np.array([10, 4, -2]), np.array([3, 3, 1], np.int16)]
)
def test_range(numbers: np.ndarray) -> None:
    matches_reference("Range", [number.reshape(()) for number in numbers], constants=[0, 2])


@pytest.mark.parametrize("numbers", [[5, 2, 1], [2, 5, -1], [2, 2, 1]])
def test_range_of_nothing(numbers: list[int]) -> None:
    inputs = [np.array(number) for number in numbers]

    for constants in ((), (0, 1, 2)):
        found = run(
            model_of("Range", inputs, constants=constants), dict(zip(("x0", "x1", "x2"), inputs, strict=True))
        )
        same([found["y0"]], [np.zeros(0, np.int64)])


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_one_hot(axis: int) -> None:
    index = np.array([[1, -2, 0], [4, -9, 2]])
    values = np.array([-1.0, 2.0], np.float32)
    wanted = np.full((2, 3, 4), -1.0, np.float32)
    for place in np.ndindex(2, 3):
        if -4 <= index[place] < 4:
            wanted[(*place, index[place])] = 2.0

    for constants in ((), (1, 2)):
        model = model_of("OneHot", [index, np.array(4), values], {"axis": axis}, constants=constants)
        found = run(model, {"x0": index, "x1": np.array(4), "x2": values})
        same([found["y0"]], [np.moveaxis(wanted, -1, axis)])


@pytest.mark.parametrize("attrs", [{}, {"k": 1}, {"k": -2, "dtype": TensorProto.DOUBLE}])
def test_eye_like(attrs: dict[str, int]) -> None:
    matches_reference("EyeLike", [np.zeros((3, 4), np.int32)], {"dtype": TensorProto.INT32, **attrs})


def test_eye_in_the_type_of_the_input() -> None:
    x = np.zeros((2, 2), np.int64)

    same([run(model_of("EyeLike", [x]), {"x0": x})["y0"]], [np.eye(2, dtype=np.int64)])


@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("diagonal", [None, 1, -1])
def test_trilu(diagonal: int | None, upper: int) -> None:
    x = np.arange(1, 25).reshape(2, 3, 4)

    k = None if diagonal is None else np.array(diagonal)
    matches_reference("Trilu", [x, k], {"upper": upper}, constants=[1])


@pytest.mark.parametrize("periodic", [0, 1])
@pytest.mark.parametrize("op", ["HannWindow", "HammingWindow", "BlackmanWindow"])
def test_windows(op: str, periodic: int) -> None:
    attrs = {"periodic": periodic, "output_datatype": TensorProto.DOUBLE}
    size = 10
    angle = 2 * np.pi * np.arange(size) / (size if periodic else size - 1)
    wanted = {
        "HannWindow": np.sin(angle / 2) ** 2,
        "HammingWindow": 25 / 46 - 21 / 46 * np.cos(angle),
        "BlackmanWindow": 0.42 - 0.5 * np.cos(angle) + 0.08 * np.cos(2 * angle),
    }

    for constants in ((), (0,)):
        model = model_of(op, [np.array(size)], attrs, constants=constants)
        same([run(model, {"x0": np.array(size)})["y0"]], [wanted[op]], 1e-7)
