"""Random ops: types, shapes, ranges, and the same numbers at each run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import model_of, run

X = np.full((40, 50), 0.25, np.float32)


def drawn(op: str, inputs: list[Array], attrs: dict[str, Any]) -> Array:
    model = model_of(op, list(inputs), attrs)
    fed = {f"x{n}": array for n, array in enumerate(inputs)}
    first, again = run(model, fed)["y0"], run(model, fed)["y0"]
    np.testing.assert_array_equal(first, again)
    return first


@pytest.mark.parametrize("like", [False, True])
def test_uniform(like: bool) -> None:
    attrs = {"low": 2.0, "high": 3.0, "dtype": TensorProto.DOUBLE, "seed": 5.0}
    name, inputs = ("RandomUniformLike", [X]) if like else ("RandomUniform", [])

    found = drawn(name, inputs, attrs if like else {**attrs, "shape": [40, 50]})

    assert found.dtype == np.float64
    assert found.shape == (40, 50)
    assert 2 <= found.min() < 2.01 < 2.99 < found.max() < 3


@pytest.mark.parametrize("like", [False, True])
def test_normal(like: bool) -> None:
    name, inputs = ("RandomNormalLike", [X]) if like else ("RandomNormal", [])

    found = drawn(name, inputs, {"mean": 4.0, "scale": 2.0, **({} if like else {"shape": [40, 50]})})

    assert found.dtype == np.float32
    assert found.shape == (40, 50)
    assert abs(found.mean() - 4) < 0.2
    assert abs(found.std() - 2) < 0.2


def test_seeds_differ() -> None:
    one, other = (drawn("RandomUniform", [], {"shape": [9], "seed": seed}) for seed in (1.0, 1.5))

    assert not np.array_equal(one, other)


def test_bernoulli() -> None:
    found = drawn("Bernoulli", [X], {"dtype": TensorProto.INT32})

    assert found.dtype == np.int32
    assert found.shape == (40, 50)
    assert set(np.unique(found)) == {0, 1}
    assert abs(found.mean() - 0.25) < 0.05


def test_multinomial() -> None:
    logs = np.log(np.array([[0.5, 0.5, 1e-9], [1e-9, 1e-9, 3.0]], np.float32))

    found = drawn("Multinomial", [logs], {"sample_size": 200})

    assert found.dtype == np.int32
    assert found.shape == (2, 200)
    assert set(found[0]) == {0, 1}
    assert set(found[1]) == {2}


def test_missing_shape() -> None:
    with pytest.raises(ModelParseError, match=r"node \(RandomNormal\): attribute shape is missing"):
        run(model_of("RandomNormal", []), {})
