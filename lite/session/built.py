"""Built: a planned model, from which a predictor is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from lite.dataclass import dataclass
from lite.session.loaded_files import LoadedFiles

if TYPE_CHECKING:
    from lite.artifact.artifact import Artifact
    from lite.cache.packed_weights import Packs
    from lite.config import Config
    from lite.ir.graph import Graph
    from lite.ir.program import Program
    from lite.ir.types import Shape
    from lite.passes.base import PassContext
    from lite.passes.manager import PassRecord
    from lite.plan import Plan
    from lite.runtime.direct_run import DirectRun
    from lite.runtime.plan_state import PlanState
    from lite.runtime.stored_run import StoredRun
    from lite.session.inputs import InputSpec
    from lite.subgraph.report import PlacementReport


@dataclass(frozen=True)
class PredictorParts:
    """What an artifact stores of a predictor: the names are those of `Built`; `specs` name the devices.

    `program` is the model where it was not read from the Config's files.  `bound` are the shapes of the
    inputs for which it is prepared.
    """

    inputs: Sequence[InputSpec]
    output_names: Sequence[str]
    state: PlanState
    memory: str
    placed: PlacementReport
    specs: Mapping[str, str]
    artifact: Artifact | None
    program: Program | None
    bound: Sequence[tuple[Shape | None, ...]]


@dataclass(frozen=True)
class Built:
    """A planned model.

    `context` is the context of the passes, with which regions are planned for the host.  `memory` is the
    strategy that places buffers.  `records` say what each pass did; they are empty for a plan from the cache.
    `packs` stores packed weights for the next process.  `origin` is the optimised graph and its program; only
    with `Config.debug`.  `files` are those that weights may be mapped from.
    `artifact` is the one that the model was read from, if any, and `config` then the Config with its
    settings.
    """

    inputs: Sequence[InputSpec]
    output_names: Sequence[str]
    plan: Plan
    memory: str
    placed: PlacementReport
    context: PassContext
    records: Sequence[PassRecord] = ()
    packs: Packs | None = None
    origin: tuple[Graph, Program] | None = None
    files: LoadedFiles = field(default_factory=LoadedFiles)
    config: Config | None = None
    artifact: Artifact | None = None


@dataclass(frozen=True)
class Prepared:
    """A model of an artifact with stored runs: for those it needs no plan.

    `runs` has a run for each signature, of which `first_run` is the first one.  `built` loads all the rest.
    The other names are those of `Built`.
    """

    inputs: Sequence[InputSpec]
    output_names: Sequence[str]
    runs: Sequence[StoredRun]
    first_run: DirectRun
    built: Callable[[], Built]
    config: Config
    artifact: Artifact
    files: LoadedFiles = field(default_factory=LoadedFiles)
