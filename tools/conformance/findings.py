"""What a check of a device found: one finding for each question asked, and what they come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Outcome = Literal["passed", "declined", "wrong"]

SECTIONS = ("device", "ops", "partition", "runs", "shapes", "cache", "threads", "faults")
"""In the order in which they are checked."""


@dataclass(frozen=True)
class Finding:
    """The answer to one question; `detail` is the device's reason, or what is wrong.

    `op` and `form` say how a case of the section ``ops`` was put to the device.
    """

    section: str
    name: str
    outcome: Outcome
    detail: str = ""
    op: str = ""
    form: str = ""


@dataclass(frozen=True)
class Tally:
    """How many findings there are of each outcome, and the most frequent detail of the worst one."""

    name: str
    passed: int
    declined: int
    wrong: int
    detail: str

    @classmethod
    def of(cls, name: str, findings: Sequence[Finding]) -> Tally:
        """The tally of some findings."""
        counts = Counter(finding.outcome for finding in findings)
        worst: Outcome = "wrong" if counts["wrong"] else "declined"
        details = Counter(finding.detail for finding in findings if finding.outcome == worst)
        detail = details.most_common(1)[0][0] if details else ""
        return cls(name, counts["passed"], counts["declined"], counts["wrong"], detail)

    @property
    def score(self) -> float | None:
        """The share of right answers among those that the device did not decline; None without any."""
        answered = self.passed + self.wrong
        return self.passed / answered if answered else None


@dataclass(frozen=True)
class Conformance:
    """A device as the kit found it.  It conforms when nothing is wrong and it takes something."""

    device: str
    version: str
    litebridge: str
    findings: Sequence[Finding] = field(default_factory=tuple)

    @property
    def ok(self) -> bool:
        """Whether the device conforms."""
        return not self.wrong and any(finding.outcome == "passed" for finding in self.findings)

    @property
    def wrong(self) -> list[Finding]:
        """What the device has to answer for."""
        return [finding for finding in self.findings if finding.outcome == "wrong"]

    @property
    def total(self) -> Tally:
        """All findings together."""
        return Tally.of("all", self.findings)

    def sections(self) -> list[Tally]:
        """A tally for each section that was checked."""
        return _tallies(((finding.section, finding) for finding in self.findings), SECTIONS)

    def ops(self) -> list[Tally]:
        """A tally for each op of the kit that was put to the device."""
        cases = [(finding.op, finding) for finding in self.findings if finding.section == "ops"]
        return _tallies(cases, sorted({op for op, _ in cases}))

    def sentence(self) -> str:
        """The result in one line."""
        ops, total = self.ops(), self.total
        taken = sum(1 for tally in ops if tally.passed or tally.wrong)
        score = "-" if total.score is None else f"{100 * total.score:.4g} %"
        verdict = "conforms" if self.ok else "does not conform"
        coverage = f"; it takes {taken} of {len(ops)} ops" if ops else ""
        return (
            f"{self.device} {verdict}: score {score}, {total.passed} right, {total.wrong} wrong, "
            f"{total.declined} declined{coverage}"
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON can say it."""
        return {
            "device": self.device,
            "version": self.version,
            "litebridge": self.litebridge,
            "ok": self.ok,
            "sentence": self.sentence(),
            "sections": [_row(tally) for tally in self.sections()],
            "ops": [_row(tally) for tally in self.ops()],
            "findings": [asdict(finding) for finding in self.findings],
        }


def _tallies(named: Iterable[tuple[str, Finding]], order: Sequence[str]) -> list[Tally]:
    groups: dict[str, list[Finding]] = {name: [] for name in order}
    for name, finding in named:
        groups[name].append(finding)
    return [Tally.of(name, found) for name, found in groups.items() if found]


def _row(tally: Tally) -> dict[str, Any]:
    return {**asdict(tally), "score": tally.score}
