"""Counts the ops of the demo's models before and after optimisation, and draws their graphs."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lite.config import Config
from lite.dataclass import dataclass
from lite.io.load import load_program
from lite.ir.types import HOST
from lite.passes.pipelines import default_pipeline
from lite.session.build import optimize

_DRAW = "graph_visualize_pass"


@dataclass(frozen=True)
class GraphChange:
    """A model before and after optimisation: numbers of ops, numbers by target, and the pictures."""

    model: str
    ops_before: int
    ops_after: int
    ops_by_target: dict[str, int]
    pictures: tuple[Path, ...]


def graph_changes(models: Path, out: Path) -> Iterator[GraphChange]:
    """Optimise each model in the folder `models` and draw it into a folder of its name under `out`."""
    for folder in sorted(path for path in models.iterdir() if path.is_dir()):
        pictures = out / folder.name
        if pictures.is_dir():
            shutil.rmtree(pictures)
        yield _change(folder, pictures)


def _change(model: Path, pictures: Path) -> GraphChange:
    config = Config(model, passes=[_DRAW, *default_pipeline(), _DRAW], dot_dir=pictures)
    optimized = optimize(load_program(config), config)
    places = [node.place for each in optimized.graph.walk() for node in each]
    # An op without a place is control flow, which the executor runs on the host.
    targets = Counter(HOST if place is None else place.target for place in places)
    return GraphChange(
        model.name,
        optimized.records[0].ops_before,
        optimized.records[-1].ops_after,
        dict(targets),
        tuple(sorted(pictures.iterdir())),
    )
