"""Runs plans: binds a plan once per input signature, and executes the bound steps."""

from typing import TYPE_CHECKING

from lite.lazy_names import names_of_modules

if TYPE_CHECKING:
    from lite.runtime.executor import Runtime
    from lite.runtime.plan_state import PlanState

__all__ = ["PlanState", "Runtime"]

_LOADED_AT_FIRST_USE = {"PlanState": "lite.runtime.plan_state", "Runtime": "lite.runtime.executor"}
"""The module of each name: a start by stored runs needs none of them."""


if not TYPE_CHECKING:  # type checkers report a wrong name
    __getattr__ = names_of_modules(globals(), _LOADED_AT_FIRST_USE)
