"""Finds the op of a region that a device computes wrongly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from lite.config import Config
from lite.dataclass import dataclass
from lite.errors import CompileError, ExecutionError
from lite.io.load import load_program
from lite.io.save import save_program
from lite.ir.graph import Node
from lite.ir.lower import lower_graph
from lite.ir.types import Array
from lite.plan import Plan, Region
from lite.runtime.observe.watch import Observation
from lite.runtime.regions.settings import RegionSettings
from lite.runtime.threads import Threads
from lite.session.build import optimize
from lite.session.predictor import Predictor, create_predictor
from lite.session.region_settings import region_settings
from lite.tools.analysis.region_parts import (
    EvaluatedRegion,
    PartCheck,
    RegionPart,
    check_part,
    strict_settings,
)
from lite.tools.analysis.stopwatch import Lods
from lite.tools.arrays.comparison import compare
from lite.tools.arrays.files import write_arrays

MOST_SHRUNK_OPS = 24
"""A part with more ops is not shrunk op by op, since each attempt is a compilation."""


@dataclass(frozen=True)
class RegionCheck:
    """A region on its device compared with the host, with the inputs that it has in the model.

    `error` is the largest relative error of an output, or None if the outputs cannot be compared.
    `problem` is a sentence, "" for none.
    """

    id: int
    device: str
    block: str
    ops: int
    error: float | None
    problem: str


@dataclass(frozen=True)
class FirstWrongOp:
    """The first op whose output differs, and the smallest part around it that reproduces the difference.

    `compiles` counts the parts that the device compiled during the search.
    """

    region: int
    op: str
    name: str
    problem: str
    part: RegionPart
    compiles: int


@dataclass(frozen=True)
class Bisection:
    """The checks of the regions up to the first that differs, and the first wrong op of that region."""

    regions: Sequence[RegionCheck]
    first: FirstWrongOp | None


class Bisector:
    """Compares the regions of a model with the host, and searches the first region that differs."""

    def __init__(self, config: Config, feeds: Mapping[str, Array], lods: Lods, tolerance: float) -> None:
        built = optimize(load_program(config), config).built(config)
        self._predictor = Predictor(config, built)
        self._regions = list(_regions(built.plan))
        self._settings: RegionSettings = strict_settings(region_settings(config, built.context, Threads()))
        self._feeds, self._lods, self._tolerance = feeds, lods, tolerance
        self._compiles = 0

    def run(self) -> Bisection:
        """Check the regions in running order; raises `CompileError` if the device supports no op."""
        if not self._regions:
            raise CompileError(
                "the device supports no op of this model; `litebridge report` shows the reasons"
            )
        inputs = self._region_inputs()
        checks: list[RegionCheck] = []
        for plan, names, region in self._regions:
            arrays = [inputs.get((plan.name, name)) for name in names]
            if any(array is None for array in arrays):
                checks.append(_region_check(plan, region, None, "these inputs do not reach it"))
                continue
            evaluated = EvaluatedRegion(region, [array for array in arrays if array is not None])
            check = self._check(evaluated, evaluated.nodes)[1]
            checks.append(_region_check(plan, region, check.error, check.problem))
            if check.problem:
                return Bisection(checks, self._first_wrong_op(evaluated))
        return Bisection(checks, None)

    def _region_inputs(self) -> dict[tuple[str, str], Array]:
        """The inputs of the regions in their first run, by block and name.

        They are right for the first region that differs, since all regions before it are right.
        """
        keys = {(plan.name, name) for plan, names, _ in self._regions for name in names}
        inputs: dict[tuple[str, str], Array] = {}

        def see(observation: Observation) -> None:
            key = (observation.block, observation.name)
            if key in keys and key not in inputs and isinstance(observation.value, np.ndarray):
                inputs[key] = np.array(observation.value)

        self._predictor.observe(see, self._feeds, self._lods)
        return inputs

    def _check(self, region: EvaluatedRegion, nodes: Sequence[Node]) -> tuple[RegionPart, PartCheck]:
        self._compiles += 1
        part = region.part(nodes)
        return part, check_part(part, region.region, self._settings, self._tolerance)

    def _first_wrong_op(self, region: EvaluatedRegion) -> FirstWrongOp:
        """Bisect the lengths of the parts that start at the region's beginning."""
        nodes = region.nodes
        right, wrong = 0, len(nodes)
        while wrong - right > 1:
            middle = (right + wrong) // 2
            if self._check(region, nodes[:middle])[1].problem:
                wrong = middle
            else:
                right = middle
        part, check = self._check(region, self._smallest_part(region, nodes[:wrong]))
        node = nodes[wrong - 1]
        return FirstWrongOp(region.region.id, node.op, node.label, check.problem, part, self._compiles)

    def _smallest_part(self, region: EvaluatedRegion, nodes: Sequence[Node]) -> list[Node]:
        """The fewest of these ops, the last one included, that reproduce the problem."""
        size = 1
        while size < len(nodes) and not self._check(region, nodes[-size:])[1].problem:
            size *= 2
        smallest = list(nodes[-size:])
        if len(smallest) > MOST_SHRUNK_OPS:
            return smallest
        for node in smallest[:-1]:
            rest = [other for other in smallest if other is not node]
            if self._check(region, rest)[1].problem:
                smallest = rest
        return smallest


def write_reproducer(first: FirstWrongOp, folder: Path) -> tuple[Path, Path]:
    """Write a model of the smallest part, and its inputs and expected outputs; return both paths."""
    model, reference = folder / "model", folder / "reference.npz"
    save_program(lower_graph(first.part.graph), model)
    inputs = {f"in:{name}": array for name, array in first.part.inputs.items()}
    outputs = {f"out:{name}": array for name, array in first.part.outputs.items()}
    write_arrays({**inputs, **outputs}, reference)
    return model, reference


def reproduces(first: FirstWrongOp, model: Path, device: str, tolerance: float) -> bool:
    """Whether the written model differs on the device, too, when it runs alone."""
    config = Config(model, devices=[device], fallback="error", min_subgraph_ops=1)
    try:
        results = create_predictor(config).run(dict(first.part.inputs))
    except (CompileError, ExecutionError):
        return True
    expected = first.part.outputs.items()
    return any(compare(name, results[name], array, tolerance).problem for name, array in expected)


def _region_check(plan: Plan, region: Region, error: float | None, problem: str) -> RegionCheck:
    return RegionCheck(region.id, region.device.name, plan.name, len(region.graph), error, problem)


def _regions(plan: Plan) -> Iterator[tuple[Plan, list[str], Region]]:
    """Each region in running order, with its plan and the names of its inputs."""
    for item in plan.instructions:
        if item.region is not None:
            yield plan, [plan.values[index].name for index in item.inputs.get("Inputs", ())], item.region
        for block in item.blocks:
            yield from _regions(block)
