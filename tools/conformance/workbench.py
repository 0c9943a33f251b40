"""What the sections of a check share: the device, the probes it takes, a folder, and how results compare."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from lite.config import Config
from lite.errors import LiteError
from lite.ir.types import Array
from lite.plugin.device import Device
from lite.plugin.device.opening import open_device
from lite.session.predictor import Predictor, create_predictor
from lite.spec.grammar import parse_spec
from lite.tools.conformance.check import array_difference
from lite.tools.conformance.device_cases import TOLERANCE
from lite.tools.conformance.findings import Finding, Outcome
from lite.tools.conformance.probe import chain, save_probe, taken_probes

Answer = tuple[Outcome, str]
PASSED: Answer = ("passed", "")

LENGTH = 3
"""Ops of the model that most questions are asked with."""

NOTHING_TAKEN = "the device takes none of the ops that the kit can make a model of"


@dataclass(frozen=True)
class Workbench:
    """A device as the user writes it, and where models of the check lie."""

    text: str
    folder: Path

    @property
    def name(self) -> str:
        """The device's name, without options."""
        return parse_spec(self.text).name

    @cached_property
    def probes(self) -> list[str]:
        """The ops that models are made of."""
        return taken_probes(self.text)

    @cached_property
    def model(self) -> Path:
        """A chain of ops that the device takes; its input is ``x``, its output the last value."""
        return self.chain_of("model", open_batch=False)

    @cached_property
    def open_model(self) -> Path:
        """The same, for any number of images."""
        return self.chain_of("open_model", open_batch=True)

    def chain_of(self, name: str, *, open_batch: bool) -> Path:
        """Write the chain."""
        ops = chain(LENGTH)
        return save_probe(self.folder / name, ops, self.probes, [ops[-1].name], open_batch=open_batch)

    def open(self) -> Device[Any]:
        """The device, opened anew."""
        return open_device(self.text)

    def predictor(self, model: Path, **settings: Any) -> Predictor:
        """A predictor with the device, which must not fail."""
        wanted = {"fallback": "error", "min_subgraph_ops": 1, **settings}
        return create_predictor(Config(model, devices=[self.text], **wanted))

    def on_host(self, model: Path, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """What the host computes."""
        return create_predictor(Config(model, precision="strict")).run(dict(inputs))


def differences(have: Mapping[str, Array], want: Mapping[str, Array]) -> str:
    """How the first output that differs does; nothing: none."""
    for name, array in want.items():
        problem = array_difference(have[name], array, TOLERANCE)
        if problem:
            return f"{name}: {problem}"
    return ""


def judged(problem: str) -> Answer:
    """Wrong, for this reason, or passed."""
    return ("wrong", problem) if problem else PASSED


def answers(
    section: str, questions: Mapping[str, Callable[[], Answer]], advance: Callable[[], None]
) -> Sequence[Finding]:
    """Ask every question; an error of litebridge's that comes up is wrong."""
    found = []
    for name, ask in questions.items():
        try:
            outcome, detail = ask()
        except LiteError as error:
            outcome, detail = "wrong", f"{type(error).__name__}: {error}"
        found.append(Finding(section, name, outcome, detail))
        advance()
    return found
