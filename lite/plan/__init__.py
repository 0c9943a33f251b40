"""The Plan: what the passes hand to the runtime, as plain data."""

from lite.plan.build import build_plan
from lite.plan.plan import Instruction, Plan, ValueInfo

__all__ = ["Instruction", "Plan", "ValueInfo", "build_plan"]
