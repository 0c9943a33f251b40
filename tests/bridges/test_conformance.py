"""Every op case of the conformance kit on every device: passed, or declined with a sentence, never wrong."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from lite.ops import canonical_op
from lite.plugin.device.bridge_search import bridged_ops
from lite.plugin.device.opening import open_device
from lite.plugin.device.short_sums import has_short_sums
from lite.tools.conformance import Finding, check_device, read_cases
from tests.support.device_availability import missing


@dataclass(frozen=True)
class Coverage:
    """The least number of ops of the kit with a bridge, and of findings that pass.

    No finding of the ops `declined` passes.
    """

    ops: int
    passed: int
    declined: Sequence[str] = ()


_IS_EXACT, _INTEGER = not has_short_sums(), ("conv_integer", "qlinear_conv")
"""Without VNNI, ONNX Runtime's sums of these ops may saturate, so they are declined."""

DEVICES = {
    # Only the host reads the LoDs of these ops.
    "onnxruntime": Coverage(
        216,
        2690 if _IS_EXACT else 2680,
        sorted(
            ["fill_constant_batch_size_like", "max_unpool", "roi_align", *([] if _IS_EXACT else _INTEGER)]
        ),
    ),
    # The range of constants is a constant, and no case has other numbers that are known.
    "litert": Coverage(141, 1327, ["range"]),
    # The cases of shape, resize and lstm_sequence have forms that OpenVINO lacks.
    "openvino": Coverage(190, 1910, ["lstm_sequence", "resize", "shape"]),
    # Only the chip with the option types=int8 takes integers.
    "sim_npu": Coverage(46, 420, ["affine_dequantize", "affine_quantize"]),
}

OPS = frozenset(case.op for case in read_cases())


@functools.cache
def bridged(device: str) -> list[str]:
    """The ops of the kit that a device has bridges for."""
    own = bridged_ops(type(open_device(device)))
    return sorted(op for op in OPS if canonical_op(op) in own)


@functools.cache
def findings(device: str, op: str) -> Sequence[Finding]:
    return check_device(device, ops=[op], sections=["ops"]).findings


def devices() -> Iterator[Any]:
    """Each device, skipped where it cannot be used."""
    for device in DEVICES:
        reason = missing(device)
        marks = [] if reason is None else [pytest.mark.skip(reason=f"{device}: {reason}")]
        yield pytest.param(device, id=device, marks=marks)


def devices_and_ops() -> Iterator[Any]:
    """Each usable device with each op that it has a bridge for."""
    for device in DEVICES:
        if missing(device) is None:
            yield from (pytest.param(device, op, id=f"{device}-{op}") for op in bridged(device))


@pytest.mark.parametrize(("device", "op"), list(devices_and_ops()))
def test_no_case_is_wrong(device: str, op: str) -> None:
    assert [finding for finding in findings(device, op) if finding.outcome == "wrong"] == []


@pytest.mark.parametrize("device", list(devices()))
def test_coverage_does_not_shrink(device: str) -> None:
    passed = {
        op: sum(finding.outcome == "passed" for finding in findings(device, op)) for op in bridged(device)
    }
    least = DEVICES[device]
    assert [op for op, count in passed.items() if not count] == list(least.declined)
    assert len(passed) >= least.ops
    assert sum(passed.values()) >= least.passed


@pytest.mark.parametrize("device", list(devices()))
def test_ops_without_a_bridge_are_declined(device: str) -> None:
    others = sorted(OPS - set(bridged(device)))
    conformance = check_device(device, ops=others, sections=["ops"])
    assert {finding.outcome for finding in conformance.findings} == {"declined"}
