"""Built: a planned model, from which a predictor is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lite.ir.graph import Graph
from lite.ir.program import Program
from lite.passes.base import PassContext
from lite.passes.manager import PassRecord
from lite.plan import Plan
from lite.session.inputs import InputSpec
from lite.session.loaded_files import LoadedFiles
from lite.subgraph.report import PlacementReport

if TYPE_CHECKING:
    from lite.cache.packed_weights import PackedWeights


@dataclass(frozen=True)
class Built:
    """A planned model.

    `context` is the context of the passes, with which regions are planned for the host.  `memory` is the
    strategy that places buffers.  `records` say what each pass did; they are empty for a plan from the cache.
    `packs` stores packed weights for the next process.  `origin` is the optimised graph and its program; only
    with `Config.debug`.  `files` are those that weights may be mapped from.
    """

    inputs: Sequence[InputSpec]
    output_names: Sequence[str]
    plan: Plan
    memory: str
    placed: PlacementReport
    context: PassContext
    records: Sequence[PassRecord] = ()
    packs: PackedWeights | None = None
    origin: tuple[Graph, Program] | None = None
    files: LoadedFiles = field(default_factory=LoadedFiles)
