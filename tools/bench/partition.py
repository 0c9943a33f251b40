"""How dividing a graph among devices grows with the number of ops; writes docs/benchmarks/partition.md.

python -m lite.tools.bench.partition --out docs/benchmarks/partition.md
"""

from __future__ import annotations

import functools
import platform
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from lite.subgraph.numbered_ops import Region, RegionNode
from lite.subgraph.plan_regions import PLACEMENTS, plan_regions
from lite.subgraph.reverse_dfs import reverse_dfs_regions
from lite.subgraph.verify_plan import check_plan

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)
DEVICES = ("a", "b", "c")
RUNS = 3

Planner = Callable[[Sequence[RegionNode], Sequence[str]], list[Region]]

WAYS: dict[str, Planner] = {
    **{placement: functools.partial(plan_regions, placement=placement) for placement in PLACEMENTS},
    "reverse_dfs": reverse_dfs_regions,
}
"""The detector ``levels`` with each placement, and ``reverse_dfs``."""


def network(ops: int, devices: Sequence[str], seed: int = 0) -> list[RegionNode]:
    """Blocks of 4 to 9 ops in a row with a skip over each, every tenth to the output as well.

    Each device takes four ops in five; costs and bytes differ from op to op.
    """
    rng = random.Random(seed)
    nodes: list[RegionNode] = []
    outlets: list[str] = []
    begin = last = "x"
    left = 0
    while len(nodes) < ops - 1:
        name = f"n{len(nodes):07}"
        inputs = [last]
        if left == 0:
            inputs += [begin] if begin != last else []
            begin, left = name, rng.randint(4, 9)
            if rng.random() < 0.1:
                outlets.append(name)
        left -= 1
        nodes.append(_node(rng, name, inputs, devices))
        last = name
    nodes.append(_node(rng, "output", [last, *outlets], devices))
    return nodes


def tangle(ops: int, devices: Sequence[str], seed: int = 0) -> list[RegionNode]:
    """Ops that read one or two of the 50 before: more regions than any network has."""
    rng = random.Random(seed)
    nodes: list[RegionNode] = []
    for n in range(ops):
        inputs = [f"n{rng.randrange(max(0, n - 50), n):07}" for _ in range(rng.randint(1, 2)) if n]
        nodes.append(_node(rng, f"n{n:07}", inputs, devices))
    return nodes


def _node(rng: random.Random, name: str, inputs: Sequence[str], devices: Sequence[str]) -> RegionNode:
    return {
        "name": name,
        "inputs": inputs,
        "supported_by": [device for device in devices if rng.random() < 0.8],
        "cost": {device: rng.uniform(1e-5, 1e-3) for device in devices},
        "bytes": rng.randrange(1_000_000),
    }


FORMS: dict[str, Callable[[int, Sequence[str]], list[RegionNode]]] = {"network": network, "tangle": tangle}


@dataclass(frozen=True)
class Row:
    """The regions and the CPU seconds of one way to divide a graph."""

    form: str
    way: str
    devices: int
    ops: int
    regions: int
    seconds: float


def measure(form: str, ops: int, devices: Sequence[str], runs: int = RUNS) -> list[Row]:
    """Divide a graph in every way, in turn, and keep the median time; raises for a plan that is wrong."""
    nodes = FORMS[form](ops, devices)
    seconds: dict[str, list[float]] = {way: [] for way in WAYS}
    regions: dict[str, int] = {}
    for run in range(runs):
        for way, planner in WAYS.items():
            start = time.process_time()
            plan = planner(nodes, devices)
            seconds[way].append(time.process_time() - start)
            regions[way] = len(plan)
            problems = [] if run else check_plan(nodes, plan, devices)
            if problems:
                raise click.ClickException(f"{form}, {ops} ops, {way}: {problems[0]}")
    return [
        Row(form, way, len(devices), ops, regions[way], sorted(times)[len(times) // 2])
        for way, times in seconds.items()
    ]


def markdown(rows: Sequence[Row], runs: int = RUNS) -> str:
    """A table for each form, with a column of seconds and regions for each size."""
    sizes = sorted({row.ops for row in rows})
    lines = [
        "# How the time for dividing a graph grows",
        "",
        f"CPU seconds and regions on {platform.machine()}, Python {platform.python_version()}, the",
        "median where runs are several.  Every plan was checked by `lite.subgraph.verify_plan`.  The ways",
        "`priority`, `fewest_regions` and `cost` are placements of the detector `levels`; `reverse_dfs` is",
        "the other detector, device after device.",
        f"Made by `python -m lite.tools.bench.partition --runs {runs} --out docs/benchmarks/partition.md`.",
    ]
    for form in dict.fromkeys(row.form for row in rows):
        about = (FORMS[form].__doc__ or "").split("\n\n")[0]
        lines += ["", f"## {form}", "", about, "Each device takes four ops in five.", ""]
        lines += [f"| way | devices | {' | '.join(f'{size:,} ops' for size in sizes)} |"]
        lines += ["|---" * (len(sizes) + 2) + "|"]
        for way, devices in dict.fromkeys((row.way, row.devices) for row in rows if row.form == form):
            cells = [
                f"{row.seconds:.2g} s, {row.regions:,}"
                for row in rows
                if (row.form, row.way, row.devices) == (form, way, devices)
            ]
            lines.append(f"| {way} | {devices} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


@click.command()
@click.option("--out", type=click.Path(path_type=Path), help="File for the table; printed otherwise.")
@click.option("--most", default=SIZES[-1], show_default=True, help="The most ops of a graph.")
@click.option("--runs", default=RUNS, show_default=True, help="How often each graph is divided.")
def main(out: Path | None, most: int, runs: int) -> None:
    """Time every way to divide graphs of 1 000 to 100 000 ops among one to three devices."""
    rows: list[Row] = []
    for form in FORMS:
        for ops in (size for size in SIZES if size <= most):
            for count in range(1, len(DEVICES) + 1):
                rows += measure(form, ops, DEVICES[:count], runs)
                slowest = max(row.seconds for row in rows if (row.form, row.ops) == (form, ops))
                click.echo(f"{form}, {ops} ops, {count} devices: at most {slowest:.2g} s", err=True)
    rows.sort(key=lambda row: (row.form, list(WAYS).index(row.way), row.devices, row.ops))
    text = markdown(rows, runs)
    if out is None:
        click.echo(text)
    else:
        out.write_text(text, encoding="utf-8")
        click.echo(f"wrote {out}")


if __name__ == "__main__":
    main()
