"""Runs the whole kit on a device."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from lite.dataclass import dataclass
from lite.errors import CompileError, ConfigError, suggest
from lite.ops import canonical_op
from lite.plugin.boundary import at_boundary
from lite.plugin.device.bridge_search import own_bridges
from lite.plugin.device.opening import facts_of
from lite.session.devices import open_in_its_process
from lite.spec.grammar import parse_spec
from lite.tools.conformance.cases import read_cases
from lite.tools.conformance.child import UNKNOWN_DEVICE, ChildEnded, messages
from lite.tools.conformance.device_under_test import captured_warnings
from lite.tools.conformance.findings import SECTIONS, Conformance, Finding
from lite.tools.conformance.sections import SectionRun
from lite.version import VERSION

Progress = Callable[[int, int], None]
"""Receives the number of checks that are done, and the number of all checks that are known so far."""

MOST_ENDS = 20
"""After so many ends of its process, a section is given up."""


class _Counter:
    """Counts checks for `Progress`."""

    def __init__(self, progress: Progress | None) -> None:
        self.progress, self.done, self.total = progress, 0, 0

    def advance(self) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total)


@dataclass(frozen=True)
class _Facts:
    """Why the device cannot be used, None when it can, its version, and the ops that have a bridge."""

    reason: str | None
    version: str = ""
    bridged: Sequence[str] = ()


def check_device(
    name: str,
    ops: Collection[str] = (),
    sections: Collection[str] = (),
    progress: Progress | None = None,
    *,
    in_children: bool = False,
    so_far: Callable[[Conformance], None] = lambda _: None,
) -> Conformance:
    """Run the kit on a device, named with its options as in ``Config(devices=[...])``.

    `ops` and `sections` restrict the op cases and the sections; by default all run.  litebridge logs no
    warnings during the check.  With `in_children`, each section runs in a process of its own, and a device
    that ends it makes one check wrong; a device that no installed package registers is checked here.
    `so_far` receives the findings after each section.  Raises `ConfigError` for an unknown device, op or
    section, and `CompileError` if this machine cannot use the device.
    """
    _check_names(ops, sections)
    facts = _facts_of_child(name) if in_children else None
    run = _here if facts is None else _in_child
    facts = facts or _facts(name)
    if facts.reason is not None:
        raise CompileError(f"this machine cannot use the device {parse_spec(name).name}: {facts.reason}")
    counter = _Counter(progress)
    findings: list[Finding] = []
    for section in SECTIONS:
        if sections and section not in sections:
            continue
        findings += run(name, section, ops, counter)
        so_far(_conformance(name, facts, findings))
    return _conformance(name, facts, findings)


def _conformance(name: str, facts: _Facts, findings: Sequence[Finding]) -> Conformance:
    """The findings so far, with the ops that have a bridge and of which no case passed."""
    passed = {
        canonical_op(each.op) for each in findings if each.section == "ops" and each.outcome == "passed"
    }
    checked = {canonical_op(each.op) for each in findings if each.section == "ops"}
    never_passed = tuple(op for op in facts.bridged if op in checked - passed)
    return Conformance(name, facts.version, VERSION, tuple(findings), never_passed)


def _check_names(ops: Collection[str], sections: Collection[str]) -> None:
    tested_ops = sorted({case.op for case in read_cases()})
    for op in ops:
        if op not in tested_ops:
            raise ConfigError(f"the kit has no case of the op {op!r}{suggest(op, tested_ops)}")
    for section in sections:
        if section not in SECTIONS:
            raise ConfigError(
                f"no section is called {section!r}{suggest(section, SECTIONS)}; "
                f"sections: {', '.join(SECTIONS)}"
            )


def _facts(name: str) -> _Facts:
    opened = open_in_its_process(name)
    reason = facts_of(opened).why_not
    if reason is not None:
        return _Facts(reason)
    version = str(at_boundary(opened.name, "asking its version", opened.version))
    return _Facts(None, version, own_bridges(opened))


def _facts_of_child(name: str) -> _Facts | None:
    """The same from a process of its own; None for a device that no installed package registers."""
    try:
        answer = list(messages({"device": name, "section": "facts", "skip": [], "ops": []}))[-1]
    except ChildEnded as ended:
        return None if ended.status == UNKNOWN_DEVICE else _Facts(str(ended))
    return _Facts(answer["reason"], answer["version"], answer["bridged"])


def _here(name: str, section: str, ops: Collection[str], counter: _Counter) -> Iterator[Finding]:
    with captured_warnings(), tempfile.TemporaryDirectory() as folder:
        run = SectionRun(name, section, Path(folder), ops)
        counter.total += len(run.names)
        for check in run.names:
            yield from run.findings(check)
            counter.advance()


def _in_child(name: str, section: str, ops: Collection[str], counter: _Counter) -> Iterator[Finding]:
    """The findings of a section; a check that ends its process is wrong, and the next process goes on."""
    started: list[str] = []
    for attempt in range(MOST_ENDS):
        request = {"device": name, "section": section, "skip": started, "ops": sorted(ops)}
        try:
            for message in messages(request):
                if "checks" in message and not attempt:
                    counter.total += len(message["checks"])
                elif "start" in message:
                    started.append(message["start"])
                    counter.advance()
                elif "finding" in message:
                    yield Finding(**message["finding"])
            return
        except ChildEnded as ended:
            current = started[-1] if started else "opening the device"
            op = _op_of(current) if section == "ops" else ""
            yield Finding(section, current, "wrong", str(ended), op)
            if not started:
                return
    yield Finding(
        section, "rest", "wrong", f"the device ended {MOST_ENDS} processes; the rest is not checked"
    )


def _op_of(case: str) -> str:
    return next((each.op for each in read_cases() if each.name == case), "")
