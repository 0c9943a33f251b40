"""The Plan: plain data that the passes produce and the runtime runs."""

from lite.plan.build import build_plan
from lite.plan.part import Part, part_of
from lite.plan.plan import Instruction, Plan, Region, ValueInfo

__all__ = ["Instruction", "Part", "Plan", "Region", "ValueInfo", "build_plan", "part_of"]
