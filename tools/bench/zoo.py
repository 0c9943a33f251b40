"""Times a folder of networks against ONNX Runtime and OpenVINO; writes docs/benchmarks/zoo.md.

python -m lite.tools.bench.zoo NETWORKS --out docs/benchmarks/zoo.md

Each network is a folder with model.onnx, reference.npz (arrays ``in.NAME`` and ``out.NAME``) and meta.json
(``family``, and ``tolerance`` relative to the largest element).
"""

from __future__ import annotations

import json
import multiprocessing
import platform
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click
import numpy as np

from lite.dataclass import dataclass
from lite.tools.bench.peers.row import OURS, geomean
from lite.tools.bench.processor import processor
from lite.tools.bench.sweep.measure import PEERS, least_times, load_engines, relative_difference
from lite.tools.options.output import page_option, print_or_write


@dataclass(frozen=True)
class Row:
    """Least milliseconds of a network by engine, and why engines are left out."""

    name: str
    family: str
    milliseconds: dict[str, float]
    left_out: dict[str, str]

    def ratio(self, *peers: str) -> float:
        """Of litebridge's time to the least of these peers'; NaN where one is missing."""
        others = [self.milliseconds[name] for name in peers if name in self.milliseconds]
        return self.milliseconds[OURS] / min(others) if others and OURS in self.milliseconds else np.nan


def measure(folder: Path, threads: int, rounds: int, seconds: float) -> Row:
    """Load a network in all engines, leave out those with wrong answers, and time the others in turns."""
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    with np.load(folder / "reference.npz") as arrays:
        feeds = {name[3:]: arrays[name] for name in arrays.files if name.startswith("in.")}
        expected = [arrays[name] for name in arrays.files if name.startswith("out.")]
    calls, left_out = load_engines(folder / "model.onnx", feeds, threads)
    for name in list(calls):
        pairs = zip(calls[name](), expected, strict=True)
        difference = max(relative_difference(mine, other) for mine, other in pairs)
        if not difference <= max(meta.get("tolerance", 0.0), 1e-3):
            left_out[name] = f"differs by {difference:.1e}"
            del calls[name]
    least = least_times(calls, rounds, seconds, threads)
    return Row(folder.name, meta["family"], {n: 1e3 * s for n, s in least.items()}, left_out)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help="Of each engine.")
@click.option(
    "--rounds", type=click.IntRange(min=1), default=3, show_default=True, help="Turns of each engine."
)
@click.option("--seconds", type=float, default=0.3, show_default=True, help="Time of a turn.")
@click.option("--only", default="", help="Only the networks whose name contains this text.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Keep the rows here; add to them.")
@page_option
def main(
    folder: Path, threads: int, rounds: int, seconds: float, only: str, json_file: Path | None,
    out: Path | None,
) -> None:  # fmt: skip
    """Time the networks of a folder against ONNX Runtime and OpenVINO.

    Each network has a process of its own, in which the engines take turns; a row has the least CPU time, with
    several threads the least time that passed.

    \b
    Examples:
      python -m lite.tools.bench.zoo networks --only bert
      python -m lite.tools.bench.zoo networks --json rows.json --out docs/benchmarks/zoo.md
    """
    rows: dict[str, Row] = {}
    if json_file is not None and json_file.exists():
        rows = {each["name"]: Row(**each) for each in json.loads(json_file.read_text(encoding="utf-8"))}
    found = sorted(path.parent for path in folder.glob("*/meta.json") if only in path.parent.name)
    for number, path in enumerate(found, 1):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            row = pool.apply(measure, (path, threads, rounds, seconds))
        rows[row.name] = row
        times = ", ".join(f"{name} {value:.2f}" for name, value in row.milliseconds.items())
        reasons = "".join(f"; {name}: {reason[:90]}" for name, reason in row.left_out.items())
        ratio = row.ratio(*(peer.name for peer in PEERS))
        click.echo(f"[{number}/{len(found)}] {ratio:.2f} {row.name}: {times} ms{reasons}", err=True)
        if json_file is not None:
            text = json.dumps([asdict(each) for each in rows.values()], indent=1)
            json_file.write_text(text + "\n", encoding="utf-8")
    print_or_write(page(sorted(rows.values(), key=lambda row: row.name), threads), out)


def page(rows: Sequence[Row], threads: int) -> str:
    """The page in Markdown."""
    peers = [peer.name for peer in PEERS]
    time = "CPU time" if threads == 1 else "time"
    lines = [
        "# Networks in full size",
        "",
        f"{processor()}, Python {platform.python_version()}, {threads} thread(s), "
        + ", ".join(f"{peer.name} {peer.version()}" for peer in PEERS)
        + "; the least",
        f"milliseconds of {time} of runs that take turns in one process, and ratios of litebridge's time.",
        "Engines whose answers differ from the reference are left out.",
        "Written by `python -m lite.tools.bench.zoo NETWORKS --out docs/benchmarks/zoo.md`.",
        "",
        f"| family | networks | {' | '.join(f'/ {peer}' for peer in peers)} | / the better |",
        "|---|---:|" + "---:|" * (len(peers) + 1),
    ]
    families = sorted({row.family for row in rows})
    for name in (*families, "all"):
        part = [row for row in rows if name in (row.family, "all")]
        lines.append(f"| {name} | {len(part)} | {' | '.join(_geomeans(part, peers))} |")
    lines += [
        "",
        f"| network | family | {OURS} | {' | '.join(peers)} | ratio to the better |",
        "|---|---|" + "---:|" * (len(peers) + 2),
    ]
    for row in rows:
        times = [f"{row.milliseconds[n]:.2f}" if n in row.milliseconds else "–" for n in (OURS, *peers)]
        lines.append(f"| {row.name} | {row.family} | {' | '.join(times)} | {row.ratio(*peers):.2f} |")
    return "\n".join(lines) + "\n"


def _geomeans(rows: Sequence[Row], peers: Sequence[str]) -> list[str]:
    texts = []
    for group in (*([peer] for peer in peers), peers):
        ratios = [ratio for row in rows if (ratio := row.ratio(*group)) == ratio]
        texts.append(f"{geomean(ratios):.2f}" if ratios else "–")
    return texts


if __name__ == "__main__":
    main()
