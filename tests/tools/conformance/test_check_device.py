"""The kit on devices: one that conforms, and devices that are wrong in one way each."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from lite.errors import CompileError, ConfigError
from lite.ir.types import Array
from lite.plugin.device import BRIDGES, DEVICES, BridgeOp, Device
from lite.tools.conformance import Conformance, check_device
from lite.tools.conformance.findings import SECTIONS, Finding, Tally
from tests import fake_device as fakes
from tests.fake_device import FakeModel, HostOp, fake_device

OPS = ("relu", "sigmoid", "elementwise_add", "matmul_v2")


def check(*sections: str, ops: Sequence[str] = ("relu",), device: str = "fake") -> Conformance:
    return check_device(device, ops, sections)


def wrong(found: Conformance) -> dict[str, str]:
    return {finding.name: finding.detail for finding in found.wrong}


@contextmanager
def replaced(method: str, new: Callable[..., Any]) -> Iterator[None]:
    """Another method for the registered fake device."""
    cls: Any = DEVICES.get("fake")
    old = getattr(cls, method)
    setattr(cls, method, new)
    yield
    setattr(cls, method, old)


def test_a_device_that_conforms() -> None:
    with fake_device(*OPS):
        found = check(ops=OPS)
    assert wrong(found) == {}
    assert found.ok
    assert [tally.name for tally in found.sections()] == list(SECTIONS)
    assert [(tally.name, tally.passed > 0) for tally in found.ops()] == [(op, True) for op in sorted(OPS)]
    declined = {(f.section, f.name): f.detail for f in found.findings if f.outcome == "declined"}
    assert set(declined) == {("shapes", "one model for any shape"), ("cache", "in another process too")}


def test_a_device_with_dynamic_shapes() -> None:
    with fake_device(*OPS, dynamic=True):
        (tally,) = check("shapes").sections()
    assert (tally.passed, tally.declined, tally.wrong) == (3, 0, 0)


def test_the_reference_device_with_options_and_with_memory_of_its_own() -> None:
    for device in ("sim_npu", "sim_npu{memory=true, max_ops=2}"):
        found = check("runs", "shapes", "cache", "threads", "faults", device=device)
        assert wrong(found) == {}
        assert all(tally.passed for tally in found.sections())


def test_wrong_numbers_are_seen_everywhere() -> None:
    with fake_device(*OPS) as faults:
        faults.result = lambda array: array + np.ones((), array.dtype)
        found = check("ops", "partition", "runs", "shapes", "cache", "threads", "faults")
    assert not found.ok
    for tally in found.sections():
        assert tally.wrong, tally.name
    assert "values differ" in wrong(found)["relu 0"]


def test_an_op_that_is_taken_and_then_refused() -> None:
    with fake_device(*OPS) as faults:
        faults.compile = frozenset({"relu"})
        found = check("ops")
    assert all(
        "taken, then CompileError: fake: compiling failed: no circuit" in d for d in wrong(found).values()
    )
    assert found.sections()[0].score == 0


def test_sizes_that_are_refused_when_they_are_known() -> None:
    """A refusal is no fault where sizes were open, one in the vendor's words is."""

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
            found = check("ops")
    assert wrong(found) == {}
    assert any("no empty tensors" in finding.detail for finding in found.findings)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda: "no", "the reason is no sentence: 'no'"),
        (lambda: [][1], "why_not threw: fake: asking about relu"),
    ],
)
def test_reasons_that_are_none(
    answer: Callable[[], str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HostOp, "why_not", lambda *_: answer())
    with fake_device("relu"):
        found = check("ops")
    assert all(detail.startswith(message) for detail in wrong(found).values())
    assert len(wrong(found)) > 1


def test_a_region_that_is_refused_is_declined() -> None:
    with fake_device("relu"), replaced("why_not_region", lambda *_: "there is no room for it"):
        found = check("ops", "runs")
    assert {finding.detail for finding in found.findings} >= {"there is no room for it"}
    assert not found.wrong
    assert not found.ok, "nothing was taken"


def test_a_version_that_changes() -> None:
    numbers = itertools.count()
    with fake_device("relu"), replaced("version", lambda _: f"build {next(numbers)}"):
        found = check("device")
    assert "asked twice, it says" in wrong(found)["its version is a text, and always the same"]


def test_a_result_that_the_next_run_overwrites(monkeypatch: pytest.MonkeyPatch) -> None:
    buffers: dict[int, Array] = {}

    def run(self: FakeModel, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        (result,) = plain(self, inputs, outputs)
        buffer = buffers.setdefault(id(self), result)
        np.copyto(buffer, result)
        return [buffer]

    plain = FakeModel.run
    monkeypatch.setattr(FakeModel, "run", run)
    with fake_device(*OPS):
        found = check("runs")
    assert wrong(found)["a result stays as it was"] == "the next run wrote to the result of the last"


def test_a_device_that_writes_to_its_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(self: FakeModel, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> Sequence[Array]:
        results = plain(self, inputs, outputs)
        inputs[0][...] = 0
        return results

    plain = FakeModel.run
    monkeypatch.setattr(FakeModel, "run", run)
    with fake_device(*OPS):
        found = check("runs")
    assert "an input stays as it was" in wrong(found)
    assert "read-only" in wrong(found)["a read-only input"]


def test_a_loader_that_takes_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        fake_device(*OPS) as faults,
        replaced("load", lambda _, blob: FakeModel(fakes.Builder(), faults, blob)),
    ):
        found = check("cache")
    assert wrong(found)["the loader refuses what is no model"] == "load takes no bytes; expected CompileError"


def test_a_device_that_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeModel, "serialize", lambda _: None)
    with fake_device(*OPS):
        found = check("cache", "faults")
    assert found.ok
    cache = found.sections()[0]
    assert (cache.name, cache.passed, cache.declined) == ("cache", 0, 6)


def test_a_model_that_says_it_may_be_shared_and_may_not(monkeypatch: pytest.MonkeyPatch) -> None:
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
        assert "clones of a predictor that has run" not in wrong(check("threads"))
        monkeypatch.setattr(FakeModel, "threads", "shared")
        assert "clones of a predictor that has run" in wrong(check("threads"))


def test_a_device_that_takes_no_probe() -> None:
    with fake_device("concat"):
        found = check_device("fake", ["concat"])
    assert wrong(found) == {}
    details = {f.section: f.detail for f in found.findings if f.outcome == "declined" and f.name == "all"}
    assert set(details) == {"runs", "shapes", "cache", "threads", "faults"}
    assert found.total.passed


def test_what_there_is_not() -> None:
    with pytest.raises(ConfigError, match="no device is called 'sim_nup'; did you mean 'sim_npu'"):
        check_device("sim_nup")
    with pytest.raises(ConfigError, match="the kit has no case of op 'rleu'; did you mean 'relu"):
        check("ops", ops=["rleu"], device="sim_npu")
    with pytest.raises(ConfigError, match="no section is called 'op'"):
        check("op", device="sim_npu")
    with fake_device("relu") as faults:
        faults.missing = "the driver is not installed"
        with pytest.raises(CompileError, match="fake cannot be used: the driver is not installed"):
            check("device")


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    with fake_device(*OPS):
        check_device("fake", ["relu"], ["ops", "runs"], lambda done, total: told.append((done, total)))
    total = told[0][1]
    assert told == [(n + 1, total) for n in range(total)]


def test_scores() -> None:
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
def no_bridges_left() -> Iterator[None]:
    yield
    assert [key for key in BRIDGES if key[0] == "fake"] == []
