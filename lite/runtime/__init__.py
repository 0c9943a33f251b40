"""Runs plans: binds a plan once per input signature, and executes the bound steps."""

from lite.runtime.executor import Runtime
from lite.runtime.plan_state import PlanState

__all__ = ["PlanState", "Runtime"]
