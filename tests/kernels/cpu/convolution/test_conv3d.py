"""conv3d against the host's kernel, which plain loops check."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kernels.cpu.bound import floats, run

CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "dense": ((2, 5, 6, 7, 20), (19, 5, 3, 3, 3), {"paddings": [1, 1, 1]}),
    "narrow": ((1, 16, 4, 5, 3), (40, 16, 2, 3, 2), {}),
    "strided": ((1, 3, 7, 9, 33), (24, 3, 1, 3, 3), {"strides": [1, 2, 2], "paddings": [0, 1, 1]}),
    "dilated rows": ((1, 8, 9, 9, 17), (8, 8, 3, 3, 3), {"dilations": [2, 3, 1], "paddings": [2, 3, 1]}),
    "uneven padding": ((1, 4, 5, 6, 10), (9, 4, 3, 2, 3), {"paddings": [0, 2, 1, 0, 3, 1]}),
    "dense of many channels": ((2, 19, 5, 6, 20), (9, 19, 3, 3, 3), {"paddings": [1, 1, 1]}),
    "uneven padding of many channels": (
        (1, 9, 5, 6, 10),
        (9, 9, 3, 2, 3),
        {"paddings": [0, 2, 1, 0, 3, 1]},
    ),
    "cut channels": ((1, 8, 6, 6, 30), (8, 8, 2, 2, 2), {"paddings": [-1, 0, -2, -1, -1, -3]}),
    "few channels, stride 3": (
        (2, 2, 7, 9, 40),
        (5, 2, 2, 2, 3),
        {"strides": [2, 1, 3], "paddings": [1, 0, 4]},
    ),
    "strided and cut": (
        (1, 3, 6, 9, 43),
        (7, 3, 2, 3, 3),
        {"strides": [2, 2, 2], "paddings": [0, 1, -1, 2, -2, 4]},
    ),
    "dilated along rows": (
        (1, 16, 4, 5, 40),
        (9, 16, 2, 2, 3),
        {"dilations": [1, 2, 3], "paddings": [0, 1, 3]},
    ),
    "strided and dilated": (
        (1, 9, 4, 9, 40),
        (9, 9, 2, 2, 3),
        {"dilations": [1, 2, 3], "strides": [1, 3, 2]},
    ),
    "dense of one plane": ((2, 9, 1, 7, 8), (40, 9, 3, 3, 3), {"paddings": [1, 1, 1]}),
    "dense of narrow rows": ((1, 9, 3, 3, 3), (40, 9, 3, 3, 3), {"paddings": [1, 1, 1]}),
    "dense of two columns": ((1, 9, 2, 2, 2), (40, 9, 1, 3, 1), {"paddings": [0, 1, 0]}),
    "dense, more padding than filter": ((1, 9, 2, 3, 5), (40, 9, 2, 2, 2), {"paddings": [3, 4, 5]}),
    "dense, dilated over the borders": (
        (1, 9, 3, 4, 13),
        (40, 9, 3, 3, 2),
        {"dilations": [3, 2, 1], "strides": [2, 1, 2], "paddings": [3, 2, 1]},
    ),
    "strided pointwise": ((2, 30, 5, 7, 23), (17, 30, 1, 1, 1), {"strides": [2, 2, 2]}),
    "padded pointwise": ((1, 9, 2, 3, 5), (17, 9, 1, 1, 1), {"paddings": [1, 2, 1]}),
    "one output of few channels": ((3, 2, 2, 3, 3), (5, 2, 2, 3, 3), {}),
    "pointwise": ((1, 30, 3, 4, 14), (70, 30, 1, 1, 1), {}),
    "many pixels": ((2, 5, 3, 13, 29), (9, 5, 1, 1, 1), {}),
    "pointwise, many pixels of many channels": ((2, 100, 3, 11, 13), (19, 100, 1, 1, 1), {}),
    "strided pointwise of few outputs": ((2, 9, 4, 9, 23), (5, 9, 1, 1, 1), {"strides": [1, 2, 2]}),
    "few outputs": ((2, 20, 3, 9, 30), (5, 20, 3, 3, 3), {"paddings": [1, 1, 1]}),
    "one output": ((1, 20, 3, 9, 150), (1, 20, 3, 3, 3), {"paddings": [1, 1, 1]}),
    "few outputs, dilated and strided": (
        (1, 11, 4, 9, 40),
        (8, 11, 2, 2, 3),
        {"dilations": [1, 2, 3], "strides": [1, 3, 2], "paddings": [1, 2, 3]},
    ),
    "few channels, many outputs": ((2, 3, 2, 9, 17), (45, 3, 1, 3, 3), {"strides": [1, 2, 2]}),
    "many channels": ((2, 700, 1, 5, 7), (13, 700, 1, 1, 1), {}),
    "more padding than filter": ((1, 2, 1, 1, 1), (8, 2, 1, 1, 1), {"paddings": [1, 2, 3]}),
    "negative padding": ((1, 2, 6, 6, 30), (8, 2, 2, 2, 2), {"paddings": [-1, 0, -2, -1, -1, -3]}),
    "depthwise": ((2, 13, 4, 6, 21), (13, 1, 3, 3, 3), {"groups": 13, "paddings": [1, 1, 1]}),
    "depthwise in time": ((1, 40, 8, 5, 9), (40, 1, 5, 1, 1), {"groups": 40, "paddings": [2, 0, 0]}),
    "depthwise in time of one column": (
        (1, 2, 8, 16, 1),
        (2, 1, 2, 1, 1),
        {"groups": 2, "strides": [1, 1, 2]},
    ),
    "depthwise in time of one row": (
        (2, 3, 8, 1, 17),
        (3, 1, 3, 1, 1),
        {"groups": 3, "strides": [2, 3, 1], "paddings": [1, 0, 0]},
    ),
    "depthwise planes": ((1, 8, 3, 9, 30), (8, 1, 1, 3, 3), {"groups": 8, "strides": [1, 2, 2]}),
    "depthwise wide": ((1, 3, 3, 5, 90), (3, 1, 2, 3, 3), {"groups": 3, "paddings": [1, 1, 1]}),
    "depthwise wide strided": ((2, 2, 3, 5, 80), (2, 1, 1, 3, 3), {"groups": 2, "strides": [1, 1, 2]}),
    "depthwise stride 3": ((1, 2, 3, 5, 40), (2, 1, 1, 2, 3), {"groups": 2, "strides": [2, 1, 3]}),
    "depthwise video": (
        (1, 3, 7, 20, 20),
        (3, 1, 3, 3, 3),
        {"groups": 3, "strides": [1, 2, 2], "paddings": [1, 1, 1]},
    ),
    "depthwise video, narrow": (
        (2, 3, 9, 7, 11),
        (3, 1, 3, 3, 3),
        {"groups": 3, "strides": [1, 2, 2], "paddings": [1, 1, 1]},
    ),
    "depthwise video, two zeros before": (
        (1, 3, 10, 6, 37),
        (3, 1, 3, 5, 5),
        {"groups": 3, "strides": [1, 2, 2], "paddings": [1, 2, 2]},
    ),
    "depthwise video, dilated": (
        (1, 2, 9, 8, 35),
        (2, 1, 3, 3, 3),
        {"groups": 2, "dilations": [1, 2, 2], "paddings": [1, 2, 2]},
    ),
    "depthwise strided and cut": (
        (2, 2, 6, 9, 43),
        (2, 1, 2, 3, 3),
        {"groups": 2, "strides": [2, 2, 2], "paddings": [0, 1, -1, 2, -2, 4]},
    ),
    "depthwise strided and dilated": (
        (1, 2, 9, 9, 40),
        (2, 1, 2, 2, 3),
        {"groups": 2, "strides": [1, 3, 2], "dilations": [2, 2, 3]},
    ),
    "depthwise one output": ((2, 3, 3, 3, 3), (3, 1, 3, 3, 3), {"groups": 3}),
    "depthwise cut": ((1, 2, 6, 6, 30), (2, 1, 2, 2, 2), {"groups": 2, "paddings": [-1, 0, -2, 1, -1, 3]}),
    "depthwise dilated": ((1, 16, 7, 7, 12), (16, 1, 2, 2, 2), {"groups": 16, "dilations": [2, 1, 3]}),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("has_bias", [False, True])
def test_conv3d_equals_the_hosts(case: Any, has_bias: bool) -> None:
    shape, filter_shape, attrs = case
    inputs = {"Input": floats(0, *shape), "Filter": floats(1, *filter_shape)}
    if has_bias:
        inputs["Bias"] = floats(2, filter_shape[0])

    _, is_compiled = run("conv3d", inputs, attrs, ["Filter", "Bias"], tolerance=1e-5)

    assert is_compiled


@pytest.mark.parametrize(
    "case", ["dense of many channels", "pointwise", "strided", "few outputs", "depthwise video"]
)
@pytest.mark.parametrize(("activation", "params"), [("relu", []), ("relu6", [0.7])])
def test_an_activation_that_limits_numbers_is_the_last_step(
    case: str, activation: str, params: list[float]
) -> None:
    shape, filter_shape, attrs = CASES[case]
    inputs = {"Input": floats(0, *shape), "Filter": floats(1, *filter_shape)}
    attrs = {**attrs, "activation": activation, "activation_params": params}

    # The limits leave small numbers of sums of large ones.
    _, is_compiled = run("conv3d", inputs, attrs, ["Filter"], tolerance=1e-4)

    assert is_compiled


def test_other_activations_are_left_to_the_host() -> None:
    inputs = {"Input": floats(0, 1, 8, 4, 4, 8), "Filter": floats(1, 8, 8, 2, 2, 2)}

    _, is_compiled = run("conv3d", inputs, {"activation": "swish", "activation_params": [1.0]}, ["Filter"])

    assert not is_compiled


def test_groups_of_several_channels_are_left_to_the_host() -> None:
    inputs = {"Input": floats(0, 1, 4, 4, 4, 8), "Filter": floats(1, 8, 2, 2, 2, 2)}

    _, is_compiled = run("conv3d", inputs, {"groups": 2}, ["Filter"])

    assert not is_compiled


def test_a_computed_filter_is_left_to_the_host() -> None:
    inputs = {"Input": floats(0, 1, 4, 4, 4, 8), "Filter": floats(1, 8, 4, 2, 2, 2)}

    _, is_compiled = run("conv3d", inputs, {})

    assert not is_compiled
