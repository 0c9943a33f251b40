"""conv3d_transpose against the host's kernel."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kernels.cpu.bound import floats, run

CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "doubled": ((1, 12, 4, 5, 9), (12, 17, 4, 4, 4), {"strides": [2, 2, 2], "paddings": [1, 1, 1]}),
    "blocks": ((2, 3, 2, 3, 20), (3, 9, 2, 2, 2), {"strides": [2, 2, 2]}),
    "stride 1": ((1, 5, 4, 5, 6), (5, 4, 3, 3, 3), {"paddings": [1, 1, 1]}),
    "other strides": ((2, 3, 3, 4, 5), (3, 5, 3, 3, 3), {"strides": [2, 1, 3], "paddings": [0, 1, 2]}),
    "uneven padding": (
        (1, 9, 3, 4, 5),
        (9, 17, 3, 2, 4),
        {"strides": [1, 2, 3], "paddings": [1, 0, 1, 1, 0, 2], "output_padding": [0, 1, 1]},
    ),
    "one output channel": ((1, 6, 4, 4, 40), (6, 1, 4, 4, 4), {"strides": [2, 2, 2], "paddings": [1, 1, 1]}),
    "cut": ((1, 4, 6, 6, 9), (4, 3, 3, 3, 3), {"paddings": [3, 3, 4]}),
    "fewer outputs than the stride": (
        (1, 4, 1, 2, 9),
        (4, 3, 3, 3, 3),
        {"strides": [3, 1, 2], "paddings": [1, 1, 1]},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("has_bias", [False, True])
def test_conv3d_transpose_equals_the_hosts(case: Any, has_bias: bool) -> None:
    shape, filter_shape, attrs = case
    inputs = {"Input": floats(0, *shape), "Filter": floats(1, *filter_shape)}
    if has_bias:
        inputs["Bias"] = floats(2, filter_shape[1])

    _, is_compiled = run("conv3d_transpose", inputs, attrs, ["Filter", "Bias"], tolerance=1e-5)

    assert is_compiled


@pytest.mark.parametrize(
    ("shape", "filter_shape", "attrs"),
    [
        ((1, 4, 4, 4, 4), (4, 2, 2, 2, 2), {"groups": 2}),
        ((1, 4, 4, 4, 4), (4, 2, 2, 2, 2), {"dilations": [1, 1, 2]}),
        ((1, 4, 4, 4, 4), (4, 2, 1, 2, 2), {"strides": [2, 2, 2]}),
        ((1, 4, 1, 1, 1), (4, 2, 4, 4, 4), {}),
    ],
    ids=["groups", "dilated", "gaps", "one element"],
)
def test_others_are_left_to_the_host(
    shape: tuple[int, ...], filter_shape: tuple[int, ...], attrs: dict[str, Any]
) -> None:
    inputs = {"Input": floats(0, *shape), "Filter": floats(1, *filter_shape)}

    _, is_compiled = run("conv3d_transpose", inputs, attrs, ["Filter"], tolerance=1e-5)

    assert not is_compiled


def test_a_computed_filter_is_left_to_the_host() -> None:
    inputs = {"Input": floats(0, 1, 4, 4, 4, 8), "Filter": floats(1, 4, 8, 2, 2, 2)}

    _, is_compiled = run("conv3d_transpose", inputs, {})

    assert not is_compiled
