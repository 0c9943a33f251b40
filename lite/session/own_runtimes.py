"""OwnRuntimes: what runs the plan of one predictor."""

from __future__ import annotations

from typing import NamedTuple

from lite.runtime.executor import Runtime
from lite.runtime.partial import PartRuntimes
from lite.runtime.plan_state import PlanState
from lite.session.early_answers import EarlyAnswers, HostModel


class OwnRuntimes(NamedTuple):
    """What runs a plan: all of it, with early answers where there may be some, and parts of it."""

    whole: Runtime
    early: EarlyAnswers | None
    parts: PartRuntimes

    @classmethod
    def of(cls, state: PlanState, memory: str, host_model: HostModel | None) -> OwnRuntimes:
        """The runtimes of a plan; `memory` is the strategy that places buffers."""
        runtime = Runtime(state, memory)
        early = None if host_model is None else EarlyAnswers(runtime, host_model)
        return cls(runtime, early, PartRuntimes(state, memory))
