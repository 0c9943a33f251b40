"""Times how long dividing graphs of many ops among devices takes; writes docs/benchmarks/partition.md.

python -m lite.tools.bench.partition --out docs/benchmarks/partition.md
"""

from __future__ import annotations

import functools
import platform
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from lite.dataclass import dataclass
from lite.subgraph import PLACEMENTS
from lite.subgraph.op_graph import OpGraph, PlannedOp, PlannedRegion
from lite.subgraph.plan_regions import plan_regions
from lite.subgraph.reverse_dfs import reverse_dfs_regions
from lite.subgraph.verify_plan import check_plan
from lite.tools.bench.processor import processor
from lite.tools.options.output import page_option, print_or_write

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)
MOST_DEVICES = 3
RUNS = 3

Planner = Callable[[OpGraph], list[PlannedRegion]]

PLANNERS: dict[str, Planner] = {
    **{placement: functools.partial(plan_regions, placement=placement) for placement in PLACEMENTS},
    "reverse_dfs": reverse_dfs_regions,
}
"""The detector ``levels`` with each placement, and ``reverse_dfs``."""


def network(ops: int, devices: int, seed: int = 0) -> list[PlannedOp]:
    """Chains of 4 to 9 ops with a skip connection over each chain; one chain in ten also feeds the last op.

    Each device can run four ops in five; costs and bytes differ from op to op, all at random.
    """
    rng = random.Random(seed)
    planned: list[PlannedOp] = []
    outlets: list[int] = []
    begin = last = -1
    left = 0
    while len(planned) < ops - 1:
        n = len(planned)
        sources = [last]
        if left == 0:
            sources.append(begin)
            begin, left = n, rng.randint(4, 9)
            if rng.random() < 0.1:
                outlets.append(n)
        left -= 1
        planned.append(_op(rng, sources, devices))
        last = n
    planned.append(_op(rng, [last, *outlets], devices))
    return planned


def tangle(ops: int, devices: int, seed: int = 0) -> list[PlannedOp]:
    """Ops that read one or two of the 50 ops before them, which gives more regions than real networks do."""
    rng = random.Random(seed)
    planned: list[PlannedOp] = []
    for n in range(ops):
        sources = [rng.randrange(max(0, n - 50), n) for _ in range(rng.randint(1, 2)) if n]
        planned.append(_op(rng, sources, devices))
    return planned


def _op(rng: random.Random, sources: Sequence[int], devices: int) -> PlannedOp:
    """An op that reads `sources`, of which -1 is the input of the graph."""
    return PlannedOp(
        tuple(sorted({source for source in sources if source >= 0})),
        tuple(device for device in range(devices) if rng.random() < 0.8),
        {device: rng.uniform(1e-5, 1e-3) for device in range(devices)},
        rng.randrange(1_000_000),
    )


FORMS: dict[str, Callable[[int, int], list[PlannedOp]]] = {"network": network, "tangle": tangle}


@dataclass(frozen=True)
class Row:
    """The number of regions and the CPU seconds of one planner on one graph."""

    form: str
    planner: str
    devices: int
    ops: int
    regions: int
    seconds: float


def measure(form: str, ops: int, devices: int, runs: int = RUNS) -> list[Row]:
    """Divide a graph by every planner in turn and keep the median times.

    Raises `ClickException` for an invalid plan.
    """
    planned = FORMS[form](ops, devices)
    seconds: dict[str, list[float]] = {name: [] for name in PLANNERS}
    regions: dict[str, int] = {}
    for run in range(runs):
        for name, planner in PLANNERS.items():
            start = time.process_time()
            graph = OpGraph(planned)
            plan = planner(graph)
            seconds[name].append(time.process_time() - start)
            regions[name] = len(plan)
            problems = [] if run else check_plan(graph, plan)
            if problems:
                raise click.ClickException(f"{form}, {ops} ops, {name}: {problems[0]}")
    return [
        Row(form, name, devices, ops, regions[name], sorted(times)[len(times) // 2])
        for name, times in seconds.items()
    ]


def markdown(rows: Sequence[Row], runs: int = RUNS) -> str:
    """The page: a table for each form of graph, with seconds and regions in a column for each size."""
    sizes = sorted({row.ops for row in rows})
    lines = [
        "# How the time for dividing a graph grows",
        "",
        f"CPU seconds and regions on {processor()}, Python {platform.python_version()}, the",
        "median where there are several runs.  `lite.subgraph.verify_plan` checked every plan.  The planners",
        "`priority`, `fewest_regions` and `cost` are placements of the detector `levels`; `reverse_dfs` is",
        "the other detector, which gives ops to one device after the other.",
        f"Made by `python -m lite.tools.bench.partition --runs {runs} --out docs/benchmarks/partition.md`.",
    ]
    for form in dict.fromkeys(row.form for row in rows):
        about = (FORMS[form].__doc__ or "").split("\n\n")[0]
        lines += ["", f"## {form}", "", about, "Each device takes four ops in five.", ""]
        lines += [f"| planner | devices | {' | '.join(f'{size:,} ops' for size in sizes)} |"]
        lines += ["|---" * (len(sizes) + 2) + "|"]
        for planner, devices in dict.fromkeys((row.planner, row.devices) for row in rows if row.form == form):
            cells = [
                f"{row.seconds:.2g} s, {row.regions:,}"
                for row in rows
                if (row.form, row.planner, row.devices) == (form, planner, devices)
            ]
            lines.append(f"| {planner} | {devices} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


@click.command()
@page_option
@click.option("--most", default=SIZES[-1], show_default=True, help="Leave out graphs of more ops.")
@click.option("--runs", default=RUNS, show_default=True, help="How often each graph is divided.")
def main(out: Path | None, most: int, runs: int) -> None:
    """Time every planner on graphs of 1 000 to 100 000 ops among one to three devices."""
    rows: list[Row] = []
    for form in FORMS:
        for ops in (size for size in SIZES if size <= most):
            for count in range(1, MOST_DEVICES + 1):
                rows += measure(form, ops, count, runs)
                slowest = max(row.seconds for row in rows if (row.form, row.ops) == (form, ops))
                click.echo(f"{form}, {ops} ops, {count} devices: at most {slowest:.2g} s", err=True)
    rows.sort(key=lambda row: (row.form, list(PLANNERS).index(row.planner), row.devices, row.ops))
    print_or_write(markdown(rows, runs), out)


if __name__ == "__main__":
    main()
