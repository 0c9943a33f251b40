"""``python -m tests.soak.c_code.graphs``: random graphs as C with sanitizers, against ONNX Runtime.

Every second graph runs its layers in stripes where that lowers the peak, as for microcontrollers.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click
import onnx

import lite
from lite.codegen import export_c, targets
from lite.dataclass import dataclass
from lite.errors import CompileError
from lite.ir.types import Array
from lite.tools.fuzz.configurations import DEFAULT
from lite.tools.fuzz.graph import Case, generate
from lite.tools.fuzz.judge import difference, is_disputed, is_unstable
from lite.tools.fuzz.minimise import as_script, minimise
from tests.soak.c_code.models import BUILDS
from tests.support.compiled_c import CompiledModel

REFUSED = "cannot be written as C"


@dataclass(frozen=True)
class Build:
    """How graphs become programs."""

    compiler: str
    flags: Sequence[str]
    stripes: bool

    def run(self, case: Case) -> Mapping[str, Array]:
        """The results of a case; raises `CompileError` for refused ops, and `RuntimeError` for a failure."""
        shapes = {name: array.shape for name, array in case.feeds.items()}
        config = lite.Config(model_buffer=case.model.SerializeToString(), input_shapes=shapes)
        with tempfile.TemporaryDirectory() as text:
            folder = Path(text, "c")
            with _target(stripes=self.stripes):
                export = export_c(config, folder, name="model")
            model = CompiledModel(folder, export)
            made = subprocess.run(
                ["make", "-s", "-C", str(folder), f"CC={self.compiler}", f"CFLAGS={' '.join(self.flags)}"],
                capture_output=True,
                text=True,
                check=False,
            )
            if made.returncode or made.stderr:
                raise RuntimeError(f"{self.compiler}: {made.stderr[:600]}")
            done = model.call(case.feeds)
            if done.returncode:
                raise RuntimeError(f"exit {done.returncode}: {done.stderr[:600]}")
            return {
                each.name: array for each, array in zip(model.export.outputs, model.results(), strict=True)
            }


@contextlib.contextmanager
def _target(*, stripes: bool) -> Iterator[None]:
    """The target c with or without stripes."""
    kept = targets.TARGETS["c"]
    targets.TARGETS["c"] = replace(kept, stripes=stripes)
    try:
        yield
    finally:
        targets.TARGETS["c"] = kept


def problem_of(case: Case, build: Build) -> str | None:
    """Why the C code of a case is wrong; None where it is right; `REFUSED` for ops without code."""
    try:
        found = build.run(case)
    except CompileError as error:
        return REFUSED if REFUSED in str(error) else f"CompileError: {error}"
    except (lite.LiteError, RuntimeError, subprocess.TimeoutExpired) as error:
        return f"{type(error).__name__}: {error}"
    for name, wanted in case.outputs.items():
        problem = difference({name: found.get(name)}, {name: wanted}, DEFAULT)
        if problem is None or is_unstable(case.model, case.feeds, case.outputs, DEFAULT):
            continue
        if not is_disputed(case.model, case.feeds, name, found.get(name), DEFAULT):
            return problem
    return None


@click.command()
@click.option("--first", default=0, show_default=True, help="First seed.")
@click.option("--count", type=int, help="How many seeds; default: until the time is over.")
@click.option("--minutes", default=10.0, show_default=True, help="Stop after so many minutes.")
@click.option("--build", type=click.Choice(list(BUILDS)), default="gcc-sanitized", show_default=True)
@click.option("--row", "rows", multiple=True, help="Small graphs of this row only; may be repeated.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the smallest graphs that fail.")
def main(
    first: int, count: int | None, minutes: float, build: str, rows: tuple[str, ...], out: Path | None
) -> None:
    """Write, compile and run random graphs; exit status 1 for a wrong one."""
    end, totals = time.monotonic() + 60 * minutes, collections.Counter[str]()
    for seed in itertools.count(first) if count is None else range(first, first + count):
        if time.monotonic() > end:
            break
        case = generate(random.Random(seed), str(seed), rows=rows)
        if case is None or any(isinstance(value, list) for value in case.outputs.values()):
            totals["not drawn"] += 1
            continue
        how = Build(*BUILDS[build], seed % 2 == 1)
        problem = problem_of(case, how)
        totals["refused" if problem == REFUSED else "wrong" if problem else "equal"] += 1
        if problem not in (None, REFUSED):
            click.echo(f"seed {seed}: {_reported(seed, case, how, out) or problem}")
    click.echo(str(dict(totals)))
    sys.exit(1 if totals["wrong"] else 0)


def _reported(seed: int, case: Case, build: Build, out: Path | None) -> str | None:
    small = minimise(case, lambda each: problem_of(each, build) not in (None, REFUSED))
    if out is not None:
        folder = out / str(seed)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.txt").write_text(as_script(small))
        onnx.save(small.model, folder / "model.onnx")
    ops = " ".join(node.op_type for node in small.model.graph.node)
    return f"{ops}: {problem_of(small, build)}"


if __name__ == "__main__":
    main()
