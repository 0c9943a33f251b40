"""The outputs of a predictor, before it has run."""

from __future__ import annotations

from lite.ir.types import DType, Shape
from lite.session.predictor import Predictor


def output_values(predictor: Predictor) -> list[tuple[str, DType | None, Shape | None]]:
    """Name, dtype and shape of each output, in the model's order; None where the model leaves it open."""
    plan = predictor._state.plan
    by_name = dict(zip(plan.result_names, plan.results, strict=True))
    values = [(name, plan.values[by_name[name]]) for name in predictor.output_names]
    return [(name, value.dtype, value.shape) for name, value in values]
