"""Regions through the bridges, computed by TpuLang in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from unittest import mock

import numpy as np

from lite.bridges.tpu.builder import Builder
from lite.bridges.tpu.device import Tpu, TpuOptions
from lite.ir.types import Array
from lite.plugin.device import Settings, convert
from tests.bridges.region import region
from tests.bridges.tpu.numpy_lang import NumpyLang, Tensor

TPU = Tpu(TpuOptions(), Settings())


class Recorder(Builder):
    """The device's builder with TpuLang in numpy; `results` are the region's."""

    def __init__(self, inputs: Sequence[Array]) -> None:
        self.numpy_lang = NumpyLang(inputs)
        with mock.patch("lite.bridges.tpu.builder.tpu_lang", return_value=self.numpy_lang):
            super().__init__("BM1684X")
        self.results: list[Array] = []

    def output(self, name: str, tensor: Tensor) -> None:
        super().output(name, tensor)
        self.results.append(tensor.value)


def converted(text: str, *inputs: Array) -> Recorder:
    """The builder after the conversion of a region."""
    recorder = Recorder(inputs)
    convert(region(text), TPU, recorder)
    return recorder


def numbers(*shape: int, low: float = -2.0, high: float = 2.0) -> Array:
    """Numbers of this shape, the same in each call."""
    return np.random.default_rng(0).uniform(low, high, shape).astype(np.float32)
