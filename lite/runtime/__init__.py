"""Runs a Plan: binds it once per input signature, then executes the bound steps."""

from lite.runtime.executor import Runtime
from lite.runtime.plan_state import PlanState

__all__ = ["PlanState", "Runtime"]
