"""``python -m tests.soak.c_code.models``: each model as C, by several compilers, against the engine.

Each model is written once.  Each build of `BUILDS` compiles it without a warning, and its program computes
what the engine computes.  A quantised model may differ by a step where the passes for C merge ops; its
results then have the bits of the host's kernels after the same passes.  A model that cannot be written as C
is listed with the reason.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import numpy as np

import lite
from lite.codegen import export_c
from lite.errors import CompileError
from lite.ir.types import Array
from lite.tools.bench.run_by_host import run_by_host
from tests.soak.artifacts.models import Model, models
from tests.support.compiled_c import FAST, SANITIZED, CompiledModel

Feeds = Mapping[str, Array]

BUILDS: Mapping[str, tuple[str, Sequence[str]]] = {
    "gcc": ("gcc", FAST),
    "gcc-sanitized": ("gcc", SANITIZED),
    "clang": ("clang", FAST),
    "clang-sanitized": ("clang", SANITIZED),
}
"""By name: the compiler and its flags; warnings are errors in all of them."""

TOLERANCE = 2e-4

DIFFERS = "result"
"""The first word of a problem with a result."""


@click.command()
@click.option("--build", "builds", type=click.Choice(list(BUILDS)), multiple=True, help="Default: all.")
@click.option("--only", default="", help="Models whose names contain this text.")
@click.option("--limit", default=900, show_default=True, help="Most seconds of a compilation or a run.")
def main(builds: tuple[str, ...], only: str, limit: int) -> None:
    """Write, compile and compare; exit status 1 where a result differs or a compiler warns."""
    failed = 0
    for model in models():
        if only in model.name:
            failed += _check(model, builds or tuple(BUILDS), limit)
    click.echo(f"{failed} failures")
    sys.exit(1 if failed else 0)


def _check(model: Model, builds: Sequence[str], limit: int) -> int:
    try:
        feeds, expected = _expected(model)
    except lite.LiteError as error:
        click.echo(f"{model.name}: the engine fails: {error}")
        return 1
    config = lite.Config(model.path, input_shapes={name: array.shape for name, array in feeds.items()})
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text, "c")
        try:
            export = export_c(config, folder, name="model")
        except CompileError as error:
            click.echo(f"{model.name}: refused: {' | '.join(str(error).splitlines()[1:-1])}")
            return 0
        failures = 0
        for build in builds:
            compiled = CompiledModel(folder, export)
            problem = _built(compiled, build, feeds, expected, limit)
            if (
                problem is not None
                and problem.startswith(DIFFERS)
                and _has_bits_of_host(compiled, config, feeds)
            ):
                problem = None
            failures += problem is not None
            click.echo(f"{model.name} {build}: {problem or 'equal'}")
    return failures


def _expected(model: Model) -> tuple[Feeds, Feeds]:
    """The first inputs of a model, and the results of the host's kernels."""
    predictor = lite.create_predictor(lite.Config(model.path, valid_places=["host"]))
    inputs = model.inputs[0]
    feeds = inputs if isinstance(inputs, dict) else dict(zip(predictor.input_names, inputs, strict=True))
    return feeds, predictor.run(dict(feeds))


def _has_bits_of_host(model: CompiledModel, config: lite.Config, feeds: Feeds) -> bool:
    return all(map(np.array_equal, model.results(), run_by_host(config, feeds)))


def _built(model: CompiledModel, build: str, feeds: Feeds, expected: Feeds, limit: int) -> str | None:
    """Compile and run a model; why that is not as it should be, or None."""
    compiler, flags = BUILDS[build]
    if shutil.which(compiler) is None:
        return f"{compiler} is not installed"
    run = functools.partial(subprocess.run, capture_output=True, text=True, check=False, timeout=limit)
    run(["make", "-s", "-C", str(model.folder), "clean"])
    began = time.perf_counter()
    try:
        make = ["make", "-s", "-C", str(model.folder), f"CC={compiler}", f"CFLAGS={' '.join(flags)}"]
        made = run(make)
        if made.returncode or made.stderr:
            return f"{compiler}: {made.stderr[:500]}"
        done = model.call(feeds, limit=limit)
    except subprocess.TimeoutExpired:
        return f"over {time.perf_counter() - began:.0f} s"
    if done.returncode:
        return f"exit {done.returncode}: {done.stderr[:800]}"
    for argument, result in zip(model.export.outputs, model.results(), strict=True):
        problem = difference(result, expected[argument.name])
        if problem:
            return f"{DIFFERS} {argument.name}: {problem}"
    return None


def difference(found: Array, wanted: Array) -> str:
    """A sentence where arrays are not equal within `TOLERANCE` of the largest number; else empty."""
    if (found.shape, found.dtype) != (wanted.shape, wanted.dtype):
        return f"{found.dtype}{list(found.shape)}, not {wanted.dtype}{list(wanted.shape)}"
    if wanted.dtype.kind not in "fc":
        return "" if np.array_equal(found, wanted) else f"{np.count_nonzero(found != wanted)} elements differ"
    finite = np.isfinite(wanted)
    if not np.array_equal(finite, np.isfinite(found)):
        return "infinities or NaN differ"
    if not finite.any():
        return ""
    error = float(np.abs(found[finite] - wanted[finite]).max())
    largest = float(np.abs(wanted[finite]).max())
    return f"differs by {error:.2e} of {largest:.2e}" if error > TOLERANCE * max(largest, 1e-6) else ""


if __name__ == "__main__":
    main()
