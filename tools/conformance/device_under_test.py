"""The device that a check runs on, with its probe models, and the form of a check."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from lite.config import Config
from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.plugin.device import Device, Precision
from lite.session.devices import open_in_its_process
from lite.session.predictor import Predictor, create_predictor
from lite.spec.grammar import parse_spec
from lite.tools.conformance.check import array_difference
from lite.tools.conformance.findings import Outcome
from lite.tools.conformance.probe_models import chain, save_probe, supported_probes

Result = tuple[Outcome, str]
"""The outcome of a check and its detail."""

Check = Callable[[], Result]

PASSED: Result = ("passed", "")

LENGTH = 3
"""The number of ops of the probe model that most checks use."""

COMPILATION_OF_KERNELS = ("lite.kernels.", "lite.session.compile_process")
"""Loggers whose warnings say nothing about the device: the host's kernels are compiled on a new machine."""

NO_PROBE = "the device supports none of the ops from which the kit builds its probe models"


@dataclass(frozen=True)
class DeviceUnderTest:
    """A device, as the user writes it with its options, and a folder for the models of the checks."""

    text: str
    folder: Path

    @property
    def name(self) -> str:
        """The device's name, without options."""
        return parse_spec(self.text).name

    @cached_property
    def precision(self) -> Precision:
        """The precision in which the device computes float ops."""
        return self.open().precisions[0]

    @cached_property
    def probes(self) -> list[str]:
        """The ops of the probe models: those that the device supports."""
        return supported_probes(self.text)

    @cached_property
    def model(self) -> Path:
        """A chain of ops that the device supports; its input is ``x``, its output the last value."""
        return self._save_chain("model", open_batch=False)

    @cached_property
    def open_model(self) -> Path:
        """The same chain for any number of images."""
        return self._save_chain("open_model", open_batch=True)

    def _save_chain(self, name: str, *, open_batch: bool) -> Path:
        ops = chain(LENGTH)
        return save_probe(self.folder / name, ops, self.probes, [ops[-1].name], open_batch=open_batch)

    def open(self) -> Device[Any]:
        """A new instance of the device."""
        return open_in_its_process(self.text)

    def predictor(self, model: Path, **settings: Any) -> Predictor:
        """A predictor that uses the device; by default a failure of the device is an error."""
        settings = {"fallback": "error", "min_subgraph_ops": 1, **settings}
        return create_predictor(Config(model, devices=[self.text], **settings))

    def on_host(self, model: Path, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """The host's results, in strict precision."""
        return create_predictor(Config(model, precision="strict")).run(dict(inputs))

    def differences(self, got: Mapping[str, Array], expected: Mapping[str, Array]) -> str:
        """Describe the first output that differs by more than the device's precision allows; "" for none."""
        for name, array in expected.items():
            problem = array_difference(got[name], array, self.precision.tolerance)
            if problem:
                return f"{name}: {problem}"
        return ""


def result_of(problem: str) -> Result:
    """Wrong with this problem, or passed if it is ""."""
    return ("wrong", problem) if problem else PASSED


class _ListHandler(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.addFilter(lambda record: not record.name.startswith(COMPILATION_OF_KERNELS))
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@contextmanager
def captured_warnings() -> Iterator[list[str]]:
    """Collect warnings in a list instead of logging them, without those of `COMPILATION_OF_KERNELS`."""
    log = logging.getLogger("lite")
    handler = _ListHandler()
    handlers, propagate = log.handlers[:], log.propagate
    log.handlers[:], log.propagate = [handler], False
    try:
        yield handler.messages
    finally:
        log.handlers[:], log.propagate = handlers, propagate
