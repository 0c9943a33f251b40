"""Times single ops of many shapes against ONNX Runtime and OpenVINO; writes docs/benchmarks/op_sweep.md.

python -m lite.tools.bench.op_sweep --out docs/benchmarks/op_sweep.md
"""

from __future__ import annotations

import json
import platform
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from lite.tools.bench.peers.row import OURS, geomean
from lite.tools.bench.processor import processor
from lite.tools.bench.sweep.case import Case
from lite.tools.bench.sweep.images import image_cases
from lite.tools.bench.sweep.measure import PEERS, Result, measure
from lite.tools.bench.sweep.products import product_cases
from lite.tools.bench.sweep.tensors import tensor_cases
from lite.tools.options.output import page_option, print_or_write

GOAL, LIMIT = 1.2, 3.0
"""A row with a ratio above the goal should become faster; a ratio above the limit is an error."""


def cases() -> list[Case]:
    """All cases, grouped by family."""
    found = [*image_cases(), *product_cases(), *tensor_cases()]
    families = list(dict.fromkeys(case.family for case in found))
    return sorted(found, key=lambda case: families.index(case.family))


@click.command()
@click.option(
    "--threads", type=click.IntRange(min=1), default=1, show_default=True, help="Threads of each engine."
)
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="How often each engine has its turn.",
)
@click.option("--seconds", type=float, default=0.05, show_default=True, help="Time of a turn.")
@click.option("--family", "families", multiple=True, help="Run only this family; can be repeated.")
@click.option("--only", default="", help="Run only the cases whose name contains this text.")
@click.option(
    "--json", "json_file", type=click.Path(path_type=Path), help="Also write the results to this file."
)
@page_option
def main(
    threads: int, rounds: int, seconds: float, families: tuple[str, ...], only: str,
    json_file: Path | None, out: Path | None,
) -> None:  # fmt: skip
    """Time single ops of many shapes against ONNX Runtime and OpenVINO.

    The engines take turns in one process.  A row has the least CPU time of each, which other programs on the
    machine hardly change, and the ratio of litebridge's time to that of the better peer.

    \b
    Examples:
      python -m lite.tools.bench.op_sweep --family conv3d
      python -m lite.tools.bench.op_sweep --threads 2 --out docs/benchmarks/op_sweep.md
    """
    chosen = [c for c in cases() if (not families or c.family in families) and only in c.name]
    results: list[Result] = []
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(chosen, 1):
            result = measure(case, Path(folder), threads, rounds, seconds)
            results.append(result)
            times = ", ".join(f"{name} {value:.4f}" for name, value in result.milliseconds.items())
            wrong = f" WRONG by {result.difference:.1e}" if (result.difference or 0.0) > 1e-3 else ""
            reasons = "".join(f"; {name}: {reason[:90]}" for name, reason in result.left_out.items())
            line = f"[{number}/{len(chosen)}] {result.ratio:.2f} {case.family}: {case.name}: {times} ms"
            click.echo(f"{line}{wrong}{reasons}", err=True)
    if json_file is not None:
        json_file.write_text(json.dumps([asdict(result) for result in results], indent=1) + "\n")
    print_or_write(page(results, threads), out)


def page(results: Sequence[Result], threads: int) -> str:
    """The page in Markdown."""
    rows = [result for result in results if result.ratio == result.ratio]
    lines = [
        "# Single ops",
        "",
        f"{processor()}, Python {platform.python_version()}, {threads} thread(s), "
        + ", ".join(f"{peer.name} {peer.version()}" for peer in PEERS)
        + "; the least",
        "milliseconds of CPU time of runs that take turns in one process.  A ratio is litebridge's time to",
        f"that of the better peer; rows above {GOAL:g} should become faster; above {LIMIT:g} is an error.",
        "Written by `python -m lite.tools.bench.op_sweep --out docs/benchmarks/op_sweep.md`.",
        "",
        "| family | cases | geometric mean | above " + f"{GOAL:g} | above {LIMIT:g} |",
        "|---|---:|---:|---:|---:|",
    ]
    for family in dict.fromkeys(result.family for result in rows):
        ratios = [result.ratio for result in rows if result.family == family]
        lines.append(_summary(family, ratios))
    lines.append(_summary("all", [result.ratio for result in rows]))
    names = [OURS, *(peer.name for peer in PEERS)]
    lines += [
        "",
        f"| family | case | {' | '.join(names)} | ratio |",
        "|---|---|" + "---:|" * (len(names) + 1),
    ]
    for result in results:
        times = [f"{result.milliseconds[n]:.3f}" if n in result.milliseconds else "–" for n in names]
        text = f"**{result.ratio:.2f}**" if result.ratio > GOAL else f"{result.ratio:.2f}"
        lines.append(f"| {result.family} | {result.name} | {' | '.join(times)} | {text} |")
    return "\n".join(lines) + "\n"


def _summary(name: str, ratios: Sequence[float]) -> str:
    above = [sum(ratio > limit for ratio in ratios) for limit in (GOAL, LIMIT)]
    return f"| {name} | {len(ratios)} | {geomean(ratios):.2f} | {above[0]} | {above[1]} |"


if __name__ == "__main__":
    main()
