"""Runs the whole kit on a device."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from lite.errors import CompileError, ConfigError, suggest
from lite.plugin.boundary import at_boundary
from lite.plugin.device.opening import facts_of, open_device
from lite.tools.conformance import (
    device_cache,
    device_facts,
    device_faults,
    device_partition,
    device_runs,
    device_threads,
)
from lite.tools.conformance.cases import Case, read_cases
from lite.tools.conformance.device_cases import check_cases
from lite.tools.conformance.device_under_test import (
    NO_PROBE,
    Check,
    DeviceUnderTest,
    captured_warnings,
    run_checks,
)
from lite.tools.conformance.findings import SECTIONS, Conformance, Finding
from lite.version import VERSION

Progress = Callable[[int, int], None]
"""Receives the number of checks that are done, and the number of all checks."""

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


def check_device(
    name: str,
    ops: Collection[str] = (),
    sections: Collection[str] = (),
    progress: Progress | None = None,
) -> Conformance:
    """Run the kit on a device, named with its options as in ``Config(devices=[...])``.

    `ops` and `sections` restrict the op cases and the sections; by default all run.  litebridge logs no
    warnings during the check.  Raises `ConfigError` for an unknown device, op or section, and
    `CompileError` if this machine cannot use the device.
    """
    opened = open_device(name)
    reason = facts_of(opened).why_not
    if reason is not None:
        raise CompileError(f"this machine cannot use the device {opened.name}: {reason}")
    cases = _cases(ops)
    for section in sections:
        if section not in SECTIONS:
            raise ConfigError(
                f"no section is called {section!r}{suggest(section, SECTIONS)}; "
                f"sections: {', '.join(SECTIONS)}"
            )
    chosen = [section for section in SECTIONS if not sections or section in sections]
    with captured_warnings(), tempfile.TemporaryDirectory() as folder:
        device = DeviceUnderTest(name, Path(folder))
        checks = {
            section: _CHECKS[section](device, Path(folder))
            for section in chosen
            if section != "ops" and (device.probes or section in _WITHOUT_PROBES)
        }
        findings = _run_sections(device, chosen, checks, cases, progress)
    version = at_boundary(opened.name, "asking its version", opened.version)
    return Conformance(name, str(version), VERSION, tuple(findings))


def _cases(ops: Collection[str]) -> Sequence[Case]:
    cases = read_cases()
    tested_ops = sorted({case.op for case in cases})
    for op in ops:
        if op not in tested_ops:
            raise ConfigError(f"the kit has no case of the op {op!r}{suggest(op, tested_ops)}")
    return [case for case in cases if not ops or case.op in ops]


def _run_sections(
    device: DeviceUnderTest,
    sections: Sequence[str],
    checks: Mapping[str, Mapping[str, Check]],
    cases: Sequence[Case],
    progress: Progress | None,
) -> list[Finding]:
    total = sum(map(len, checks.values())) + (len(cases) if "ops" in sections else 0)
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    findings: list[Finding] = []
    for section in sections:
        if section == "ops":
            findings += check_cases(device.text, cases, advance)
        elif section in checks:
            findings += run_checks(section, checks[section], advance)
        else:
            findings.append(Finding(section, "all", "declined", NO_PROBE))
    return findings
