"""Every op case of the conformance kit on every device: right, or declined with a sentence, never wrong."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from lite.plugin.device import BRIDGES
from lite.plugin.loader import load_all_bridges
from lite.tools.conformance import Finding, check_device, read_cases
from tests.usable import missing


@dataclass(frozen=True)
class Coverage:
    """At least how many ops of the kit have bridges, and how many answers are right.

    Of the ops `declined`, no answer is.
    """

    ops: int
    right: int
    declined: Sequence[str] = ()


DEVICES = {
    # The ops that are declined are those of which only the host knows how LoDs count.
    "onnxruntime": Coverage(216, 2236, ["fill_constant_batch_size_like", "roi_align"]),
    # Those of shape are empty or float64.
    "openvino": Coverage(192, 1756, ["shape"]),
    # The one case has unequal strides.
    "sim_npu": Coverage(52, 368, ["depthwise_conv2d_transpose"]),
}

OPS = frozenset(case.op for case in read_cases())


@functools.cache
def bridged(device: str) -> list[str]:
    """The ops of the kit that a device has bridges for."""
    load_all_bridges(device)
    return sorted(OPS & {op for name, op in BRIDGES if name == device})


@functools.cache
def findings(device: str, op: str) -> Sequence[Finding]:
    return check_device(device, ops=[op], sections=["ops"]).findings


def devices() -> Iterator[Any]:
    """Each device, skipped where it is not there."""
    for device in DEVICES:
        reason = missing(device)
        marks = [] if reason is None else [pytest.mark.skip(reason=f"{device}: {reason}")]
        yield pytest.param(device, id=device, marks=marks)


def questions() -> Iterator[Any]:
    """Each device that is there with each op it has a bridge for."""
    for device in DEVICES:
        if missing(device) is None:
            yield from (pytest.param(device, op, id=f"{device}-{op}") for op in bridged(device))


@pytest.mark.parametrize(("device", "op"), list(questions()))
def test_cases_are_right_or_declined(device: str, op: str) -> None:
    assert [found for found in findings(device, op) if found.outcome == "wrong"] == []


@pytest.mark.parametrize("device", list(devices()))
def test_nothing_that_was_right_is_declined(device: str) -> None:
    right = {op: sum(found.outcome == "passed" for found in findings(device, op)) for op in bridged(device)}
    want = DEVICES[device]
    assert [op for op, count in right.items() if not count] == want.declined
    assert len(right) >= want.ops
    assert sum(right.values()) >= want.right


@pytest.mark.parametrize("device", list(devices()))
def test_ops_without_a_bridge_are_declined(device: str) -> None:
    rest = sorted(OPS - set(bridged(device)))
    found = check_device(device, ops=rest, sections=["ops"])
    assert {each.outcome for each in found.findings} == {"declined"}
