"""Writes docs/benchmarks/c_generators.md: generated C against that of onnx2c and emx-onnx-cgen.

python -m lite.tools.bench.c_generators --onnx2c PROGRAM --emx PROGRAM > docs/benchmarks/c_generators.md

The programs are those of https://github.com/kraiskil/onnx2c and of the package emx-onnx-cgen.  They get each
model with fixed shapes and folded constants, as ONNX Runtime writes it.
"""

from __future__ import annotations

import functools
import math
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np
import onnx

from lite.codegen import export_c
from lite.config import Config
from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.tools.bench.c_target import keywords, mobilenet, models, table

_FLAGS = ("-O3", "-march=native", "-ffast-math", "-w")
_ROUNDS, _RUNS = 4, 3

_DRIVER = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
void {entry}(const void *x, void *y);
{declared}
static double now(void) {{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}}
int main(int argc, char **argv) {{
    static float x[{inputs}], y[{outputs}];
    double least = 1e30;
    FILE *file = fopen(argv[2], "rb");
    if (argc != 4 || !file || fread(x, sizeof x, 1, file) != 1) return 1;
    {load}
    for (int n = 0; n < atoi(argv[1]); n++) {{
        const double began = now();
        {entry}(x, y);
        const double took = now() - began;
        if (took < least) least = took;
    }}
    file = fopen(argv[3], "wb");
    if (!file || fwrite(y, sizeof y, 1, file) != 1 || fclose(file)) return 1;
    printf("%g\\n", least);
    return 0;
}}
"""


@dataclass(frozen=True)
class Peer:
    """A generator: its command with ``{model}`` and ``{c}``, and the names in its code."""

    name: str
    command: tuple[str, ...]
    entry: str
    declared: str = ""
    load: str = ""

    def build(self, model: Path, folder: Path, sizes: tuple[int, int], limit: int) -> str | None:
        """Write and compile the model in `folder`; why that failed, or None."""
        if shutil.which(self.command[0]) is None:
            return "not installed"
        folder.mkdir()
        command = [part.format(model=model, c=folder / "model.c") for part in self.command]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, timeout=limit, check=False)
            if done.returncode:
                return "refuses"
            if self.name == "onnx2c":
                (folder / "model.c").write_bytes(done.stdout)
            text = _DRIVER.format(
                entry=self.entry, declared=self.declared, load=self.load, inputs=sizes[0], outputs=sizes[1]
            )
            (folder / "driver.c").write_text(text)
            sources = ["model.c", "driver.c", *(path.name for path in folder.glob("model_*.c"))]
            compiler = ["gcc", *_FLAGS, *sources, "-o", "run", "-lm"]
            done = subprocess.run(compiler, cwd=folder, capture_output=True, timeout=limit, check=False)
            return "does not compile" if done.returncode else None
        except subprocess.TimeoutExpired:
            return f"takes over {limit} s to build"


@click.command()
@click.option("--onnx2c", "onnx2c_program", metavar="PROGRAM", help="onnx2c; without it, it is left out.")
@click.option("--emx", "emx_program", metavar="PROGRAM", help="emx-onnx-cgen; without it, it is left out.")
@click.option("--limit", default=600, show_default=True, help="Most seconds to write or compile a model.")
@click.option("--only", multiple=True, help="Only the models whose names contain one of these texts.")
def main(onnx2c_program: str | None, emx_program: str | None, limit: int, only: Sequence[str]) -> None:
    """Print the page.  Every engine is one thread; the least CPU time of interleaved runs counts."""
    peers = _peers(onnx2c_program, emx_program)
    rows = []
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        for name, (path, shape) in {**_small(folder), **models(folder)}.items():
            if not only or any(text in name for text in only):
                click.echo(name, err=True)
                rows.append([name, *_row(name, path, shape, folder, peers, limit)])
    header = ["model", "litebridge", *(cell for peer in peers for cell in (peer.name, "ratio"))]
    click.echo(_HEAD + table(header, rows))


_HEAD = f"""# Models as C, by several generators

Milliseconds of one run on one thread: the least CPU time of interleaved runs. The C of all generators is
compiled by gcc with `{" ".join(_FLAGS)}`, that of litebridge by its own Makefile. "ratio" is the time of
the other generator divided by that of litebridge. Written by `python -m lite.tools.bench.c_generators`.

"""


def _peers(onnx2c: str | None, emx: str | None) -> tuple[Peer, ...]:
    found = []
    if onnx2c is not None:
        found.append(Peer("onnx2c", (onnx2c, "{model}"), "entry"))
    if emx is not None:
        command = (emx, "compile", "--model-name", "model", "{model}", "{c}")
        load = 'if (!model_load("model.bin")) return 2;'
        found.append(Peer("emx-onnx-cgen", command, "model", "_Bool model_load(const char *path);", load))
    return tuple(found)


def _small(folder: Path) -> dict[str, tuple[Path, tuple[int, ...]]]:
    nets = {
        "keywords": (keywords(), (1, 1, 49, 10)),
        "mobilenet 0.25 at 96²": (mobilenet(96, 0.25, 10), (1, 3, 96, 96)),
    }
    for name, (model, _) in nets.items():
        onnx.save(model, folder / f"{name}.onnx")
    return {name: (folder / f"{name}.onnx", shape) for name, (_, shape) in nets.items()}


def _row(
    name: str, path: Path, shape: tuple[int, ...], folder: Path, peers: tuple[Peer, ...], limit: int
) -> list[str]:
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    fixed, key, expected = _fixed(path, x, folder)
    export_c(Config(model_file=path, input_shapes={key: shape}), folder / f"{name} c", name="net")
    subprocess.run(["make", "-s", "-C", str(folder / f"{name} c"), "net"], check=True)
    x.tofile(folder / "x.bin")
    commands = {"litebridge": (folder / f"{name} c", ["./net", "--runs", str(_RUNS)])}
    problems: dict[str, str] = {}
    for peer in peers:
        home = folder / f"{name} {peer.name}"
        problem = peer.build(fixed, home, (x.size, expected.size), limit)
        if problem is None:
            commands[peer.name] = home, ["./run", str(_RUNS)]
        else:
            problems[peer.name] = problem
    least = dict.fromkeys(commands, math.inf)
    run = functools.partial(subprocess.run, capture_output=True, text=True, check=False)
    for _ in range(_ROUNDS):
        for engine, (home, command) in list(commands.items()):
            done = run([*command, str(folder / "x.bin"), "y.bin"], cwd=home)
            if done.returncode:
                problems[engine] = "fails"
                del commands[engine]
                continue
            y = np.fromfile(home / "y.bin", np.float32)
            if not np.allclose(y, expected.reshape(-1), rtol=1e-3, atol=1e-3 * np.abs(expected).max()):
                problems[engine] = "wrong numbers"
                del commands[engine]
                continue
            least[engine] = min(least[engine], float(done.stdout.split()[0]))
    own = least["litebridge"]
    cells = [f"{own:.3g}"]
    for peer in peers:
        time = least.get(peer.name, math.inf)
        cells += [problems[peer.name], ""] if peer.name in problems else [f"{time:.3g}", f"{time / own:.1f}"]
    return cells


def _fixed(path: Path, x: Array, folder: Path) -> tuple[Path, str, Array]:
    """The model with the shape of `x`, folded, its input's name, and its result."""
    import onnxruntime

    model = onnx.load(path)
    entry = model.graph.input[0]
    del entry.type.tensor_type.shape.dim[:]
    for size in x.shape:
        entry.type.tensor_type.shape.dim.add().dim_value = size
    onnx.save(model, folder / "open.onnx")
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(folder / "folded.onnx")
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(folder / "open.onnx"), options, providers=["CPUExecutionProvider"]
    )
    result: Array = session.run(None, {entry.name: x})[0]
    return folder / "folded.onnx", entry.name, result


if __name__ == "__main__":
    main()
