"""Functions and methods of tensors; `paddle_functions.json` has their results with Paddle 3.3.1."""

from __future__ import annotations

import importlib
import json
import math
from collections.abc import Iterator
from typing import Any

import pytest

from lite.compat import paddle_inference
from lite.compat.paddle_inference.paddle.tensor import Tensor
from lite.errors import PluginError
from tests.support.data_folders import OWN

RESULTS: dict[str, Any] = json.loads((OWN / "paddle_functions.json").read_text(encoding="utf-8"))


@pytest.fixture
def names() -> Iterator[dict[str, Any]]:
    """The names in the expressions."""
    paddle_inference.install()
    paddle: Any = importlib.import_module("paddle")
    yield {
        "paddle": paddle,
        "A": paddle.to_tensor([[1.0, -2.0, 3.0], [4.0, 0.5, -6.0]]),
        "I": paddle.to_tensor([3, 1, 2]),
        "B": paddle.to_tensor([True, False]),
    }
    paddle_inference.uninstall()


def described(result: Any) -> Any:
    """Tensors as their element type and values; numbers within 1e-5 of the recorded ones are equal."""
    if isinstance(result, Tensor):
        return [str(result.dtype).removeprefix("paddle."), close(result.tolist())]
    if isinstance(result, (list, tuple)) and isinstance(result[0], Tensor):
        return [described(part) for part in result]
    return close(result)


def close(value: Any) -> Any:
    if isinstance(value, list):
        return [close(part) for part in value]
    return pytest.approx(value, rel=1e-5, abs=1e-6) if isinstance(value, float) else value


@pytest.mark.parametrize("expression", RESULTS)
def test_a_function_has_the_result_of_paddle(expression: str, names: dict[str, Any]) -> None:
    assert described(eval(expression, names)) == RESULTS[expression]


def test_names_that_are_not_there_can_be_imported_and_not_used(names: dict[str, Any]) -> None:
    paddle = names["paddle"]
    with pytest.raises(PluginError, match=r"paddle\.median is not there.*install paddlepaddle"):
        paddle.median(names["A"])
    with pytest.raises(AttributeError, match="no attribute 'medians'"):
        paddle.medians(names["A"])
    assert not hasattr(paddle, "is_compiled_with_maca")
    assert (paddle.pi, paddle.inf, paddle.newaxis) == (math.pi, math.inf, None)


def test_settings_of_layers_can_be_made_and_not_used(names: dict[str, Any]) -> None:
    paddle = names["paddle"]
    normal = paddle.nn.initializer.Normal(std=0.02)
    paddle.ParamAttr(initializer=normal, regularizer=paddle.regularizer.L2Decay(1e-4))
    with pytest.raises(PluginError, match=r"paddle\.nn\.initializer\.Normal is not there"):
        normal(names["A"])


def test_layers_without_parameters_are_there(names: dict[str, Any]) -> None:
    nn, tensor = names["paddle"].nn, names["A"]
    assert nn.Softmax(axis=0)(tensor).tolist() == nn.functional.softmax(tensor, axis=0).tolist()
    assert nn.LeakyReLU(0.5, name="act")(tensor).tolist() == [[1, -1, 3], [4, 0.5, -3]]
    assert nn.Identity()(tensor) is tensor
    with pytest.raises(PluginError, match=r"paddle\.nn\.Linear is not there"):
        nn.Linear(2, 3)
