"""Models of devices in a forked process, where the threads of the vendor's libraries do not exist."""

from __future__ import annotations

import ctypes
import os
import weakref
from typing import Final, Protocol

FORKED: Final = (
    "its model was built before this process was forked, and may wait for threads that do not exist here; "
    "make a predictor after the fork"
)


class HoldsModels(Protocol):
    """An object with models of devices."""

    def drop_models(self) -> None:
        """Stop using models that do not survive a fork."""


_holders: weakref.WeakSet[HoldsModels] = weakref.WeakSet()


def drop_models_after_fork(holder: HoldsModels) -> None:
    """Have `holder.drop_models` called in each forked process."""
    _holders.add(holder)


def keep_for_ever(model: object) -> None:
    """Never free a model: that would wait for its threads."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(model))


def _drop_all() -> None:
    for holder in list(_holders):
        holder.drop_models()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_drop_all)
