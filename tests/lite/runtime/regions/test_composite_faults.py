"""Composites whose own code fails: their ops stay on the host, with one warning."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lite
from lite.errors import CompileError
from lite.plugin.device import BRIDGES, BridgeOp, Conversion, Device, bridge
from lite.plugin.pattern import is_op, wildcard
from lite.plugin.pattern.composite import Composite, Match
from tests.lite.runtime.regions.on_fake import AFFINE, X, check_affine, device_class, fake_predictor
from tests.support.fake_device import Faults, fake_device
from tests.support.log_records import warnings_in

SUM = is_op("elementwise_add")(X=is_op("elementwise_mul"))


class Pair:
    """The bridge of a composite that is never converted."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return None

    def convert(self, op: BridgeOp, ctx: Conversion[Any, Any]) -> None:
        raise NotImplementedError


@pytest.fixture
def faults() -> Iterator[Faults]:
    bridge("fake", "fake.pair")(Pair())
    try:
        with fake_device(*AFFINE) as faults:
            yield faults
    finally:
        BRIDGES.remove(("fake", "fake.pair"))


def throws(match: Match) -> str | None:
    raise ZeroDivisionError("oops")


def answers_nonsense(match: Match) -> Any:
    return True


def raises_lookup_error(value: object) -> bool:
    raise LookupError(value)


PAIR = "device fake cannot run composite fake.pair, whose ops stay on the host: "


@pytest.mark.parametrize(
    ("composite", "ops", "message"),
    [
        (
            Composite("fake.pair", SUM, throws),
            ["xw", "sum"],
            "checking fake.pair failed: ZeroDivisionError: oops",
        ),
        (
            Composite("fake.pair", SUM, answers_nonsense),
            ["xw", "sum"],
            "checking fake.pair failed: it must answer a sentence or None, got True",
        ),
        (
            Composite("fake.pair", is_op("scale")(X=wildcard()).has_attr(scale=raises_lookup_error)),
            ["twice"],
            "looking for fake.pair failed: LookupError: 2.0",
        ),
    ],
)
def test_a_composite_whose_code_fails_leaves_its_ops_to_the_host(
    model: Path,
    faults: Faults,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    composite: Composite,
    ops: list[str],
    message: str,
) -> None:
    monkeypatch.setattr(device_class(), "patterns", lambda _: [composite])
    predictor = fake_predictor(model, min_subgraph_ops=1)
    check_affine(predictor)
    report = predictor.report()
    assert (warnings_in(caplog), report.warnings) == ([PAIR + message], [PAIR + message])
    assert {op.name: op.why_not for op in report.ops if op.placed_on == "host"} == {
        name: {"fake": f"fake: {message}"} for name in ops
    }
    assert faults.compiled == 1
    with pytest.raises(CompileError) as caught:
        fake_predictor(model, fallback="error")
    assert str(caught.value) == PAIR + message


def failing_generator(_: Any) -> Iterator[Composite]:
    yield Composite("fake.pair", SUM)
    raise OSError("page 2 is missing")


@pytest.mark.parametrize(
    ("patterns", "message"),
    [
        (lambda _: [SUM], "expected a Composite"),
        (lambda _: [Composite("fake.pair", SUM), None], "patterns() gave None, expected a Composite"),
        (lambda _: 3, "TypeError: 'int' object is not iterable"),
        (failing_generator, "OSError: page 2 is missing"),
    ],
)
def test_a_device_that_names_no_valid_composites_is_unavailable(
    model: Path,
    faults: Faults,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    patterns: Any,
    message: str,
) -> None:
    monkeypatch.setattr(device_class(), "patterns", patterns)
    check_affine(fake_predictor(model))
    [warning] = warnings_in(caplog)
    assert warning.startswith("device fake cannot be used: fake: naming its composites failed: ")
    assert warning.endswith(message)
    assert faults.compiled == 0
    with pytest.raises(CompileError, match="naming its composites failed"):
        fake_predictor(model, fallback="error")


def test_a_check_that_raises_at_compile_time_splits_the_region(
    model: Path, faults: Faults, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The check is called again with the sizes of a run; the region is then compiled without the op."""

    def check(match: Match) -> str | None:
        shape = match.root.output().shape
        if shape is None or shape[0] == len(X):
            raise ZeroDivisionError("oops")
        return "not yet"

    monkeypatch.setattr(device_class(), "patterns", lambda _: [Composite("fake.pair", SUM, check)])
    predictor = fake_predictor(model, min_subgraph_ops=1)
    check_affine(predictor)
    [warning] = warnings_in(caplog)
    assert warning == (
        "region 0 on fake runs without op 'sum' for float32[2,4]: fake: checking fake.pair failed: "
        "ZeroDivisionError: oops"
    )
    with pytest.raises(lite.CompileError, match=r"checking fake\.pair failed"):
        fake_predictor(model, min_subgraph_ops=1, fallback="error").run([X])
