"""The findings of a conformance check: one per check, and tallies of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, field
from typing import Any, Literal

from lite.dataclass import dataclass

Outcome = Literal["passed", "declined", "wrong"]

SECTIONS = ("device", "ops", "partition", "runs", "shapes", "cache", "threads", "faults")
"""The sections of the kit, in the order in which they run."""


@dataclass(frozen=True)
class Finding:
    """The outcome of one check; `detail` is the device's reason, or a description of the problem.

    In the section ``ops``, `op` is the type of the op, and `form` the form of the case.
    """

    section: str
    name: str
    outcome: Outcome
    detail: str = ""
    op: str = ""
    form: str = ""


@dataclass(frozen=True)
class Tally:
    """The number of findings of each outcome, and the most frequent detail of the worst outcome."""

    name: str
    passed: int
    declined: int
    wrong: int
    detail: str

    @classmethod
    def of(cls, name: str, findings: Sequence[Finding]) -> Tally:
        """The tally of `findings`."""
        counts = Counter(finding.outcome for finding in findings)
        worst: Outcome = "wrong" if counts["wrong"] else "declined"
        details = Counter(finding.detail for finding in findings if finding.outcome == worst)
        detail = details.most_common(1)[0][0] if details else ""
        return cls(name, counts["passed"], counts["declined"], counts["wrong"], detail)

    @property
    def score(self) -> float | None:
        """The share of passed findings among those that are not declined; None if all are declined."""
        counted = self.passed + self.wrong
        return self.passed / counted if counted else None


@dataclass(frozen=True)
class Conformance:
    """The findings of a device.  It conforms if no finding is wrong and at least one passed."""

    device: str
    version: str
    litebridge: str
    findings: Sequence[Finding] = field(default_factory=tuple)
    never_passed: Sequence[str] = ()
    """The ops that have a bridge, but no passed case among the cases that were checked."""

    @property
    def ok(self) -> bool:
        """Whether the device conforms."""
        return not self.wrong and any(finding.outcome == "passed" for finding in self.findings)

    @property
    def wrong(self) -> list[Finding]:
        """The findings that are wrong."""
        return [finding for finding in self.findings if finding.outcome == "wrong"]

    @property
    def total(self) -> Tally:
        """The tally of all findings."""
        return Tally.of("all", self.findings)

    def sections(self) -> list[Tally]:
        """A tally per section that was checked."""
        return _tallies(((finding.section, finding) for finding in self.findings), SECTIONS)

    def ops(self) -> list[Tally]:
        """A tally per op whose cases were checked."""
        cases = [(finding.op, finding) for finding in self.findings if finding.section == "ops"]
        return _tallies(cases, sorted({op for op, _ in cases}))

    def sentence(self) -> str:
        """The result in one sentence."""
        ops, total = self.ops(), self.total
        supported = sum(1 for tally in ops if tally.passed or tally.wrong)
        score = "-" if total.score is None else f"{100 * total.score:.4g} %"
        never = f"; bridged, but no case passed: {', '.join(self.never_passed)}" if self.never_passed else ""
        verdict = "conforms" if self.ok else "does not conform"
        coverage = f"; supports {supported} of {len(ops)} ops" if ops else ""
        return (
            f"{self.device} {verdict}: score {score}, {total.passed} passed, {total.wrong} wrong, "
            f"{total.declined} declined{coverage}{never}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The findings and tallies as a JSON document."""
        return {
            "device": self.device,
            "version": self.version,
            "litebridge": self.litebridge,
            "ok": self.ok,
            "sentence": self.sentence(),
            "never_passed": list(self.never_passed),
            "sections": [_row(tally) for tally in self.sections()],
            "ops": [_row(tally) for tally in self.ops()],
            "findings": [asdict(finding) for finding in self.findings],
        }


def _tallies(named: Iterable[tuple[str, Finding]], order: Sequence[str]) -> list[Tally]:
    groups: dict[str, list[Finding]] = {name: [] for name in order}
    for name, finding in named:
        groups[name].append(finding)
    return [Tally.of(name, group) for name, group in groups.items() if group]


def _row(tally: Tally) -> dict[str, Any]:
    return {**asdict(tally), "score": tally.score}
