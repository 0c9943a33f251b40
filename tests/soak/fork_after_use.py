"""Forks after devices have run, many times: ``python -m tests.soak.fork_after_use --rounds 200``.

In each round the child runs the parent's predictor, a clone of it, and a predictor of its own.  A child that
gives a wrong answer, or none within the time limit, is a failure; so is a parent that answers wrongly later.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import click
import numpy as np

import lite
from lite.ir.program import Program
from lite.ir.types import Array
from tests.soak.forked import Child
from tests.support.device_availability import missing
from tests.support.small_convnet import convnet

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "host": {"valid_places": ["host"], "threads": 2},
    "cpu": {"threads": 2},
    "sim_npu": {"devices": ["sim_npu"], "threads": 2},
    "openvino": {"devices": ["openvino"]},
    "openvino, 2 threads": {"devices": ["openvino"], "threads": 2},
    "onnxruntime": {"devices": ["onnxruntime"]},
    "onnxruntime, 2 threads": {"devices": ["onnxruntime"], "threads": 2},
    "sim_npu, isolated": {"devices": ["sim_npu"], "isolate": True},
    "onnxruntime, isolated": {"devices": ["onnxruntime"], "isolate": True, "threads": 2},
}
"""Fields of the Config, by a name."""

TOLERANCE = 1e-3


def usable() -> list[str]:
    """The settings whose devices are available."""
    return [
        name
        for name, fields in SETTINGS.items()
        if all(missing(device) is None for device in fields.get("devices", ()))
    ]


class Round:
    """A model with its input and expected answer, in one setting."""

    def __init__(self, name: str, size: int) -> None:
        self.config = lite.Config(model_buffer=b"in memory", **SETTINGS[name])
        self.program: Program = convnet()
        self.x: Array = np.random.default_rng(1).standard_normal((1, 3, size, size)).astype(np.float32)
        host = lite.Config(model_buffer=b"in memory", valid_places=["host"])
        self.expected = lite.Predictor.of_program(self.program, host).run({"x": self.x})["y"]
        self.predictor = self.make()
        self.check(self.predictor)

    def make(self) -> lite.Predictor:
        """A predictor of its own."""
        return lite.Predictor.of_program(convnet(), self.config)

    def check(self, predictor: lite.Predictor) -> None:
        """Run once; raises `AssertionError` for a wrong answer."""
        answer = predictor.run({"x": self.x})["y"]
        difference = np.abs(answer - self.expected).max()
        assert difference <= TOLERANCE * np.abs(self.expected).max(), f"differs by {difference}"

    def in_child(self) -> str:
        """What the child does."""
        self.check(self.predictor)
        self.check(self.predictor.clone())
        self.check(self.make())
        return "right"


def run_rounds(name: str, rounds: int, seconds: float, size: int = 64) -> list[str]:
    """The failures of a number of rounds in one setting."""
    round_ = Round(name, size)
    failures = []
    for number in range(rounds):
        answer = Child.start(round_.in_child).answer(seconds)
        if answer != "right":
            failures.append(f"{name}, round {number}: {answer}")
        round_.check(round_.predictor)
    return failures


@click.command()
@click.option("--rounds", default=200, show_default=True, help="Rounds of each setting.")
@click.option("--seconds", default=30.0, show_default=True, help="Time limit of a child.")
@click.option("--size", default=64, show_default=True, help="Height and width of the images.")
@click.option("--setting", "names", multiple=True, help="Only this setting; may be repeated.")
def main(rounds: int, seconds: float, size: int, names: tuple[str, ...]) -> None:
    """Fork after devices have run, and check that children and parent answer rightly."""
    failed = 0
    for name in names or usable():
        failures = run_rounds(name, rounds, seconds, size)
        failed += len(failures)
        click.echo(f"{name}: {rounds} rounds, {len(failures)} failures")
        for failure in failures[:3]:
            click.echo(f"  {failure}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
