"""Run the whole kit on a device."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from lite.errors import CompileError, ConfigError, suggest
from lite.plugin.boundary import at_boundary
from lite.plugin.device.opening import facts_of, open_device
from lite.tools.conformance import (
    device_basics,
    device_cache,
    device_faults,
    device_partition,
    device_runs,
    device_threads,
)
from lite.tools.conformance.cases import Case, read_cases
from lite.tools.conformance.device_cases import check_cases
from lite.tools.conformance.findings import SECTIONS, Conformance, Finding
from lite.tools.conformance.quiet import quiet
from lite.tools.conformance.workbench import NOTHING_TAKEN, Answer, Workbench, answers
from lite.version import VERSION

Progress = Callable[[int, int], None]
"""Told how many of how many questions are answered."""

Questions = Callable[[Workbench, Path], Mapping[str, Callable[[], Answer]]]

_QUESTIONS: Mapping[str, Questions] = {
    "device": device_basics.questions,
    "partition": device_partition.questions,
    "runs": device_runs.questions,
    "shapes": device_runs.shape_questions,
    "cache": device_cache.questions,
    "threads": device_threads.questions,
    "faults": device_faults.questions,
}

_WITHOUT_PROBES = ("device", "partition")
"""Sections that have something to ask a device which takes none of the probes."""


def check_device(
    name: str,
    ops: Collection[str] = (),
    sections: Collection[str] = (),
    progress: Progress | None = None,
) -> Conformance:
    """Check a device, named as in ``Config(devices=[...])``, in all sections or some.

    `ops` are the ops whose cases are put to it, by default all.  The engine's warnings go nowhere
    meanwhile.  Raises `ConfigError` for a device, op or section that there is not, and `CompileError` for a
    device that cannot be used here.
    """
    device = open_device(name)
    missing = facts_of(device).why_not
    if missing is not None:
        raise CompileError(f"device {device.name} cannot be used: {missing}")
    cases = _cases(ops)
    wanted = [section for section in SECTIONS if not sections or section in sections]
    for section in sections:
        if section not in SECTIONS:
            raise ConfigError(f"no section is called {section!r}{suggest(section, SECTIONS)}")
    with quiet(), tempfile.TemporaryDirectory() as folder:
        bench = Workbench(name, Path(folder))
        asked = {
            section: _QUESTIONS[section](bench, Path(folder))
            for section in wanted
            if section != "ops" and (bench.probes or section in _WITHOUT_PROBES)
        }
        findings = _all(bench, wanted, asked, cases, progress)
    version = at_boundary(device.name, "asking its version", device.version)
    return Conformance(name, str(version), VERSION, tuple(findings))


def _cases(ops: Collection[str]) -> Sequence[Case]:
    cases = read_cases()
    known = sorted({case.op for case in cases})
    for op in ops:
        if op not in known:
            raise ConfigError(f"the kit has no case of op {op!r}{suggest(op, known)}")
    return [case for case in cases if not ops or case.op in ops]


def _all(
    bench: Workbench,
    wanted: Sequence[str],
    asked: Mapping[str, Mapping[str, Callable[[], Answer]]],
    cases: Sequence[Case],
    progress: Progress | None,
) -> list[Finding]:
    total = sum(map(len, asked.values())) + (len(cases) if "ops" in wanted else 0)
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    findings: list[Finding] = []
    for section in wanted:
        if section == "ops":
            findings += check_cases(bench.text, cases, advance)
        elif section in asked:
            findings += answers(section, asked[section], advance)
        else:
            findings.append(Finding(section, "all", "declined", NOTHING_TAKEN))
    return findings
