"""Put the kit's cases to a device, each in several forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from lite.config import Config
from lite.errors import CompileError, LiteError
from lite.ir.types import HOST
from lite.plan import Plan, Region
from lite.plugin.boundary import at_boundary
from lite.session.build import optimize
from lite.session.predictor import Predictor
from lite.subgraph.report import PlacementReport
from lite.tools.conformance.cases import Case
from lite.tools.conformance.check import difference
from lite.tools.conformance.findings import Finding, Outcome
from lite.tools.conformance.program import program_of

TOLERANCE = 1e-3
"""Largest difference on a device, relative to the largest value of an output."""

NO_BRIDGE = " has no bridge for "
"""What is said of an op that a device has no bridge for."""

SHORTEST_REASON = 3
"""Words that a sentence has at least."""


@dataclass(frozen=True)
class Form:
    """A way to put a case: what is fed, what is a weight, what is known, what is read."""

    name: str
    weights: bool = False
    open_sizes: bool = False
    only_first: bool = False


FORMS = (
    Form("inputs fed"),
    Form("weights constant", weights=True),
    Form("sizes open", open_sizes=True),
    Form("first output only", only_first=True),
    Form("first output only, weights constant", weights=True, only_first=True),
)


def forms_of(case: Case) -> list[Form]:
    """The forms that differ for a case."""
    several = len(case.outputs) > 1
    weights = sum(len(items) for items in case.inputs.values()) > 1
    return [form for form in FORMS if (several or not form.only_first) and (weights or not form.weights)]


def check_cases(
    device: str, cases: Sequence[Case], advance: Callable[[], None] = lambda: None
) -> Iterator[Finding]:
    """Every case in every form, as a model of its own: right, declined with a sentence, or wrong.

    `device` may have options behind its name; `advance` is called after each case.
    """
    for case in cases:
        no_bridge: dict[bool, str] = {}
        for form in forms_of(case):
            if form.weights in no_bridge:
                # What is known of sizes, and what is read, changes nothing for an op without a bridge.
                outcome, detail = _judged(no_bridge[form.weights])
            else:
                outcome, detail = _answer(device, case, form)
            if outcome == "declined" and NO_BRIDGE in detail:
                no_bridge[form.weights] = detail
            yield Finding("ops", case.name, outcome, detail, case.op, form.name)
        advance()


def _answer(device: str, case: Case, form: Form) -> tuple[Outcome, str]:
    config = Config(
        case.name,
        devices=[device],
        fallback="error",
        # A model of one view is put to the device, too.
        passes=["subgraph_pass{min_subgraph_ops=0}"],
        valid_places=[HOST],
    )
    outputs = 1 if form.only_first else None
    program = program_of(case, weights=form.weights, open_sizes=form.open_sizes, outputs=outputs)
    try:
        built = optimize(program, config).built(config)
        if not built.placed.regions:
            return _declined(built.placed)
        for region in _regions(built.plan):
            reason = _why_not_region(region)
            if reason is not None:
                return _judged(reason)
        inputs = [item for items in case.inputs.values() for item in items]
        wanted = [item for items in list(case.outputs.values())[:outputs] for item in items]
        predictor = Predictor(config, built)
        problem = difference(predictor, inputs[: len(predictor.input_names)], wanted, TOLERANCE)
    except LiteError as error:
        if form.open_sizes and _is_refusal(error):
            return _judged(str(error))
        return "wrong", f"taken, then {type(error).__name__}: {error}"
    return ("wrong", problem) if problem else ("passed", "")


def _declined(placed: PlacementReport) -> tuple[Outcome, str]:
    """What the device says of the ops it left to the host."""
    reasons = [reason for op in placed.ops for reason in op.why_not.values()]
    if not reasons:
        return "declined", "litebridge leaves no op of it to any device"
    return _judged(reasons[0])


def _judged(reason: str) -> tuple[Outcome, str]:
    """A refusal, if it is a sentence that the device's author wrote."""
    if " failed: " in reason and ": asking about " in reason:
        return "wrong", f"why_not threw: {reason}"
    if len(reason.split()) < SHORTEST_REASON:
        return "wrong", f"the reason is no sentence: {reason!r}"
    return "declined", reason


def _regions(plan: Plan) -> list[Region]:
    return [item.region for item in plan.instructions if item.region is not None]


def _why_not_region(region: Region) -> str | None:
    name = region.device.name
    return at_boundary(name, "checking a region", lambda: region.device.why_not_region(region.graph))


def _is_refusal(error: BaseException | None) -> bool:
    """Whether nothing but refusals led to an error: a bridge may take back what it said of open sizes."""
    while error is not None:
        if not isinstance(error, CompileError):
            return False
        error = error.__cause__
    return True
