"""SharedModel: what a predictor and its clones share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from lite.config import CPU, Config
from lite.plugin.kernel.owned_lock import OwnedLock
from lite.runtime.threads import RunThreads, Threads
from lite.session.arguments import ModelInputs
from lite.session.built import Built, Prepared
from lite.session.loaded_files import LoadedFiles

# A start by stored runs needs no plan, so its modules are imported with it.
if TYPE_CHECKING:
    from lite.cache.packed_weights import Packs
    from lite.ir.graph import Graph
    from lite.ir.program import Program
    from lite.passes.manager import PassRecord
    from lite.runtime.direct_run import DirectRun
    from lite.runtime.plan_state import PlanState
    from lite.runtime.regions.settings import RegionSettings
    from lite.subgraph.report import PlacementReport


class Loaded(NamedTuple):
    """A plan with its weights and kernels, and what is kept of how it was made: the names are `Built`'s."""

    state: PlanState
    regions: RegionSettings | None
    memory: str
    placed: PlacementReport
    records: Sequence[PassRecord]
    origin: tuple[Graph, Program] | None


class SharedModel:
    """The model of a predictor and its clones: weights, plan and compiled regions.

    Of a `Prepared` model they are loaded when something else than a stored run is asked for.  `program` is
    the model where it is not read from the Config's files.
    """

    def __init__(self, config: Config, built: Built | Prepared, program: Program | None) -> None:
        self.config = config
        self.program = program
        self.inputs = ModelInputs(built.inputs)
        self.output_names = list(built.output_names)
        self.artifact = built.artifact
        self.has_outputs_only = True
        """Whether the results of the plan are the outputs of the model."""
        self.packs: Packs | None = None
        """Where packed weights are stored for the next process; None for stored runs."""
        self._unread_files: LoadedFiles | None = built.files
        self._lock = OwnedLock()
        self._loaded: Loaded | None = None
        own_threads = any(place.target == CPU for place in config.places)
        self.threads: Threads = RunThreads(config.threads, config.precision, own_threads=own_threads)
        """The threads of a run."""
        if isinstance(built, Prepared):
            self._prepared: Prepared | None = built
            self._first_run: DirectRun | None = built.first_run
            return
        self._prepared = self._first_run = None
        self.packs = built.packs
        self.has_outputs_only = self.output_names == [*built.plan.result_names]
        # Another number of threads wakes those of BLAS: it stays where devices do all the work.
        instructions = built.plan.instructions
        if instructions and all(item.region is not None for item in instructions):
            self.threads = Threads()
        self._loaded = self._load(built)

    @property
    def is_deferred(self) -> bool:
        """Whether the plan is not loaded yet."""
        return self._loaded is None

    @property
    def loaded(self) -> Loaded:
        """The plan; raises what `create_predictor` raises where it has to be made again."""
        with self._lock:
            if self._loaded is None and self._prepared is not None:
                self._loaded = self._load(self._prepared.built())
            assert self._loaded is not None
            return self._loaded

    @property
    def has_stored_runs(self) -> bool:
        """Whether `stored_run` may find one."""
        return self._prepared is not None

    def check_files(self) -> None:
        """Before weights are read first, check that their files are as they were."""
        if self._unread_files is not None:
            self._unread_files.check()
            self._unread_files = None

    def stored_run(self, inputs: Mapping[str, Any] | Sequence[Any]) -> DirectRun | None:
        """A stored run for these inputs, with memory of its own; None without one."""
        runs = () if self._prepared is None else self._prepared.runs
        run = next((run for run in runs if run.signature.takes(inputs)), None)
        if run is None:
            return None
        self.check_files()
        with self._lock:  # two clones must not share one
            first, self._first_run = self._first_run, None
        return first if first is not None and first.signature is run.signature else run.restored()

    def _load(self, built: Built) -> Loaded:
        from lite.runtime.plan_state import PlanState
        from lite.session.region_engines import make_engine, settings_of_plan

        regions = settings_of_plan(self.config, built, self.threads)
        packs = None if built.packs is None else built.packs.main_block()
        state = PlanState(built.plan, make_engine(regions), packs, self.config.limits)
        return Loaded(state, regions, built.memory, built.placed, built.records, built.origin)
