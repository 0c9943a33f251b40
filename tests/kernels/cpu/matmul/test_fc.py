"""fc with constant weights against its definition in double precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from lite.plugin.kernel.run_context import run_context
from tests.kernels.cpu.bound import close, floats, run, run_compiled
from tests.kernels.cpu.split_work import split_work

ACTIVATIONS: dict[str, Callable[[Array], Any]] = {
    "": lambda v: v,
    "relu": lambda v: np.maximum(v, 0),
    "swish": lambda v: v / (1 + np.exp(-v)),
}


@pytest.mark.parametrize(
    ("rows", "depth", "channels"),
    [
        (1, 4, 3), (40, 120, 70), (9, 33, 8), (3, 1, 100), (4, 33, 70), (5, 9, 20),
        # Rows that are longer than the part of them that is multiplied at once.
        (1, 1025, 9), (9, 1025, 70), (40, 2500, 33), (7, 3001, 16), (30, 1100, 5),
    ],
)  # fmt: skip
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_fc_follows_the_definition(rows: int, depth: int, channels: int, activation: str) -> None:
    x, w, bias = floats(1, 2, rows, depth), floats(2, depth, channels), floats(3, channels)
    attrs = {"in_num_col_dims": 2, "activation": activation}
    (result,) = run_compiled("fc", {"Input": x, "W": w, "Bias": bias}, attrs, ["W", "Bias"])
    close(result, ACTIVATIONS[activation](x.astype(np.float64) @ w + bias))


@pytest.mark.parametrize(("rows", "depth", "channels"), [(1, 40, 700), (5, 1025, 333), (90, 1100, 700)])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_threads_share_the_columns(
    rows: int, depth: int, channels: int, activation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, w, bias = floats(1, rows, depth), floats(2, depth, channels), floats(3, channels)
    with run_context(2):
        split_work(monkeypatch)
        inputs, attrs = {"Input": x, "W": w, "Bias": bias}, {"activation": activation}
        (result,) = run_compiled("fc", inputs, attrs, ["W", "Bias"])
    close(result, ACTIVATIONS[activation](x.astype(np.float64) @ w + bias))


@pytest.mark.parametrize("constants", [(), ("W",), ("Bias",)])
def test_computed_weights_run_on_the_host(constants: tuple[str, ...]) -> None:
    x, w, bias = floats(1, 4, 5), floats(2, 5, 3), floats(3, 3)
    [result], is_compiled = run("fc", {"Input": x, "W": w, "Bias": bias}, {}, constants)
    assert not is_compiled
    close(result, x.astype(np.float64) @ w + bias)
