"""RegionModel: a device's model of a region, checked."""

from __future__ import annotations

from typing import Literal

from lite.dataclass import dataclass
from lite.errors import CompileError
from lite.plugin.device import CompiledModel
from lite.runtime.regions.evidence import evidence_problem
from lite.runtime.regions.groups import GroupMember


@dataclass(frozen=True)
class RegionModel:
    """A device model, how it was obtained, the seconds this took, and its place in a group of models."""

    model: CompiledModel
    state: Literal["built", "loaded"]
    seconds: float
    member: GroupMember | None = None


def checked(model: object, device: str, activity: str) -> CompiledModel:
    """The model that a device returned.

    Raises `CompileError` for any other object, and for evidence of work that is not done on the device.
    """
    if not isinstance(model, CompiledModel):
        raise CompileError(f"{device}: {activity} returned {model!r}, expected a CompiledModel")
    problem = evidence_problem(model, device)
    if problem:
        raise CompileError(f"{device}: {problem}")
    return model
