"""Runs: the runs of one predictor, and the results of the last one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lite.errors import InputError
from lite.ir.types import NO_LOD, Array, Lod
from lite.runtime.direct_run import DirectRun
from lite.runtime.output_arrays import plain_results
from lite.runtime.run_guard import RunGuard
from lite.session.arguments import require_name
from lite.session.shared_model import SharedModel

# A start by stored runs needs no plan, so its modules are imported with it.
if TYPE_CHECKING:
    from lite.runtime.nested import LastRun
    from lite.runtime.stepped_run import SteppedRun
    from lite.session.early_answers import HostModel
    from lite.session.own_runtimes import OwnRuntimes

Inputs = dict[str, Array] | list[Array]
"""Arrays by name, or all of them in the model's order."""


class Runs:
    """Runs a model by its plan, or in the short way that the last run has opened.

    `host_model` makes the model of the host that answers while kernels are compiled.  A `DirectRun` keeps its
    results itself: other references to them would make it allocate new arrays.
    """

    def __init__(self, model: SharedModel, guard: RunGuard, host_model: HostModel | None) -> None:
        self._model, self._guard, self._host_model = model, guard, host_model
        self._runtimes = None if model.is_deferred else self._made()
        self._short: DirectRun | SteppedRun | None = None
        self._results: dict[str, tuple[Array, Lod]] = {}

    @property
    def runtimes(self) -> OwnRuntimes:
        """What runs the plan, which is loaded now if it was not before."""
        if self._runtimes is None:
            self._runtimes = self._made()
        return self._runtimes

    def _made(self) -> OwnRuntimes:
        from lite.session.own_runtimes import OwnRuntimes

        loaded = self._model.loaded
        return OwnRuntimes.of(loaded.state, loaded.memory, self._host_model)

    def again(self, inputs: Inputs) -> dict[str, Array] | None:
        """The results of a run in the short way, or stored; None where these inputs need the plan."""
        short = self._short
        if short is not None:
            results = self._guard.call_short(short, inputs)
            if results is not None:
                is_kept = isinstance(short, DirectRun)
                self._results = {} if is_kept else {name: (results[name], NO_LOD) for name in results}
                return results
        return self._stored(inputs) if self._model.has_stored_runs else None

    def by_plan(
        self, values: Sequence[Array], lods: Sequence[Lod], outputs: Mapping[int, Array]
    ) -> dict[str, Array]:
        """The outputs by name; `outputs` are arrays to write results to, by position."""
        results = self._guard.call(self._run, values, lods, outputs)
        run = self.runtimes.whole.last_run if self._model.has_outputs_only else None
        if run is not None and not any(lod for _, lod in results.values()):
            self._short = self._short_way(run)
        return {name: results[name][0] for name in self._model.output_names}

    def answer(
        self, values: Sequence[Any], lods: Sequence[Lod], outputs: Mapping[int, Array]
    ) -> tuple[list[Any], list[Lod]]:
        """All results of the plan in order, with their LoDs."""
        results = self._guard.call(self._run, values, lods, outputs)
        # A model may return a value twice.
        ordered = [results[name] for name in self._model.loaded.state.plan.result_names]
        return [array for array, _ in ordered], [lod for _, lod in ordered]

    def result(self, name: str) -> tuple[Array, Lod]:
        """A result of the last run; raises `InputError` for an unknown name, and before the first run."""
        short = self._short
        if isinstance(short, DirectRun) and short.is_last and name in self._model.output_names:
            return short.results()[name], NO_LOD
        require_name(name, self._model.loaded.state.plan.result_names, "output or kept variable")
        if name not in self._results:
            raise InputError(f"{name!r} has no value yet; run the predictor first")
        return self._results[name]

    def _run(
        self, values: Sequence[Array], lods: Sequence[Lod], outputs: Mapping[int, Array]
    ) -> dict[str, tuple[Array, Lod]]:
        """The results by name, which `result` returns from now on."""
        self._model.check_files()
        runtimes = self.runtimes
        arrays, result_lods = (runtimes.early or runtimes.whole).run(values, lods, outputs)
        names = self._model.loaded.state.plan.result_names
        results = dict(zip(names, zip(plain_results(arrays), result_lods, strict=True), strict=True))
        self._results = results
        if isinstance(self._short, DirectRun):
            self._short.is_last = False
        return results

    def _stored(self, inputs: Inputs) -> dict[str, Array] | None:
        direct = self._model.stored_run(inputs)
        results = None if direct is None else self._guard.call_short(direct, inputs)
        if results is not None:
            self._short, self._results = direct, {}
        return results

    def _short_way(self, run: LastRun) -> DirectRun | SteppedRun | None:
        """How to run again, as the last time, without the machinery of a general run."""
        from lite.runtime.direct_segment import direct_run
        from lite.runtime.stepped_run import stepped_run

        before, names = self._short, self._model.inputs.names
        direct = None
        if not run.elements:
            direct_before = before if isinstance(before, DirectRun) else None
            alone = self._model.config.threads == 1
            direct = direct_run(run.runtime.plan, run.segment, names, direct_before, alone=alone)
        return direct or stepped_run(run, names, before, self._call_steps)

    def _call_steps(
        self, run: Callable[[Sequence[Array]], list[Any] | None], arrays: Sequence[Array]
    ) -> list[Any] | None:
        with np.errstate(all="ignore"):
            return self._model.threads.call(run, arrays)
