"""Convolutions of products by a constant of the filter's sizes, which OpenVINO moves into the filter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lite
from lite.ir.program import AttrValue
from lite.ir.types import DType
from tests.support.device_availability import require
from tests.support.small_programs import make_program


@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize("op", ["conv2d", "conv2d_transpose"])
def test_a_product_by_the_filters_sizes_equals_the_host(op: str, padding: int) -> None:
    require("openvino")
    rng = np.random.default_rng(0)
    weights = {
        name: rng.uniform(0.5, 2, shape).astype(np.float32)
        for name, shape in (("a", (2, 4, 1, 2)), ("b", (2,)), ("f", (4, 4, 1, 2)))
    }
    attrs: dict[str, AttrValue] = {
        "strides": [1, 1],
        "paddings": [0, padding],
        "dilations": [1, 1],
        "groups": 1,
    }
    program = make_program(
        {"x": (DType.FLOAT32, (2, 4, 1, 1))},
        weights,
        [
            ("elementwise_div", {"X": ["a"], "Y": ["x"]}, {"Out": ["q"]}, {"axis": -1}),
            ("elementwise_mul", {"X": ["q"], "Y": ["b"]}, {"Out": ["p"]}, {"axis": -1}),
            (op, {"Input": ["p"], "Filter": ["f"]}, {"Output": ["y"]}, attrs),
        ],
        ["y"],
    )
    x = rng.uniform(0.5, 2, (2, 4, 1, 1)).astype(np.float32)
    places: dict[str, Any] = {"valid_places": ["host"], "min_subgraph_ops": 1}

    host, device = (
        lite.Predictor.of_program(
            program, lite.Config(model_buffer=b"in memory", devices=devices, **places)
        ).run({"x": x})["y"]
        for devices in ([], ["openvino"])
    )

    np.testing.assert_allclose(device, host, rtol=1e-5)
