"""Section ``device``: the version, the limits and the bridges of a device."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lite.plugin.boundary import at_boundary
from lite.plugin.device.bridge_search import bridged_ops
from lite.tools.conformance.device_under_test import PASSED, Check, DeviceUnderTest, Result, result_of

LOWEST_LIMIT = 1


def checks(device: DeviceUnderTest, _: Path) -> Mapping[str, Check]:
    """The checks of the section."""
    return {
        "version() returns a constant, non-empty string": lambda: _version(device),
        "limits allow at least one op": lambda: _limits(device),
        "at least one bridge is registered": lambda: _bridges(device),
    }


def _version(device: DeviceUnderTest) -> Result:
    versions = {at_boundary(device.name, "asking its version", device.open().version) for _ in range(2)}
    if len(versions) > 1:
        texts = " and ".join(map(repr, sorted(map(str, versions))))
        return "wrong", f"two calls of version() returned {texts}; the version must be constant"
    (version,) = versions
    if not isinstance(version, str) or not version.strip():
        return "wrong", f"expected a non-empty string from version(), got {version!r}"
    if not any(character.isdigit() for character in version):
        return "wrong", (
            f"version() is {version!r}, without a number; it must name the versions of what a stored model "
            "depends on, so that models of another SDK are built again"
        )
    return PASSED


def _limits(device: DeviceUnderTest) -> Result:
    limits = device.open().limits
    values = {
        "ops": limits.ops,
        "inputs": limits.inputs,
        "outputs": limits.outputs,
        "alignment": limits.alignment,
    }
    for name, value in values.items():
        if value is not None and not (isinstance(value, int) and value >= LOWEST_LIMIT):
            return (
                "wrong",
                f"limits.{name}: expected an integer of at least {LOWEST_LIMIT} or None, got {value!r}",
            )
    return PASSED


def _bridges(device: DeviceUnderTest) -> Result:
    count = len(bridged_ops(device.open()))
    problem = f'no file of the package registers a bridge with @bridge("{device.name}", op)'
    return result_of("" if count else problem)
