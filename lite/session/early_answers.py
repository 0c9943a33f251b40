"""Answers of the host's kernels, by which runs do not wait until kernels are compiled."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from lite.config import CPU, Config
from lite.errors import LiteError
from lite.ir.program import Program
from lite.ir.types import Array, Lod
from lite.plugin.kernel.owned_lock import OwnedLock
from lite.plugin.kernel.run_context import MissingKernels, current_run

# Programs whose kernels are compiled use these modules never, so functions import them when they are called.
if TYPE_CHECKING:
    from lite.artifact.artifact import Artifact
    from lite.plugin.kernel.compilation import KernelTask
    from lite.runtime.executor import Runtime
    from lite.session.compilation import Compilation

COMPILATION_VARIABLE = "LITEBRIDGE_COMPILATION"
"""Environment variable: ``wait`` makes runs wait where the Config leaves it open."""

Results = tuple[list[Any], list[Lod]]

Run = Callable[[Sequence[Any], Sequence[Lod], Mapping[int, Array]], Results]
"""Runs a model: the arguments, their LoDs, and arrays for results by position."""


def answers_early(config: Config) -> bool:
    """Whether runs of a Config get answers by the host's kernels until those of the target cpu are compiled.

    Strict precision promises the same bits in each run.  Devices build their models in a run anyhow, and
    would do so twice.
    """
    if config.precision == "strict" or config.devices or all(p.target != CPU for p in config.places):
        return False
    if config.compilation == "auto":
        return os.environ.get(COMPILATION_VARIABLE) != "wait"
    return config.compilation == "background"


class StandIn(Protocol):
    """A predictor of the host."""

    def answer(self, values: Sequence[Any], lods: Sequence[Lod], outputs: Mapping[int, Array]) -> Results:
        """A run; see `Run`."""

    def clone(self) -> StandIn:
        """Another one, for another thread."""


class HostModel:
    """The model of a Config by the host's kernels, for a predictor and its clones.

    `create` makes a predictor; `program` is the model where it is not to be read from the Config's files.
    """

    def __init__(
        self,
        config: Config,
        artifact: Artifact | None,
        program: Program | None,
        create: Callable[[Config, Program | None], StandIn],
    ) -> None:
        self._program = program
        self._config = config
        self._artifact = artifact
        self._create = create
        self._lock = OwnedLock()
        self._last: Callable[[], StandIn | None] = _none

    def predictor(self) -> StandIn:
        """A predictor, which shares its weights with those before that still exist."""
        with self._lock:
            last = self._last()
            made = self._make() if last is None else last.clone()
            self._last = weakref.ref(made)
            return made

    def _make(self) -> StandIn:
        places = tuple(place for place in self._config.places if place.target != CPU)
        config = replace(
            self._config, valid_places=places, plan=None, cache_dir=None, debug=False, dot_dir=None
        )
        program = self._program
        if program is None and self._artifact is not None:
            program = self._artifact.origin()
        return self._create(config, program)


def _none() -> None:
    """No predictor."""


class EarlyAnswers:
    """Runs a plan, or the model by the host's kernels as long as kernels of the plan are being compiled."""

    def __init__(self, runtime: Runtime, model: HostModel) -> None:
        self._runtime = runtime
        self._model = model
        self._stand_in: Run | None = None
        self._tasks: tuple[KernelTask, ...] = ()
        self._waits = False
        self._on_host = False

    def run(self, args: Sequence[Any], lods: Sequence[Lod], outputs: Mapping[int, Array]) -> Results:
        """The results and their LoDs; raises what `Runtime.run` raises.  To be called inside a run."""
        self._on_host = False
        if self._waits:
            return self._runtime.run(args, lods, outputs)
        if self._stand_in is None or not self._is_at_work():
            run = current_run()
            missing = run.missing = MissingKernels()
            try:
                results = self._runtime.run(args, lods, outputs)
            except Exception:
                # It may be an error that says so, of an op that needed the kernel.
                if not missing.tasks:
                    raise
            else:
                self._stand_in = None
                return results
            if not self._begin(missing, args, lods):
                self._waits = True
                run.missing = None
                return self._runtime.run(args, lods, outputs)
        assert self._stand_in is not None
        self._on_host = True
        return self._stand_in(args, lods, outputs)

    def state(self) -> Compilation:
        """The kernels that are missing."""
        from lite.session.compilation import Compilation

        tasks = self._tasks
        if not tasks:
            return Compilation()
        from lite.session.compile_process import COMPILE_PROCESS

        left = COMPILE_PROCESS.left(tasks)
        return Compilation(self._on_host, left, len(tasks), COMPILE_PROCESS.problem(tasks))

    def _is_at_work(self) -> bool:
        from lite.session.compile_process import COMPILE_PROCESS

        return COMPILE_PROCESS.is_at_work(self._tasks) or bool(COMPILE_PROCESS.problem(self._tasks))

    def _begin(self, missing: MissingKernels, args: Sequence[Any], lods: Sequence[Lod]) -> bool:
        """Have missing kernels compiled, and the model run without them; False where that is impossible."""
        from lite.session.compile_process import COMPILE_PROCESS
        from lite.session.missing_kernels import missing_kernels

        try:
            self._stand_in = self._stand_in or self._model.predictor().answer
        except (LiteError, OSError):
            # The model's file may be gone; the plan needs it no more.
            return False
        found = missing_kernels(self._runtime.state, self._runtime.memory, args, lods)
        self._tasks = tuple(dict.fromkeys([*self._tasks, *missing.tasks, *found]))
        return not COMPILE_PROCESS.request(self._tasks)
