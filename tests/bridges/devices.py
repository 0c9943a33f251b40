"""The devices under test; a test that opens a device is skipped where the device cannot be used."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import pytest

from lite.bridges.coreml.device import Coreml
from lite.bridges.coreml.model import CoremlModel
from lite.bridges.ethos_u.device import EthosU
from lite.bridges.ethos_u.model import EthosUModel
from lite.bridges.litert.compiled import LitertModel
from lite.bridges.litert.device import Litert
from lite.bridges.onnxruntime.device import OnnxRuntime
from lite.bridges.openvino.compiled import OpenvinoModel
from lite.bridges.openvino.device import Openvino
from lite.bridges.sim_npu.device import SimNpu
from lite.bridges.sim_npu.model import NpuModel
from lite.bridges.xla.compiled import XlaModel
from lite.bridges.xla.device import Xla
from lite.emission.onnx.session import Session
from lite.ir.types import Array
from lite.plugin.device import CompiledModel, Device, Settings
from tests.bridges.region import check, compiled, on_device, reasons

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
        model = compiled(device or self.open(), text)
        assert isinstance(model, self.model)
        return model

    def reasons(self, text: str) -> list[str | None]:
        """Why the device cannot run each op of a region; None for an op that it can run."""
        return reasons(self.open(), text)

    def why_not(self, text: str) -> str | None:
        """The reason for the only op of a region."""
        (reason,) = self.reasons(text)
        return reason

    def run(self, text: str, *inputs: Array) -> list[Array]:
        """The results of a region; inputs are in the order of its arguments."""
        return on_device(self.open(), text, inputs)

    def check(self, text: str, *inputs: Array) -> None:
        """Assert that the device takes every op of a region, and that its results equal the host's."""
        check(self.open(), text, *inputs)


@functools.cache
def _unavailable(device: type[Device[Any]]) -> str | None:
    return device(device.Options(), Settings()).available()


COREML = DeviceUnderTest(Coreml, CoremlModel)
ETHOS_U = DeviceUnderTest(EthosU, EthosUModel)
LITERT = DeviceUnderTest(Litert, LitertModel)
ONNXRUNTIME = DeviceUnderTest(OnnxRuntime, Session)
OPENVINO = DeviceUnderTest(Openvino, OpenvinoModel)
SIM_NPU = DeviceUnderTest(SimNpu, NpuModel)
XLA = DeviceUnderTest(Xla, XlaModel)
