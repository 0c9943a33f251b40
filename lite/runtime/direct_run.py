"""Runs of a segment that is one launch: from arrays to arrays, without the machinery of a general run.

A small model takes less time than the bookkeeping of a general run.  The short way is open where all work of
a plan is one joined step: no op runs in Python, on a device or in a loop, and no array has a LoD.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from ctypes import addressof, c_char
from typing import Any

import numpy as np

from lite.ir.types import Array
from lite.plan import Plan
from lite.runtime.allocation import allocate
from lite.runtime.joined_steps import JoinedStep
from lite.runtime.segment import NOTHING, Segment, Storage
from lite.runtime.steps import ViewStep

_from_buffer = c_char.from_buffer


class DirectRun:
    """Runs a segment on inputs of its exact shapes and dtypes.

    The array of a result is used again where no other reference to it exists: then a run allocates nothing.
    """

    def __init__(
        self, plan: Plan, segment: Segment, names: Sequence[str], step: JoinedStep, views: Sequence[ViewStep]
    ) -> None:
        self.joined = segment.joined
        self.is_last = False
        """Whether the results of the last run are here."""
        self._inputs = [
            (name, segment.metas[index].dims, segment.metas[index].dtype.numpy)
            for index, name in zip(plan.args, names, strict=True)
        ]
        self._step = step
        self._run_at = step.launch.run_at
        self._fresh = segment.fresh
        self._arrays = [np.empty(0, dtype) for _, _, dtype in segment.fresh]
        self._addresses = [0] * len(self._arrays)
        sources = [*plan.args, *(index for index, _, _ in segment.fresh)]
        self._order = [sources.index(index) for index in step.indices]
        self._is_ordered = self._order == list(range(len(sources)))
        self._views = views
        fresh = [index for index, _, _ in segment.fresh]
        self._numbers = (
            None
            if views
            else [
                (name, fresh.index(index))
                for name, index in zip(plan.result_names, plan.results, strict=True)
            ]
        )
        self._results = dict(zip(plan.result_names, plan.results, strict=True))

    def __call__(self, inputs: Mapping[str, Array] | list[Array]) -> dict[str, Array] | None:
        """The results by name, of arrays by name or in order; None for inputs that need a general run.

        Inputs that a launch fails on do: the general run raises the error.
        """
        if len(inputs) != len(self._inputs):
            return None
        given = inputs if isinstance(inputs, list) else [inputs.get(name) for name, _, _ in self._inputs]
        addresses = []
        for array, (_, shape, dtype) in zip(given, self._inputs, strict=True):
            if type(array) is not np.ndarray or array.dtype != dtype or array.shape != shape:
                return None
            try:
                address = addressof(_from_buffer(array))  # type: ignore[arg-type]
            except (TypeError, ValueError):
                if not array.flags.c_contiguous or not array.size:
                    return None
                address = array.__array_interface__["data"][0]  # read-only
            if address % dtype.alignment:
                return None
            addresses.append(address)
        arrays = self._arrays
        for number, (_, shape, dtype) in enumerate(self._fresh):
            if _references(arrays, number) != _UNSHARED or not self._addresses[number]:
                arrays[number] = allocate(shape, dtype)
                self._addresses[number] = addressof(_from_buffer(arrays[number]))  # type: ignore[arg-type]
        addresses += self._addresses
        self._run_at(addresses if self._is_ordered else [addresses[n] for n in self._order])
        if self._step.checks and self._step.forget_errors():
            return None
        self.is_last = True
        return self.results()

    def results(self) -> dict[str, Array]:
        """The results of the last run by name."""
        arrays = self._arrays
        if self._numbers is not None:
            return {name: arrays[number] for name, number in self._numbers}
        env: dict[int, Any] = {NOTHING: None}
        for (index, _, _), array in zip(self._fresh, arrays, strict=True):
            env[index] = array
        for view in self._views:
            view(env)
        return {name: env[index] for name, index in self._results.items()}


def direct_run(plan: Plan, segment: Segment, names: Sequence[str], *, alone: bool) -> DirectRun | None:
    """The short way of a segment, whose arguments are called `names`; None where it needs a general run.

    With `alone`, no further threads may do part of the work.
    """
    joined = segment.joined
    if joined is None or segment.split or segment.stop < len(plan.instructions):
        return None
    if any(segment.metas[index].lod for index in (*plan.args, *plan.results)):
        return None
    step, *rest = joined.steps
    views = [each for each in rest if isinstance(each, ViewStep)]
    if not isinstance(step, JoinedStep) or len(views) < len(rest) or (step.launch.may_share and not alone):
        return None
    known = {NOTHING, *(index for index, _, _ in segment.fresh)}
    for view in views:
        if not known.issuperset(view.indices):
            return None
        known.add(view.out)
    roots = {plan.values[index].root for index in plan.results}
    is_own = known.issuperset(plan.results) and len(roots) == len(plan.results)
    is_static = all(segment.metas[index].is_static for index in plan.args)
    if not is_own or not is_static or any(segment.storage[root] is not Storage.FRESH for root in roots):
        return None
    if not {*plan.args, *known}.issuperset(step.indices) or not all(
        _has_bytes(each) for each in segment.fresh
    ):
        return None
    return DirectRun(plan, segment, names, step, views)


def _has_bytes(fresh: tuple[int, tuple[int, ...], np.dtype[np.generic]]) -> bool:
    return 0 not in fresh[1]


def _references(arrays: Sequence[Array], number: int) -> int:
    return sys.getrefcount(arrays[number])


_UNSHARED = _references([np.empty(1)], 0)
"""The references to an array that only a list holds."""
