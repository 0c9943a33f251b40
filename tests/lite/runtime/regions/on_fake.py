"""Predictors of small models on the fake device, with their inputs and expected results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import lite
from lite.ir.types import Array
from lite.plugin.device import DEVICES
from tests.support.small_programs import affine_reference

AFFINE = ("elementwise_mul", "elementwise_add", "relu", "scale")
CONVNET = ("conv2d", "relu", "reduce_mean", "matmul_v2")
X = np.array([[1, 2, 3, 4], [-1, -2, -3, -4]], np.float32)


def fake_predictor(model: Path, **options: Any) -> lite.Predictor:
    """The model with the device ``fake``."""
    return lite.create_predictor(lite.Config(model, devices=["fake"], **options))


def image(size: int = 6, batch: int = 1) -> Array:
    """An input image of the network."""
    return np.random.default_rng(size).standard_normal((batch, 3, size, size)).astype(np.float32)


def host_result(net: Path, x: Array) -> Array:
    """The network's result for an image, without devices."""
    return lite.create_predictor(lite.Config(net)).run([x])["y"]


def device_class() -> type[Any]:
    """The class of the fake device, for patches."""
    return DEVICES.get("fake")


def check_affine(predictor: lite.Predictor, x: Array = X) -> None:
    """Run the model of arithmetic and compare."""
    np.testing.assert_array_equal(predictor.run([x])["y"], affine_reference(x))


def check_net(predictor: lite.Predictor, net: Path, x: Array) -> None:
    """Run the network and compare with the host."""
    np.testing.assert_allclose(predictor.run([x])["y"], host_result(net, x), rtol=1e-4, atol=1e-5)
