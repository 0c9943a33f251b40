"""Convolutions of one channel to one column, which OpenVINO computes wrongly with some strides."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import lite
from lite.ir.program import AttrValue
from lite.ir.types import DType
from tests.bridges.devices import OPENVINO
from tests.support.device_availability import require
from tests.support.small_programs import make_program


def text(image: str, strides: str, channels: int = 1) -> str:
    axes = strides.count(",") + 1
    kernel = ",".join(["3"] * axes)
    return (
        f"graph main(%x: float32[{image}], %f: float32[4,{channels},{kernel}]) "
        f"{{ Output=%y = conv{axes}d(Input=%x, Filter=%f) {{strides={strides}}} return %y }}"
    )


@pytest.mark.parametrize(
    ("image", "strides", "channels", "is_declined"),
    [
        ("1,1,5,3", "[1, 2]", 1, True),
        ('1,1,5,"w"', "[1, 2]", 1, True),
        ("1,1,5,6", "[1, 2]", 1, False),
        ("1,1,5,3", "[2, 2]", 1, False),
        ("1,1,5,3", "[1, 1]", 1, False),
        ("1,2,5,3", "[1, 2]", 2, False),
        ("1,1,4,5,3", "[2, 1, 2]", 1, True),
        ("1,1,4,5,6", "[2, 1, 2]", 1, False),
        ("1,1,4,5,3", "[1, 2, 2]", 1, False),
    ],
)
def test_these_convolutions_are_declined_and_their_neighbours_are_not(
    image: str, strides: str, channels: int, is_declined: bool
) -> None:
    why_not = OPENVINO.why_not(text(image, strides, channels))
    assert (why_not is not None) == is_declined
    if is_declined:
        assert str(why_not).startswith(f"OpenVINO computes one column wrongly with strides {strides}")


def test_narrow_convolutions_equal_the_host() -> None:
    require("openvino")
    rng = np.random.default_rng(0)
    for channels, width, down, right, padding in itertools.product((1, 2), (2, 3, 5), (1, 2), (2, 3), (0, 1)):
        if width + 2 * padding < 3:
            continue
        weight = rng.standard_normal((8, channels, 3, 3)).astype(np.float32)
        attrs: dict[str, AttrValue] = {
            "strides": [down, right],
            "paddings": [0, padding],
            "dilations": [1, 1],
            "groups": 1,
        }
        program = make_program(
            {"x": (DType.FLOAT32, (1, channels, 6, width))},
            {"w": weight},
            [("conv2d", {"Input": ["x"], "Filter": ["w"]}, {"Output": ["y"]}, attrs)],
            ["y"],
        )
        x = rng.standard_normal((1, channels, 6, width)).astype(np.float32)
        places: dict[str, Any] = {"valid_places": ["host"], "min_subgraph_ops": 1}
        host, device = (
            lite.Predictor.of_program(
                program, lite.Config(model_buffer=b"in memory", devices=devices, **places)
            ).run({"x": x})["y"]
            for devices in ([], ["openvino"])
        )
        np.testing.assert_allclose(device, host, rtol=0, atol=1e-3 * np.abs(host).max())
