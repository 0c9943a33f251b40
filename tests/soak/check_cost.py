"""What the checks cost: ``python -m tests.soak.check_cost --model model.onnx=1x3x48x320``.

Processor time with and without the checks of lengths, owners, permissions, signatures and changed files: of
making a predictor with its first run, of later runs, and of a process that does both once.  The two are
measured in turns, and the least of each counts.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from unittest.mock import patch

import click
import numpy as np

import lite
from lite.ir.types import Array
from lite.kernels.cpu.native import code_store, folder, function, job
from lite.session.loaded_files import LoadedFiles
from tests.soak.forked import Child, import_what_it_imports

_SIGNATURE_BYTES = 130
"""The first line of a kept file: two digests in hexadecimal digits."""


@contextlib.contextmanager
def without_checks() -> Iterator[None]:
    """Lengths, owners, signatures and changes are not looked at."""

    def lengths(_: object) -> Callable[..., Iterator[int]]:
        return lambda *_: itertools.repeat(0)

    with (
        patch.object(function.Function, "lengths", property(lengths)),
        patch.object(job._Parameter, "check_length", lambda *_: None),
        patch.object(code_store, "read_kept", _read_unchecked),
        patch.object(LoadedFiles, "check", lambda _: None),
    ):
        yield


def _read_unchecked(name: str) -> list[bytes]:
    paths = (path / name for path in folder.cache_folders())
    return [path.read_bytes()[_SIGNATURE_BYTES:] for path in paths if path.is_file()]


SETTINGS: Mapping[str, Callable[[], contextlib.AbstractContextManager[None]]] = {
    "with": contextlib.nullcontext,
    "without": without_checks,
}


@click.command()
@click.option("--model", "models", multiple=True, required=True, help="PATH=1x3x48x320, for one input.")
@click.option("--rounds", default=40, show_default=True, help="Predictors for each; runs are ten times more.")
@click.option("--processes", default=10, show_default=True, help="Processes for each.")
def main(models: tuple[str, ...], rounds: int, processes: int) -> None:
    """Print milliseconds with the checks, and how much more that is in percent."""
    click.echo("model: process, predictor and first run, later run: ms with the checks, % more than without")
    cases = [_case(text) for text in models]
    # Before this process loads machine code, which it would do once only.
    started = []
    for path, x in cases:
        import_what_it_imports(functools.partial(_first_text, path, x), 600)
        started.append(_least(functools.partial(_in_process, path, x), processes))
    for (path, x), cell in zip(cases, started, strict=True):
        cells = [cell]
        cells.append(_least(functools.partial(_first, path, x), rounds))
        cells.append(_least(_later(path, x), 10 * rounds))
        click.echo(f"{Path(path).name}: " + ", ".join(f"{ms:.3f} ms {more:+.2f} %" for ms, more in cells))


def _case(text: str) -> tuple[str, Array]:
    path, _, sizes = text.partition("=")
    shape = [int(size) for size in sizes.split("x")]
    return path, np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def _least(measure: Callable[[], float], rounds: int) -> tuple[float, float]:
    """The least milliseconds with the checks, and in percent what they add."""
    least = dict.fromkeys(SETTINGS, float("inf"))
    for _ in range(rounds):
        for name, setting in SETTINGS.items():
            with setting():
                least[name] = min(least[name], measure())
    return 1000 * least["with"], 100 * (least["with"] / least["without"] - 1)


def _first(path: str, x: Array) -> float:
    start = time.process_time()
    _made(path).run([x])
    return time.process_time() - start


def _made(path: str) -> lite.Predictor:
    return lite.create_predictor(lite.Config(path, compilation="wait"))


def _later(path: str, x: Array) -> Callable[[], float]:
    """One of two predictors that are bound with and without checks; the first call of each binds it."""
    predictors: dict[bool, lite.Predictor] = {}

    def measure() -> float:
        is_checked = LoadedFiles.check.__name__ == "check"
        if is_checked not in predictors:
            predictors[is_checked] = _made(path)
            predictors[is_checked].run([x])
        predictor = predictors[is_checked]
        start = time.process_time()
        predictor.run([x])
        return time.process_time() - start

    return measure


def _in_process(path: str, x: Array) -> float:
    """A forked process that has loaded no machine code yet."""

    return float(Child.start(functools.partial(_first_text, path, x)).answer(60))


def _first_text(path: str, x: Array) -> str:
    return str(_first(path, x))


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main())
