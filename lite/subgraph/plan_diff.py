"""What differs between two saved plans, and whether it is worse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from lite.dataclass import dataclass
from lite.ir.types import HOST
from lite.subgraph.saved_plan import SavedOp, SavedPlan

SLOWER = 1.1
"""The time of a new plan, as a multiple of the old one's, from which it counts as slower."""

TOLERANCE = 1e-9


@dataclass(frozen=True)
class Move:
    """An op that runs elsewhere, and why the device that ran it does not any more; "" if it could."""

    op: str
    type: str
    block: str
    before: str
    after: str
    reason: str


@dataclass(frozen=True)
class PlanDiff:
    """The differences of two plans.

    `regions`, `coverage` (share of the multiply-accumulates, or of the ops where there are none, on devices),
    `host_ops` and `seconds` have the old and the new figure; `regressions` names those that became worse.
    """

    moved: tuple[Move, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    versions: Mapping[str, tuple[str, str]]
    regions: tuple[int, int]
    coverage: tuple[float, float]
    host_ops: tuple[int, int]
    seconds: tuple[float | None, float | None]
    regressions: Mapping[str, str]

    @property
    def is_same(self) -> bool:
        """Whether every op runs where it ran, in as many regions."""
        return not (self.moved or self.added or self.removed) and self.regions[0] == self.regions[1]


def plan_diff(old: SavedPlan, new: SavedPlan) -> PlanDiff:
    """Compare two plans of a model; ops are the same if their block and name are."""
    before, after = ({(op.block, op.name): op for op in plan.ops} for plan in (old, new))
    moved = tuple(
        _move(op, after[key]) for key, op in before.items() if key in after and op.place != after[key].place
    )
    versions = {
        name: (_version(old, name), _version(new, name))
        for name in dict.fromkeys([*old.devices, *new.devices])
    }
    versions["litebridge"] = old.litebridge, new.litebridge
    figures = {
        "regions": (len(old.regions), len(new.regions)),
        "coverage": (_coverage(old), _coverage(new)),
        "host-ops": (_host_ops(old), _host_ops(new)),
        "time": (old.seconds, new.seconds),
    }
    return PlanDiff(
        moved,
        tuple(op.name for key, op in after.items() if key not in before),
        tuple(op.name for key, op in before.items() if key not in after),
        {name: pair for name, pair in versions.items() if pair[0] != pair[1]},
        (len(old.regions), len(new.regions)),
        (_coverage(old), _coverage(new)),
        (_host_ops(old), _host_ops(new)),
        (old.seconds, new.seconds),
        {name: text for name, check in CHECKS.items() if (text := check(*figures[name]))},
    )


def _more_regions(before: float | None, after: float | None) -> str:
    return f"{before} -> {after} regions" if (after or 0) > (before or 0) else ""


def _less_coverage(before: float | None, after: float | None) -> str:
    worse = (after or 0.0) < (before or 0.0) - TOLERANCE
    return f"coverage {before or 0.0:.1%} -> {after or 0.0:.1%}" if worse else ""


def _more_host_ops(before: float | None, after: float | None) -> str:
    return f"{before} -> {after} ops on the host" if (after or 0) > (before or 0) else ""


def _slower(before: float | None, after: float | None) -> str:
    if before is None or after is None or after <= SLOWER * before:
        return ""
    return f"{before * 1e3:.3g} -> {after * 1e3:.3g} ms"


CHECKS: Mapping[str, Callable[[float | None, float | None], str]] = {
    "coverage": _less_coverage,
    "regions": _more_regions,
    "host-ops": _more_host_ops,
    "time": _slower,
}
"""By the name in ``--fail-on``: how a figure became worse; "" if it did not."""


def _move(before: SavedOp, after: SavedOp) -> Move:
    reason = after.why_not.get(before.place, "")
    return Move(after.name, after.type, after.block, before.place, after.place, reason)


def _version(plan: SavedPlan, name: str) -> str:
    device = plan.devices.get(name)
    return "not used" if device is None else f"{device.spec}, {device.version}"


def _coverage(plan: SavedPlan) -> float:
    """The share of the multiply-accumulates on devices; of the ops where no op does any."""
    macs = sum(op.macs or 0 for op in plan.ops)
    if macs:
        return sum(op.macs or 0 for op in plan.ops if op.place != HOST) / macs
    return 1 - _host_ops(plan) / len(plan.ops) if plan.ops else 1.0


def _host_ops(plan: SavedPlan) -> int:
    return sum(op.place == HOST for op in plan.ops)


def markdown(diff: PlanDiff, model: str) -> str:
    """A summary for a pull request."""
    if diff.is_same and not diff.regressions:
        return f"### Placement of {model}\n\nNo op moved.\n"
    percent = "{:.1%}".format
    lines = [f"### Placement of {model}", "", "| | before | after |", "|---|---:|---:|"]
    rows: list[tuple[str, str, str]] = [
        ("regions", *(str(each) for each in diff.regions)),  # type: ignore[list-item]
        ("coverage", *(percent(each) for each in diff.coverage)),  # type: ignore[list-item]
        ("ops on the host", *(str(each) for each in diff.host_ops)),  # type: ignore[list-item]
    ]
    if None not in diff.seconds:
        before, after = (each or 0.0 for each in diff.seconds)
        rows.append(("time", f"{before * 1e3:.3g} ms", f"{after * 1e3:.3g} ms"))
    rows += [(name, *pair) for name, pair in diff.versions.items()]
    lines += [f"| {name} | {before} | {after} |" for name, before, after in rows]
    for name, text in diff.regressions.items():
        lines += ["", f"**Worse: {name}** ({text})"]
    if diff.moved:
        counts = Counter((each.type, each.before, each.after, each.reason) for each in diff.moved)
        lines += ["", "| ops | type | from | to | why |", "|---:|---|---|---|---|"]
        lines += [
            f"| {count} | {kind} | {before} | {after} | {reason} |"
            for (kind, before, after, reason), count in counts.items()
        ]
    for title, names in (("New ops", diff.added), ("Ops that are gone", diff.removed)):
        if names:
            lines += ["", f"{title}: {', '.join(names[:20])}{', …' if len(names) > 20 else ''}"]
    return "\n".join(lines) + "\n"
