"""Which op of which region a device gets wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lite.config import Config
from lite.errors import CompileError, ExecutionError
from lite.io.load import load_program
from lite.io.save import save_program
from lite.ir.graph import Node
from lite.ir.lower import lower_graph
from lite.ir.types import Array
from lite.plan import Plan, Region
from lite.runtime.observe.watch import Observation
from lite.runtime.regions.settings import RegionSettings
from lite.session.build import optimize
from lite.session.predictor import Predictor, create_predictor
from lite.session.region_settings import region_settings
from lite.tools.reference import compare
from lite.tools.region_pieces import HostedRegion, Piece, PieceCheck, check_piece, strict_settings
from lite.tools.result_files import write_results

MOST_SHRUNK = 24
"""Ops of a window up to which each is tried to be left out."""

Lods = Mapping[str, Sequence[Sequence[int]]]


@dataclass(frozen=True)
class RegionCheck:
    """A region on its device against the host, with the inputs it has in the model.

    `error` is the largest relative one of its outputs, None where they cannot be compared; `problem` says
    what is wrong.
    """

    id: int
    device: str
    block: str
    ops: int
    error: float | None
    problem: str


@dataclass(frozen=True)
class FirstBad:
    """The first op whose output differs, and the fewest ops around it that show it.

    `compiles` is how many parts of the region were compiled to find it.
    """

    region: int
    op: str
    name: str
    problem: str
    piece: Piece
    compiles: int


@dataclass(frozen=True)
class Bisection:
    """What came of each region up to the first that differs, and the op in that one."""

    regions: Sequence[RegionCheck]
    first: FirstBad | None


class Bisector:
    """Compares the regions of a model with the host, and looks into the first that differs."""

    def __init__(self, config: Config, feeds: Mapping[str, Array], lods: Lods, tolerance: float) -> None:
        built = optimize(load_program(config), config).built(config)
        self._predictor = Predictor(config, built)
        self._regions = list(_sites(built.plan))
        self._settings: RegionSettings = strict_settings(
            region_settings(config, built.context, nullcontext())
        )
        self._feeds, self._lods, self._tolerance = feeds, lods, tolerance
        self._compiles = 0

    def run(self) -> Bisection:
        """Check the regions in running order; raises `CompileError` when the device takes nothing."""
        if not self._regions:
            raise CompileError("the device takes no op of this model: `litebridge report` says why")
        seen = self._inputs()
        checks: list[RegionCheck] = []
        for plan, names, region in self._regions:
            arrays = [seen.get((plan.name, name)) for name in names]
            if any(array is None for array in arrays):
                checks.append(_check(plan, region, None, "not reached with these inputs"))
                continue
            hosted = HostedRegion(region, [array for array in arrays if array is not None])
            found = self._ask(hosted, hosted.nodes)[1]
            checks.append(_check(plan, region, found.error, found.problem))
            if found.problem:
                return Bisection(checks, self._first_bad(hosted))
        return Bisection(checks, None)

    def _inputs(self) -> dict[tuple[str, str], Array]:
        """What the regions read when they run for the first time.

        Those before the first that differs are right, so that its inputs are the host's.
        """
        wanted = {(plan.name, name) for plan, names, _ in self._regions for name in names}
        seen: dict[tuple[str, str], Array] = {}

        def see(observation: Observation) -> None:
            key = (observation.block, observation.name)
            if key in wanted and key not in seen and isinstance(observation.value, np.ndarray):
                seen[key] = np.array(observation.value)

        self._predictor.observe(see, self._feeds, self._lods)
        return seen

    def _ask(self, hosted: HostedRegion, nodes: Sequence[Node]) -> tuple[Piece, PieceCheck]:
        self._compiles += 1
        piece = hosted.piece(nodes)
        return piece, check_piece(piece, hosted.region, self._settings, self._tolerance)

    def _first_bad(self, hosted: HostedRegion) -> FirstBad:
        nodes = hosted.nodes
        good, bad = 0, len(nodes)
        while bad - good > 1:
            middle = (good + bad) // 2
            if self._ask(hosted, nodes[:middle])[1].problem:
                bad = middle
            else:
                good = middle
        window = self._window(hosted, nodes[:bad])
        piece, found = self._ask(hosted, window)
        node = nodes[bad - 1]
        name = repr(next(iter(node.all_outputs())))[1:]
        return FirstBad(hosted.region.id, node.op, name, found.problem, piece, self._compiles)

    def _window(self, hosted: HostedRegion, nodes: Sequence[Node]) -> list[Node]:
        """The fewest of these ops, the last among them, that show it: that one alone, if it does."""
        size = 1
        while size < len(nodes) and not self._ask(hosted, nodes[-size:])[1].problem:
            size *= 2
        window = list(nodes[-size:])
        if len(window) > MOST_SHRUNK:
            return window
        for node in window[:-1]:
            rest = [other for other in window if other is not node]
            if self._ask(hosted, rest)[1].problem:
                window = rest
        return window


def write_minimal(first: FirstBad, folder: Path) -> tuple[Path, Path]:
    """Write the model of the ops that show it, and its inputs and outputs on the host; where both are."""
    model, reference = folder / "model", folder / "reference.npz"
    save_program(lower_graph(first.piece.graph), model)
    inputs = {f"in:{name}": array for name, array in first.piece.inputs.items()}
    outputs = {f"out:{name}": array for name, array in first.piece.outputs.items()}
    write_results({**inputs, **outputs}, reference)
    return model, reference


def shows_it(first: FirstBad, model: Path, device: str, tolerance: float) -> bool:
    """Whether the written model differs on the device when it is run as any other."""
    config = Config(model, devices=[device], fallback="error", min_subgraph_ops=1)
    try:
        found = create_predictor(config).run(dict(first.piece.inputs))
    except (CompileError, ExecutionError):
        return True
    wanted = first.piece.outputs.items()
    return any(compare(name, found[name], want, tolerance).problem for name, want in wanted)


def _check(plan: Plan, region: Region, error: float | None, problem: str) -> RegionCheck:
    return RegionCheck(region.id, region.device.name, plan.name, len(region.graph), error, problem)


def _sites(plan: Plan) -> Iterator[tuple[Plan, list[str], Region]]:
    """Each region, the plan it is in, and the names of what it reads there, in running order."""
    for item in plan.instructions:
        if item.region is not None:
            yield plan, [plan.values[index].name for index in item.inputs.get("Inputs", ())], item.region
        for block in item.blocks:
            yield from _sites(block)
