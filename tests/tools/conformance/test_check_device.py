"""The kit on a conforming device, and on devices with one fault each."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite.errors import CompileError, ConfigError
from lite.ir.types import Array
from lite.plugin.device import BRIDGES, DEVICES, BridgeOp, Device
from lite.tools.conformance import Conformance, check_device
from lite.tools.conformance.findings import SECTIONS, Finding, Tally
from tests.support import fake_device as fakes
from tests.support.fake_device import FakeModel, HostOp, fake_device

OPS = ("relu", "sigmoid", "elementwise_add", "matmul_v2")


def check(*sections: str, ops: Sequence[str] = ("relu",), device: str = "fake") -> Conformance:
    return check_device(device, ops, sections)


def problems(conformance: Conformance) -> dict[str, str]:
    return {finding.name: finding.detail for finding in conformance.wrong}


@contextmanager
def replaced(method: str, new: Callable[..., Any]) -> Iterator[None]:
    """Replace a method of the registered fake device."""
    cls: Any = DEVICES.get("fake")
    old = getattr(cls, method)
    setattr(cls, method, new)
    yield
    setattr(cls, method, old)


def test_a_conforming_device_passes_all_sections() -> None:
    with fake_device(*OPS):
        result = check(ops=OPS)
    assert problems(result) == {}
    assert result.ok
    assert [tally.name for tally in result.sections()] == list(SECTIONS)
    assert [(tally.name, tally.passed > 0) for tally in result.ops()] == [(op, True) for op in sorted(OPS)]
    declined = {(f.section, f.name): f.detail for f in result.findings if f.outcome == "declined"}
    assert set(declined) == {
        ("shapes", "one compiled model for all shapes"),
        ("cache", "another process loads the stored model"),
        ("cache", "models compiled together are loaded and give the same results"),
    }


def test_dynamic_shapes_are_checked() -> None:
    with fake_device(*OPS, dynamic=True):
        (tally,) = check("shapes").sections()
    assert (tally.passed, tally.declined, tally.wrong) == (3, 0, 0)


def test_a_device_with_options_and_its_own_memory_conforms() -> None:
    for device in ("sim_npu", "sim_npu{memory=true, max_ops=2}"):
        result = check("runs", "shapes", "cache", "threads", "faults", device=device)
        assert problems(result) == {}
        assert all(tally.passed for tally in result.sections())


def test_wrong_results_are_found_in_each_section() -> None:
    with fake_device(*OPS) as faults:
        faults.result = lambda array: array + np.ones((), array.dtype)
        result = check("ops", "partition", "runs", "shapes", "cache", "threads", "faults")
    assert not result.ok
    for tally in result.sections():
        assert tally.wrong, tally.name
    assert "values differ" in problems(result)["relu 0"]


def test_an_accepted_op_that_does_not_compile_is_wrong() -> None:
    with fake_device(*OPS) as faults:
        faults.compile = frozenset({"relu"})
        result = check("ops")
    message = "the device accepted the op and then failed: CompileError: fake: compiling failed: no circuit"
    assert all(message in detail for detail in problems(result).values())
    assert result.sections()[0].score == 0


def test_a_refusal_of_known_sizes_is_declined() -> None:
    """With open sizes, a bridge may decline an op when the sizes become known."""

    def compile_(self: Any, graph: Any, signature: Any) -> Any:
        if any(0 in (arg.shape or ()) for arg in graph.args):
            raise CompileError("no empty tensors")
        return compiled(self, graph, signature)

    def why_not(self: HostOp, op: BridgeOp, device: Device[Any]) -> str | None:
        return "it has no elements at all" if 0 in (op["X"].shape or ()) else None

    with fake_device(*OPS):
        compiled = DEVICES.get("fake").compile
        with replaced("compile", compile_), pytest.MonkeyPatch.context() as patch:
            patch.setattr(HostOp, "why_not", why_not)
            result = check("ops")
    assert problems(result) == {}
    assert any("no empty tensors" in finding.detail for finding in result.findings)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda: "no", "expected a sentence of at least 3 words as the reason, got 'no'"),
        (lambda: [][1], "why_not() raised an exception: fake: asking about relu"),
    ],
)
def test_an_invalid_reason_is_wrong(
    answer: Callable[[], str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HostOp, "why_not", lambda *_: answer())
    with fake_device("relu"):
        result = check("ops")
    assert all(detail.startswith(message) for detail in problems(result).values())
    assert len(problems(result)) > 1


def test_a_region_that_is_refused_is_declined() -> None:
    with fake_device("relu"), replaced("why_not_region", lambda *_: "the region is too large"):
        result = check("ops", "runs")
    assert {finding.detail for finding in result.findings} >= {"the region is too large"}
    assert not result.wrong
    assert not result.ok, "no finding passed"


def test_a_changing_version_is_wrong() -> None:
    numbers = itertools.count()
    with fake_device("relu"), replaced("version", lambda _: f"build {next(numbers)}"):
        result = check("device")
    assert "two calls of version()" in problems(result)["version() returns a constant, non-empty string"]


def test_a_version_without_a_number_is_wrong() -> None:
    with fake_device("relu"), replaced("version", lambda _: "the SDK"):
        result = check("device")
    assert problems(result)["version() returns a constant, non-empty string"].startswith(
        "version() is 'the SDK', without a number"
    )


def test_an_overwritten_result_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    buffers: dict[int, Array] = {}

    def run(self: FakeModel, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        (result,) = plain(self, inputs, outputs)
        buffer = buffers.setdefault(id(self), result)
        np.copyto(buffer, result)
        return [buffer]

    plain = FakeModel.run
    monkeypatch.setattr(FakeModel, "run", run)
    with fake_device(*OPS):
        result = check("runs")
    name = "a run does not overwrite earlier results"
    assert problems(result)[name] == "a run overwrote the result of the run before"


def test_a_modified_input_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(self: FakeModel, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> Sequence[Array]:
        results = plain(self, inputs, outputs)
        inputs[0][...] = 0
        return results

    plain = FakeModel.run
    monkeypatch.setattr(FakeModel, "run", run)
    with fake_device(*OPS):
        result = check("runs")
    assert "a run does not modify its inputs" in problems(result)
    assert "read-only" in problems(result)["a read-only input is accepted"]


def test_a_load_method_that_accepts_anything_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        fake_device(*OPS) as faults,
        replaced("load", lambda _, blob: FakeModel(fakes.Builder(), faults, blob)),
    ):
        result = check("cache")
    detail = problems(result)["load() rejects invalid data"]
    assert detail == "load() accepted no bytes; expected a CompileError"


def test_a_device_that_stores_no_models_declines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeModel, "serialize", lambda _: None)
    with fake_device(*OPS):
        result = check("cache", "faults")
    assert result.ok
    cache = result.sections()[0]
    assert (cache.name, cache.passed, cache.declined) == ("cache", 0, 7)


def test_a_model_that_is_not_thread_safe_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    busy: list[int] = []

    def run(self: FakeModel, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> Sequence[Array]:
        busy.append(1)
        results = plain(self, inputs, outputs)
        wait.wait(0.02)
        alone = len(busy) == 1
        busy.pop()
        return results if alone else [result + np.ones((), result.dtype) for result in results]

    import threading

    wait = threading.Event()
    plain = FakeModel.run
    monkeypatch.setattr(FakeModel, "run", run)
    with fake_device(*OPS):
        assert "clones of a predictor that has run" not in problems(check("threads"))
        monkeypatch.setattr(FakeModel, "threads", "shared")
        assert "clones of a predictor that has run" in problems(check("threads"))


def test_a_device_without_probe_models_declines() -> None:
    with fake_device("concat"):
        result = check_device("fake", ["concat"])
    assert problems(result) == {}
    details = {f.section: f.detail for f in result.findings if f.outcome == "declined" and f.name == "all"}
    assert set(details) == {"runs", "shapes", "cache", "threads", "faults"}
    assert result.total.passed


def test_unknown_names_and_unusable_devices_are_errors() -> None:
    with pytest.raises(ConfigError, match="no device is called 'sim_nup'; did you mean 'sim_npu'"):
        check_device("sim_nup")
    with pytest.raises(ConfigError, match="the kit has no case of the op 'rleu'; did you mean 'relu"):
        check("ops", ops=["rleu"], device="sim_npu")
    with pytest.raises(ConfigError, match="no section is called 'op'"):
        check("op", device="sim_npu")
    with fake_device("relu") as faults:
        faults.missing = "the driver is not installed"
        with pytest.raises(CompileError, match="cannot use the device fake: the driver is not installed"):
            check("device")


def test_progress_is_reported_after_each_check() -> None:
    calls: list[tuple[int, int]] = []
    with fake_device(*OPS):
        check_device("fake", ["relu"], ["ops", "runs"], lambda done, total: calls.append((done, total)))
    ops, total = calls[0][1], calls[-1][1]
    # The checks of a section count when it begins.
    assert 0 < ops < total
    assert calls == [(n + 1, ops if n < ops else total) for n in range(total)]


def test_the_score_leaves_out_declined_findings() -> None:
    findings = [
        Finding("ops", "a", "passed"),
        Finding("ops", "b", "wrong", "x"),
        Finding("ops", "c", "declined", "y"),
    ]
    assert Tally.of("ops", findings) == Tally("ops", 1, 1, 1, "x")
    assert Tally.of("ops", findings).score == 0.5
    assert Tally.of("ops", findings[2:]).score is None
    assert not Conformance("d", "1", "0", findings).ok
    assert Conformance("d", "1", "0", findings[:1]).ok
    assert not Conformance("d", "1", "0", findings[2:]).ok


@pytest.fixture(autouse=True)
def no_bridge_remains() -> Iterator[None]:
    yield
    assert [key for key in BRIDGES if key[0] == "fake"] == []


def test_a_device_conforms_on_a_machine_where_no_kernel_is_compiled(tmp_path: Path) -> None:
    environment = {**os.environ, "LITEBRIDGE_KERNEL_CACHE": str(tmp_path / "kernels")}
    command = "from lite.tools.start import main; main()"
    arguments = ["check-device", "sim_npu", "--section", "faults"]
    subprocess.run([sys.executable, "-c", command, *arguments], env=environment, check=True)
    assert (tmp_path / "kernels").exists()
