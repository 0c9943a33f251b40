"""The conformance kit on every device that can be used here: it may decline with a reason, never be wrong."""

from __future__ import annotations

import functools

import pytest

import lite
from lite.tools.conformance import check_device
from lite.tools.conformance.findings import SECTIONS

DEVICES = ("openvino", "onnxruntime", "sim_npu")
FORMS = ("memory=true", "max_ops=1")
"""Options of the reference device: with each, the engine goes another way."""

PASSED = {"openvino": 1600, "onnxruntime": 2100, "sim_npu": 340}
"""Answers to op cases that are right at least: what was right does not become declined unseen."""


@functools.cache
def missing(device: str) -> str | None:
    """Why a device cannot be used here."""
    return next(found.why_not for found in lite.list_devices() if found.name == device)


def require(device: str) -> None:
    reason = missing(device)
    if reason is not None:
        pytest.skip(f"{device}: {reason}")


@pytest.mark.parametrize("device", [*DEVICES, *(f"sim_npu{{{form}}}" for form in FORMS)])
def test_everything_but_the_op_cases(device: str) -> None:
    require(device.partition("{")[0])
    found = check_device(device, sections=[section for section in SECTIONS if section != "ops"])
    assert found.wrong == []
    assert {tally.name for tally in found.sections() if tally.passed} == set(SECTIONS) - {"ops"}


@pytest.mark.slow
@pytest.mark.parametrize("device", DEVICES)
def test_op_cases(device: str) -> None:
    require(device)
    found = check_device(device, sections=["ops"])
    assert found.wrong == []
    assert found.total.passed >= PASSED[device]
