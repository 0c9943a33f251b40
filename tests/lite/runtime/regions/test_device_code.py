"""Methods of a device that raise, or return invalid objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lite
from lite.errors import CompileError
from lite.ir.lower import lower_graph
from lite.ir.program import Program
from lite.ir.text import parse_graph
from lite.plugin.device import CompiledModel
from lite.session.build import optimize
from tests.lite.runtime.regions.on_fake import AFFINE, X, check_affine, device_class, fake_predictor
from tests.support.fake_device import fake_device
from tests.support.log_records import warnings_in


def test_an_interrupt_while_building_is_not_remembered(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_device(*AFFINE) as faults:
        predictor = fake_predictor(model, fallback="error")
        original = device_class().compile

        def interrupted(*_: Any) -> CompiledModel:
            raise KeyboardInterrupt

        monkeypatch.setattr(device_class(), "compile", interrupted)
        with pytest.raises(KeyboardInterrupt):
            predictor.run([X])
        monkeypatch.setattr(device_class(), "compile", original)
        check_affine(predictor)
        assert predictor.report().regions[0].state == "built"
    assert faults.compiled == 1


def _no_such_pass(_: Any) -> list[str]:
    return ["no_such_pass"]


def _no_model(*_: Any) -> None:
    return None


@pytest.mark.parametrize(
    ("method", "fault", "message"),
    [
        ("region_passes", _no_such_pass, "no pass is called 'no_such_pass'"),
        ("compile", _no_model, "compiling returned None, expected a CompiledModel"),
    ],
)
def test_an_error_without_an_op_at_fault_leaves_the_region_to_the_host(
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    method: str,
    fault: Callable[..., Any],
    message: str,
) -> None:
    with fake_device(*AFFINE):
        monkeypatch.setattr(device_class(), method, fault)
        predictor = fake_predictor(model)
        for _ in range(2):
            check_affine(predictor)
        [warning] = warnings_in(caplog)
        assert message in warning
        with pytest.raises(CompileError, match=message):
            fake_predictor(model, fallback="error").run([X])


def test_a_device_that_fails_to_report_its_version_runs_without_the_cache(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def version(_: Any) -> str:
        raise OSError("no such register")

    with fake_device(*AFFINE) as faults:
        monkeypatch.setattr(device_class(), "version", version)
        predictor = fake_predictor(model, cache_dir=tmp_path / "cache", fallback="error")
        for _ in range(2):
            check_affine(predictor)
    assert (faults.compiled, faults.runs) == (1, 2)
    [warning] = warnings_in(caplog)
    assert "region 0 on fake: the model cannot be cached" in warning


@pytest.mark.parametrize("method", ["memory", "patterns"])
def test_a_device_that_fails_to_open_its_memory_or_patterns_is_unavailable(
    model: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, method: str
) -> None:
    def fails(_: Any) -> None:
        raise OSError("the driver is of another version")

    with fake_device(*AFFINE):
        monkeypatch.setattr(device_class(), method, fails)
        check_affine(fake_predictor(model))
        [warning] = warnings_in(caplog)
        assert "device fake cannot be used" in warning
        with pytest.raises(CompileError, match="the driver is of another version"):
            fake_predictor(model, fallback="error")


def test_a_device_that_cannot_be_opened_is_unavailable(
    model: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: Any) -> None:
        raise OSError("no such bus")

    message = "device fake cannot be used: fake: opening the device failed: OSError: no such bus"
    with fake_device(*AFFINE):
        monkeypatch.setattr(device_class(), "__init__", fails)
        predictor = fake_predictor(model)
        check_affine(predictor)
        assert (warnings_in(caplog), predictor.report().warnings) == ([message], [message])
        assert {tuple(op.why_not) for op in predictor.report().ops} == {("fake",)}
        with pytest.raises(CompileError, match=message):
            fake_predictor(model, fallback="error")
        [reason] = [info.why_not for info in lite.list_devices() if info.name == "fake"]
    assert reason is not None
    assert "no such bus" in reason


def test_availability_memory_and_patterns_are_requested_once_per_predictor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever the number of graphs and passes; the plan opens the memory once more."""
    calls: Counter[str] = Counter()

    def counted(name: str) -> Callable[[Any], Any]:
        method = getattr(device_class(), name)

        def call(self: Any) -> Any:
            calls[name] += 1
            return method(self)

        return call

    text = """
        graph main(%go: bool[1], %x: float32[2]) {
          Out=%y = conditional_block(Cond=%go, Input=%x) {carried=1, is_scalar_condition=true} : float32[2]
            graph block1(%x: float32[2]) { %a = relu(X=%x) %x#1 = relu(X=%a) return %x#1 }
          return %y
        }
    """
    with fake_device("relu"):
        for name in ("available", "memory", "patterns"):
            monkeypatch.setattr(device_class(), name, counted(name))
        config = lite.Config("", devices=["fake"], passes=["subgraph_pass", "subgraph_pass{device=fake}"])
        program = lower_graph(parse_graph(text), Program(), ["y"])
        ctx = optimize(program, config).context
    assert [region.ops for region in ctx.results.placed.regions] == [["a", "y#1"]]
    assert calls == {"available": 1, "memory": 2, "patterns": 1}
