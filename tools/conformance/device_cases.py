"""Section ``ops``: the op cases on a device, each in several forms."""

from __future__ import annotations

from collections.abc import Iterator

from lite.config import Config
from lite.dataclass import dataclass
from lite.errors import CompileError, LiteError
from lite.ir.types import HOST
from lite.plan import Plan, Region
from lite.plugin.boundary import at_boundary
from lite.plugin.device import Precision
from lite.runtime.regions.engine import ONLY_BUILDS
from lite.session.build import optimize
from lite.session.predictor import Predictor
from lite.subgraph.report import PlacementReport
from lite.tools.conformance.cases import Case, program_of
from lite.tools.conformance.check import difference
from lite.tools.conformance.findings import Finding, Outcome
from lite.tools.conformance.rounded_cases import beyond_range, in_precision

NO_BRIDGE = " has no bridge for "
"""A part of the reason for an op without a bridge."""

SHORTEST_REASON = 3
"""The smallest number of words of a reason."""


@dataclass(frozen=True)
class Form:
    """A form of a case: which inputs are weights, whether sizes are open, and which outputs are read."""

    name: str
    weights: bool = False
    open_sizes: bool = False
    only_first: bool = False


FORMS = (
    Form("inputs"),
    Form("weights", weights=True),
    Form("open sizes", open_sizes=True),
    Form("first output only", only_first=True),
    Form("first output only, weights", weights=True, only_first=True),
)


def forms_of(case: Case) -> list[Form]:
    """The forms that differ for a case."""
    several_outputs = len(case.outputs) > 1
    several_inputs = sum(len(items) for items in case.inputs.values()) > 1
    return [
        form
        for form in FORMS
        if (several_outputs or not form.only_first) and (several_inputs or not form.weights)
    ]


def check_case(device: str, original: Case, precision: Precision) -> Iterator[Finding]:
    """Run a case in each form as a model on the device, and compare it with the expected outputs.

    `device` may have options; `precision` is the one in which it computes.
    """
    case = original if beyond_range(original, precision) else in_precision(original, precision)
    no_bridge: dict[bool, str] = {}
    for form in forms_of(case):
        if form.weights in no_bridge:
            # Open sizes and unread outputs do not matter for an op without a bridge.
            outcome, detail = _declined(no_bridge[form.weights])
        else:
            outcome, detail = _run_case(device, case, form, precision)
        if outcome == "declined" and NO_BRIDGE in detail:
            no_bridge[form.weights] = detail
        yield Finding("ops", case.name, outcome, detail, case.op, form.name)


def _run_case(device: str, case: Case, form: Form, precision: Precision) -> tuple[Outcome, str]:
    config = Config(
        case.name,
        devices=[device],
        fallback="error",
        # Devices also receive a model whose only op is a view.
        passes=["subgraph_pass{min_subgraph_ops=0}"],
        valid_places=[HOST],
    )
    outputs = 1 if form.only_first else None
    program = program_of(case, weights=form.weights, open_sizes=form.open_sizes, outputs=outputs)
    try:
        built = optimize(program, config).built(config)
        if not built.placed.regions:
            return _declined_by(built.placed)
        for region in _regions(built.plan):
            reason = _why_not_region(region)
            if reason is not None:
                return _declined(reason)
        inputs = [item for items in case.inputs.values() for item in items]
        expected = [item for items in list(case.outputs.values())[:outputs] for item in items]
        too_large = beyond_range(case, precision)
        if too_large:
            return _declined(too_large)
        predictor = Predictor(config, built)
        problem = difference(predictor, inputs[: len(predictor.input_names)], expected, precision.tolerance)
    except LiteError as error:
        if ONLY_BUILDS in str(error) or (form.open_sizes and _is_refusal(error)):
            return _declined(str(error))
        return "wrong", f"the device accepted the op and then failed: {type(error).__name__}: {error}"
    return ("wrong", problem) if problem else ("passed", "")


def _declined_by(placed: PlacementReport) -> tuple[Outcome, str]:
    """Declined with the device's reason for an op on the host."""
    reasons = [reason for op in placed.ops for reason in op.why_not.values()]
    if not reasons:
        return "declined", "litebridge does not give an op of this case to a device"
    return _declined(reasons[0])


def _declined(reason: str) -> tuple[Outcome, str]:
    """Declined, if the device's author wrote the reason as a sentence; else wrong."""
    if " failed: " in reason and ": asking about " in reason:
        return "wrong", f"why_not() raised an exception: {reason}"
    if len(reason.split()) < SHORTEST_REASON:
        return (
            "wrong",
            f"expected a sentence of at least {SHORTEST_REASON} words as the reason, got {reason!r}",
        )
    return "declined", reason


def _regions(plan: Plan) -> list[Region]:
    return [item.region for item in plan.instructions if item.region is not None]


def _why_not_region(region: Region) -> str | None:
    name = region.device.name
    return at_boundary(name, "checking a region", lambda: region.device.why_not_region(region.graph))


def _is_refusal(error: BaseException | None) -> bool:
    """Whether an error has only `CompileError`s as causes.

    With open sizes a bridge may accept an op and decline it later, when the sizes are known.
    """
    while error is not None:
        if not isinstance(error, CompileError):
            return False
        error = error.__cause__
    return True
