"""In how many ways one model is run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

import numpy as np
import onnx

import lite
from lite.dataclass import dataclass
from lite.ir.types import Array, DType, Layout, Place

STRICT, DEFAULT = 1e-4, 1e-3
"""Relative tolerances: DESIGN of equality, see docs/architecture.md."""


@dataclass(frozen=True)
class Configuration:
    """A name, the options of a Config, and how close results must be.

    With `is_strided`, inputs are every second element of larger arrays.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    tolerance: float = STRICT
    saved: bool = False
    is_external: bool = False
    is_strided: bool = False

    @property
    def is_exact(self) -> bool:
        """Whether infinite numbers stay where they are; see `strict` of the Config."""
        return self.options.get("precision") == "strict"

    def predictor(self, model: onnx.ModelProto) -> lite.Predictor:
        """A predictor of a model; raises what `lite` raises."""
        if self.is_external:
            return self._external(model)
        program = _program(model) if self.saved else None
        # A Paddle model has no weights of strings.
        if program is None or any(weight.array.dtype == object for weight in program.weights.values()):
            return lite.create_predictor(lite.Config(model_buffer=model.SerializeToString(), **self.options))
        with tempfile.TemporaryDirectory() as folder:
            lite.save_program(program, folder)
            return lite.create_predictor(lite.Config(folder, **self.options))

    def fed(self, array: Array) -> Array:
        """An input as this configuration feeds it."""
        if not self.is_strided or not isinstance(array, np.ndarray) or not array.ndim:
            return array
        return np.repeat(array, 2, axis=-1)[..., ::2]

    def _external(self, model: onnx.ModelProto) -> lite.Predictor:
        """The model with all numbers in a file of their own, which is gone before the first run."""
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/model.onnx"
            copy = onnx.ModelProto()
            copy.CopyFrom(model)
            onnx.save(copy, path, save_as_external_data=True, location="numbers", size_threshold=0)
            return lite.create_predictor(lite.Config(path, **self.options))


def _program(model: onnx.ModelProto) -> Any:
    from lite.plugin.format import ModelSource

    return lite.load_program(ModelSource(model=model.SerializeToString()))


HOST = {"valid_places": ("host",)}
_NHWC = (Place("cpu", DType.FLOAT32, Layout.NHWC), Place("cpu"), Place("host"))

CONFIGURATIONS: dict[str, Configuration] = {
    each.name: each
    for each in (
        Configuration("no passes", {**HOST, "passes": [], "precision": "strict"}),
        Configuration("host", {**HOST, "debug": True}),
        Configuration("cpu", {}, DEFAULT),
        Configuration("strict", {"precision": "strict"}),
        Configuration("strided inputs", {}, DEFAULT, is_strided=True),
        Configuration("threads", {"threads": 2}, DEFAULT),
        Configuration("nhwc", {"valid_places": _NHWC, "debug": True}, DEFAULT),
        Configuration("plain memory", {"memory": "plain"}, DEFAULT),
        Configuration("best fit memory", {**HOST, "memory": "best_fit"}, DEFAULT),
        Configuration("saved", HOST, DEFAULT, saved=True),
        Configuration("external data", HOST, DEFAULT, is_external=True),
        Configuration("sim_npu", {**HOST, "devices": ["sim_npu"]}, DEFAULT),
        Configuration("onnxruntime", {"devices": ["onnxruntime"]}, DEFAULT),
        Configuration("openvino", {"devices": ["openvino"]}, DEFAULT),
    )
}
ALWAYS = ("host", "cpu")

Choose = Callable[[], tuple[str, ...]]
