"""``python -m tests.soak.c_weights``: damaged weight files for generated C, with address and UB sanitizers.

The loader must return a status for each file that differs, and read nothing outside of it.  One network has
floats, one tables of positions, which would address memory.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import click
import numpy as np

from lite.codegen import export_c
from lite.config import Config
from lite.io.save import save_program
from lite.ir.program import Program
from lite.ir.types import DType, Shape
from tests.support.compiled_c import SANITIZED
from tests.support.small_convnet import convnet
from tests.support.small_programs import make_program

DRIVER = Path(__file__).parent / "damaged_weights.c"


def networks() -> Mapping[str, tuple[Program, dict[str, Shape]]]:
    """Programs with the shapes of their inputs."""
    rng = np.random.default_rng(0)
    x, ids = {"x": (DType.FLOAT32, (2, 3, 6, 6))}, {"ids": (DType.INT64, (4,))}
    weights = {
        "w": rng.standard_normal((27, 5)).astype(np.float32),
        "rows": rng.permutation(7).astype(np.int32),
    }
    tables = make_program(
        {**x, **ids},
        weights,
        [
            ("unfold", {"X": ["x"]}, {"Y": ["columns"]}, {"kernel_sizes": [3, 3], "paddings": [1, 1, 1, 1]}),
            ("tril_triu", {"X": ["x"]}, {"Out": ["below"]}, {"lower": True}),
            ("gather", {"X": ["rows"], "Index": ["ids"]}, {"Out": ["some"]}, {"axis": 0}),
        ],
        ["columns", "below", "some"],
    )
    shapes: dict[str, Shape] = {"x": (2, 3, 6, 6), "ids": (4,)}
    return {"floats": (convnet(), {"x": (1, 3, 6, 6)}), "tables": (tables, shapes)}


def compiled(program: Program, shapes: dict[str, Shape], folder: Path, compiler: str) -> list[str]:
    """The command that loads damaged weights of a program."""
    save_program(program, folder / "source")
    export_c(Config(folder / "source", input_shapes=shapes), folder / "c", name="model")
    shutil.copy(DRIVER, folder / "c" / "damaged_weights.c")
    command = [compiler, *SANITIZED, "model.c", "damaged_weights.c", "-o", "damaged", "-lm"]
    subprocess.run(command, cwd=folder / "c", check=True)
    return [str(folder / "c" / "damaged"), str(folder / "c" / "weights.bin")]


@click.command()
@click.option(
    "--count", type=click.IntRange(min=1), default=20000, show_default=True, help="Files a network."
)
@click.option(
    "--first", type=click.IntRange(min=0), default=0, show_default=True, help="Number of the first."
)
@click.option("--compiler", default="gcc", show_default=True, help="With address and UB sanitizers.")
def main(count: int, first: int, compiler: str) -> None:
    """Load damaged weight files in generated C.

    \b
    Examples:
      python -m tests.soak.c_weights --count 20000
      python -m tests.soak.c_weights --compiler clang --first 1000000
    """
    failures = 0
    for name, (program, shapes) in networks().items():
        with tempfile.TemporaryDirectory() as folder:
            command = compiled(program, shapes, Path(folder), compiler)
            ended = subprocess.run(
                [*command, str(first), str(count)], capture_output=True, text=True, check=False
            )
        click.echo(f"{name}: {ended.stdout.strip()}")
        if ended.returncode:
            failures += 1
            click.echo(ended.stderr[-3000:], err=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
