"""The devices under test; a test that opens a device is skipped where the device cannot be used."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import pytest

from lite.bridges.onnxruntime.device import OnnxRuntime
from lite.bridges.onnxruntime.session import Session
from lite.bridges.openvino.compiled import OpenvinoModel
from lite.bridges.openvino.device import Openvino
from lite.bridges.sim_npu.device import SimNpu
from lite.bridges.sim_npu.model import NpuModel
from lite.ir.types import Array
from lite.plugin.device import CompiledModel, Device, Settings
from lite.plugin.device.convert import why_not
from lite.plugin.loader import load_bridges
from tests.bridges.arrays import assert_close
from tests.bridges.region import on_host, region, signature_of

D = TypeVar("D", bound=Device[Any])
M = TypeVar("M", bound=CompiledModel)


@dataclass(frozen=True)
class DeviceUnderTest(Generic[D, M]):
    """A device and the class of its compiled models; regions are given as text."""

    device: type[D]
    model: type[M]

    def open(self, settings: Settings | None = None, /, **options: Any) -> D:
        """The device, opened with these options."""
        reason = _unavailable(self.device)
        if reason is not None:
            pytest.skip(reason)
        return self.device(self.device.Options(**options), settings or Settings())

    def compile(self, text: str, device: D | None = None) -> M:
        """The model of a region."""
        graph = region(text)
        model = (device or self.open()).compile(graph, signature_of(graph))
        assert isinstance(model, self.model)
        return model

    def reasons(self, text: str) -> list[str | None]:
        """Why the device cannot run each op of a region; None for an op that it can run."""
        graph, device = region(text), self.open()
        load_bridges(device.name, {node.op for node in graph})
        return [why_not(node, device) for node in graph]

    def why_not(self, text: str) -> str | None:
        """The reason for the only op of a region."""
        (reason,) = self.reasons(text)
        return reason

    def run(self, text: str, *inputs: Array) -> list[Array]:
        """The results of a region; inputs are in the order of its arguments."""
        model, count = self.compile(text), len(region(text).results)
        return [np.asarray(result) for result in model.run(inputs, [None] * count)]

    def check(self, text: str, *inputs: Array, tolerance: float = 1e-3) -> None:
        """Assert that the device takes every op of a region, and that its results equal the host's."""
        assert self.reasons(text) == [None] * len(region(text))
        for result, expected in zip(self.run(text, *inputs), on_host(text, inputs), strict=True):
            assert_close(result, expected, tolerance)


@functools.cache
def _unavailable(device: type[Device[Any]]) -> str | None:
    return device(device.Options(), Settings()).available()


ONNXRUNTIME = DeviceUnderTest(OnnxRuntime, Session)
OPENVINO = DeviceUnderTest(Openvino, OpenvinoModel)
SIM_NPU = DeviceUnderTest(SimNpu, NpuModel)
