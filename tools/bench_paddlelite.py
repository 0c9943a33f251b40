"""litebridge against the real Paddle-Lite, which runs in an interpreter of its own, in turn.

python -m lite.tools.bench_paddlelite lite39/bin/python --out docs/benchmarks/paddlelite.md
"""

from __future__ import annotations

import json
import platform
import statistics
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

import lite
from lite.tools.ppocr_models import OcrModel, interleaved, ocr_models
from lite.tools.terminal import progress

WORKER = """
import json, os, sys, time
import numpy as np
from paddlelite.lite import *
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
model, image, result, threads = sys.argv[1:]
config = CxxConfig()
config.set_model_file(model + "/inference.pdmodel")
config.set_param_file(model + "/inference.pdiparams")
config.set_valid_places([Place(target, PrecisionType.FP32) for target in (TargetType.X86, TargetType.Host)])
config.set_threads(int(threads))
predictor = create_paddle_predictor(config)
predictor.get_input(0).from_numpy(np.load(image))
for _ in sys.stdin:
    start = time.perf_counter()
    predictor.run()
    seconds = time.perf_counter() - start
    np.save(result, predictor.get_output(0).numpy())
    answers.write(json.dumps(seconds) + chr(10))
    answers.flush()
"""
"""Runs once for each line it gets, and answers with the seconds; the result lies in a file."""


@dataclass(frozen=True)
class Row:
    """Median milliseconds of both, and how far the answers differ, of the largest value."""

    model: str
    ours: float
    theirs: float
    difference: float


@click.command()
@click.argument("python")
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help="Of both.")
@click.option("--runs", type=click.IntRange(min=1), default=7, show_default=True, help="Pairs of runs.")
@click.option("--out", type=click.Path(path_type=Path), help="File for the table; printed otherwise.")
def main(python: str, threads: int, runs: int, out: Path | None) -> None:
    """Time PP-OCRv4 here and on Paddle-Lite, which the interpreter PYTHON can import.

    Paddle-Lite has wheels for Python 3.7 to 3.10: make an environment with one of these and install
    paddlelite==2.13rc0 and "numpy<2" there.
    """
    models = ocr_models()
    with progress(len(models), "timing") as advance:
        rows = []
        for model in models:
            rows.append(_row(model, python, threads, runs))
            advance()
    page = _page(rows, threads)
    if out is None:
        click.echo(page)
    else:
        out.write_text(page, encoding="utf-8")
        click.echo(f"wrote {out}")


def _row(model: OcrModel, python: str, threads: int, runs: int) -> Row:
    predictor = lite.create_predictor(lite.Config(model.paddle, threads=threads))
    image = model.image()
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder, "image.npy"), Path(folder, "result.npy")
        np.save(files[0], image)
        command = [python, "-c", WORKER, str(model.paddle), *map(str, files), str(threads)]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        theirs: list[float] = []
        try:
            for _ in range(2):
                _turn(process)
                [ours] = predictor.run([image]).values()
            mine, _ = interleaved(lambda: predictor.run([image]), lambda: theirs.append(_turn(process)), runs)
            found = np.load(files[1])
        finally:
            process.kill()
            process.communicate()
    difference = float(np.abs(ours - found).max() / np.abs(found).max())
    return Row(model.name, mine, 1e3 * statistics.median(theirs), difference)


def _turn(process: subprocess.Popen[str]) -> float:
    """Seconds of one run there."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("run\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    if not answer:
        raise click.ClickException("Paddle-Lite's process has ended; can the interpreter import paddlelite?")
    return float(json.loads(answer))


def _page(rows: list[Row], threads: int) -> str:
    lines = [
        "# litebridge against Paddle-Lite",
        "",
        f"Medians of runs in turn, in milliseconds; {threads} thread(s), float32, {platform.machine()},",
        f"Python {platform.python_version()} here. Paddle-Lite's own x86 wheel runs in a process of its own.",
        "The difference is the largest one of the output, relative to its largest value.",
        "Made by `python -m lite.tools.bench_paddlelite PYTHON --out docs/benchmarks/paddlelite.md`.",
        "",
        "| model | litebridge | Paddle-Lite | times faster | difference |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.model} | {row.ours:.2f} | {row.theirs:.2f} | {row.theirs / row.ours:.1f} "
        f"| {row.difference:.1e} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
