"""Every command shows on a terminal what it does while it optimises and runs models."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import TypeVar

import pytest
from rich.live import Live

from lite.passes.manager import PassManager
from lite.plugin.device import DEVICES, Device
from lite.plugin.loader import load_devices
from lite.runtime.executor import Runtime
from lite.tools import terminal
from tests.tools.tiny_model import call

pytestmark = pytest.mark.usefixtures("workplace")

T = TypeVar("T")

COMMANDS = (
    "run model_dir --shape x=2,4",
    "opt model_dir",
    "opt model_dir --save optimised.lbm",
    "visualize model_dir --html page.html",
    "profile model_dir --shape x=2,4",
    "profile model_dir --shape x=2,4 --html page.html",
    "stats model_dir --shape x=2,4",
    "compare model_dir --shape x=2,4 --passes-b ''",
    "bench model_dir --shape x=2,4 --runs 2",
    "memory model_dir --shape x=2,4",
    "report model_dir --shape x=2,4",
    "report model_dir --shape x=2,4 --device sim_npu --html page.html",
    "convert model_dir new_dir --shape x=2,4",
    "quantize model_dir --data samples -o int8",
    "build model_dir --shape x=2,4 -o new.lbm",
    "build model_dir --target c --shape x=2,4 -o c",
    "what-if model_dir --shape x=2,4 --device sim_npu --time",
    "plan model_dir --shape x=2,4 --device sim_npu --runs 2",
    "tune model_dir --shape x=2,4 --device sim_npu --cache-dir costs --budget 1",
    "bisect model_dir --shape x=2,4 --device sim_npu",
    "warmup model_dir --shape x=2,4",
    "map model_dir in/*.npz --out results --workers 1",
)


class _Screen:
    """Counts the displays that are shown, and the calls that nothing is shown for."""

    def __init__(self) -> None:
        self.shown = 0
        self.calls: list[bool] = []


class _Timer:
    """A timer that has no patience."""

    def __init__(self, seconds: float, action: Callable[[], None]) -> None:
        self.start = action

    def cancel(self) -> None:
        pass

    def join(self) -> None:
        pass


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> _Screen:
    """The displays of a terminal on which all work takes longer than `PATIENCE`."""
    screen = _Screen()

    def count(name: str, step: int) -> None:
        inner = getattr(Live, name)

        def counted(live: Live, *args: object, **kwargs: object) -> None:
            if live.is_started is (step < 0):
                screen.shown += step
            inner(live, *args, **kwargs)

        monkeypatch.setattr(Live, name, counted)

    def look(inner: Callable[..., T]) -> Callable[..., T]:
        def looking(*args: object, **kwargs: object) -> T:
            screen.calls.append(screen.shown > 0)
            return inner(*args, **kwargs)

        return looking

    count("start", 1)
    count("stop", -1)
    monkeypatch.setattr(PassManager, "run", look(PassManager.run))
    monkeypatch.setattr(Runtime, "run", look(Runtime.run))
    monkeypatch.setattr(terminal, "sys", SimpleNamespace(stderr=SimpleNamespace(isatty=lambda: True)))
    monkeypatch.setattr(terminal, "threading", SimpleNamespace(Timer=_Timer))
    return screen


@pytest.mark.parametrize("command", COMMANDS)
def test_no_work_without_a_word(screen: _Screen, command: str) -> None:
    result = call(*command.replace("''", "").split(" "))
    assert result.exit_code == 0, result.output
    assert screen.shown == 0
    assert screen.calls
    assert all(screen.calls)


def test_no_question_to_devices_without_a_word(screen: _Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    load_devices()
    device = DEVICES.get("sim_npu")
    available = device.available

    def look(self: Device[object]) -> str | None:
        screen.calls.append(screen.shown > 0)
        return available(self)

    monkeypatch.setattr(device, "available", look)
    for command in (("devices",), ("devices", "sim_npu")):
        assert call(*command).exit_code == 0
    assert screen.calls == [True, True]
