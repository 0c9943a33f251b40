"""The sections of the kit: their checks by name, run one by one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from lite.errors import LiteError
from lite.plugin.boundary import at_boundary
from lite.tools.conformance import (
    device_cache,
    device_facts,
    device_faults,
    device_partition,
    device_runs,
    device_threads,
)
from lite.tools.conformance.cases import Case, read_cases
from lite.tools.conformance.device_cases import check_case
from lite.tools.conformance.device_under_test import NO_PROBE, Check, DeviceUnderTest
from lite.tools.conformance.findings import Finding

_CHECKS: Mapping[str, Callable[[DeviceUnderTest, Path], Mapping[str, Check]]] = {
    "device": device_facts.checks,
    "partition": device_partition.checks,
    "runs": device_runs.checks,
    "shapes": device_runs.shape_checks,
    "cache": device_cache.checks,
    "threads": device_threads.checks,
    "faults": device_faults.checks,
}
"""The checks of each section but ``ops``."""

_WITHOUT_PROBES = ("device", "partition")
"""Sections that need no probe model."""

_WITHOUT_RUNS = ("device", "ops")
"""Sections for devices that only build models: a case of an op is compiled, and declined with that reason."""

_ALL = "all"


class SectionRun:
    """One section on one device; `ops` restricts the op cases, by default to none.

    `folder` is for the models of the checks.  litebridge's warnings are not captured here.
    """

    def __init__(self, device: str, section: str, folder: Path, ops: Collection[str] = ()) -> None:
        self.section = section
        self._device = DeviceUnderTest(device, folder)
        self._folder = folder
        self._ops = ops

    @property
    def names(self) -> Sequence[str]:
        """The names of the checks, in order; those of the section ``ops`` are the names of cases."""
        return list(self._cases) if self.section == "ops" else list(self._checks) or [_ALL]

    def findings(self, name: str) -> Iterable[Finding]:
        """Run one check; an error of litebridge makes it wrong."""
        if self.section == "ops":
            return check_case(self._device.text, self._cases[name], self._device.precision)
        if not self._checks:
            return [Finding(self.section, _ALL, "declined", self._only_builds or NO_PROBE)]
        try:
            outcome, detail = self._checks[name]()
        except LiteError as error:
            outcome, detail = "wrong", f"{type(error).__name__}: {error}"
        return [Finding(self.section, name, outcome, detail)]

    @cached_property
    def _only_builds(self) -> str | None:
        """Why checks that run models are left out; None for those that do not, and where the device runs."""
        if self.section in _WITHOUT_RUNS:
            return None
        device = self._device.open()
        return at_boundary(device.name, "asking whether it runs models", device.why_not_run)

    @cached_property
    def _cases(self) -> Mapping[str, Case]:
        return {case.name: case for case in read_cases() if not self._ops or case.op in self._ops}

    @cached_property
    def _checks(self) -> Mapping[str, Check]:
        if self._only_builds or (self.section not in _WITHOUT_PROBES and not self._device.probes):
            return {}
        return _CHECKS[self.section](self._device, self._folder)
