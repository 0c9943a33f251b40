"""layer_norm and skip_layernorm against their definitions in double precision."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.cpu.bound import close, floats, run, run_compiled


def normalised(x: Array, axes: int, epsilon: float) -> Array:
    rows = x.reshape(*x.shape[:axes], -1).astype(np.float64)
    mean, variance = rows.mean(-1, keepdims=True), rows.var(-1, keepdims=True)
    result: Array = ((rows - mean) / np.sqrt(variance + epsilon)).reshape(x.shape)
    return result


@pytest.mark.parametrize("shape", [(2, 3), (4, 16), (3, 5, 13)])
@pytest.mark.parametrize("affine", [True, False])
def test_layer_norm_follows_the_definition(shape: tuple[int, ...], affine: bool) -> None:
    x = floats(1, *shape) + 3
    size = int(np.prod(shape[1:]))
    vectors = {"Scale": floats(2, size), "Bias": floats(3, size)} if affine else {}
    attrs = {"epsilon": 1e-3, "begin_norm_axis": 1}
    y, mean, variance = run_compiled("layer_norm", {"X": x, **vectors}, attrs)
    expected = normalised(x, 1, 1e-3)
    if affine:
        expected = expected * vectors["Scale"].reshape(shape[1:]) + vectors["Bias"].reshape(shape[1:])
    close(y, expected)
    rows = x.reshape(shape[0], -1)
    close(mean, rows.mean(1))
    close(variance, rows.var(1))


def test_layer_norm_of_an_empty_tensor_runs_on_the_host() -> None:
    (y, _, _), is_compiled = run("layer_norm", {"X": floats(1, 0, 3)}, {"begin_norm_axis": 1})
    assert not is_compiled
    assert y.shape == (0, 3)


def test_skip_layernorm_follows_the_definition() -> None:
    x, y, scale = floats(1, 2, 5, 12), floats(2, 2, 5, 12), floats(3, 12)
    attrs = {"epsilon": 1e-5, "begin_norm_axis": 2}
    (result,) = run_compiled("skip_layernorm", {"X": x, "Y": y, "Scale": scale}, attrs)
    close(result, normalised(x + y, 2, 1e-5) * scale)


@pytest.mark.parametrize("sizes", [(12,), (1, 12), (5, 12), (1, 5, 12), (1, 1, 12)])
def test_skip_layernorm_repeats_rows_along_the_first_axes(sizes: tuple[int, ...]) -> None:
    x, rows, scale = floats(1, 2, 5, 12), floats(4, *sizes), floats(3, 12)
    attrs = {"epsilon": 1e-5, "begin_norm_axis": 2}
    (result,) = run_compiled("skip_layernorm", {"X": x, "Y": rows, "Scale": scale}, attrs)
    close(result, normalised(x + rows, 2, 1e-5) * scale)


@pytest.mark.parametrize("sizes", [(1,), (5, 1), (2, 1, 12), (2, 5, 1)])
def test_skip_layernorm_that_broadcasts_other_axes_runs_on_the_host(sizes: tuple[int, ...]) -> None:
    x, rows, scale = floats(1, 2, 5, 12), floats(4, *sizes), floats(3, 12)
    attrs = {"epsilon": 1e-5, "begin_norm_axis": 2}
    [result], is_compiled = run("skip_layernorm", {"X": x, "Y": rows, "Scale": scale}, attrs)
    assert not is_compiled
    close(result, normalised(x + rows, 2, 1e-5) * scale)
