"""Times decode steps with a growing past against ONNX Runtime; writes docs/benchmarks/decode.md.

python -m lite.tools.bench.decode NETWORKS --out docs/benchmarks/decode.md

Networks are folders as for `lite.tools.bench.zoo`; those count whose meta.json names an axis of some inputs
``past``.  Their results after the first one are these inputs with one position more, in the same order.
"""

from __future__ import annotations

import json
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np

import lite
from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.tools.bench.peers.row import geomean
from lite.tools.bench.processor import processor
from lite.tools.options.output import page_option, print_or_write

Step = Callable[[dict[str, Array], int], Array]
"""Takes the inputs of a step but the past, and its length; returns the first result."""

_BOUND = 8
"""Steps that are not counted: the first lengths are bound one by one."""


@dataclass(frozen=True)
class Row:
    """A network: the median milliseconds of CPU time of a step by each engine."""

    name: str
    copied: float
    in_place: float
    peer: float
    bound_peer: float

    @property
    def ratio(self) -> float:
        """Of our time in place to that of the faster way of the peer."""
        return self.in_place / min(self.peer, self.bound_peer)


class Decoder:
    """The inputs of a network, step by step, and the engines that run it."""

    def __init__(self, folder: Path, steps: int) -> None:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        with np.load(folder / "reference.npz") as arrays:
            self._inputs = {name[3:]: arrays[name] for name in arrays.files if name.startswith("in.")}
        self._axes = {name: {v: int(k) for k, v in each.items()} for name, each in meta["dynamic"].items()}
        self.model, self._steps = str(folder / "model.onnx"), steps
        self.past = [name for name in self._inputs if "past" in self._axes.get(name, {})]
        self.first = self._inputs[self.past[0]].shape[self._axes[self.past[0]]["past"]] if self.past else 0

    def inputs(self, length: int) -> dict[str, Array]:
        """The inputs but the past, where the past has so many positions."""
        result = {}
        for name, array in self._inputs.items():
            axis = self._axes.get(name, {}).get("total")
            if name in self.past:
                continue
            if axis is not None:
                array = np.ones(
                    [length + 1 if n == axis else size for n, size in enumerate(array.shape)], array.dtype
                )
            elif "position" in name:
                array = np.full_like(array, length)
            result[name] = array
        return result

    def space(self) -> dict[str, Array]:
        """Arrays for the past with space for all steps, which begin with the first past."""
        result = {}
        for name in self.past:
            array, axis = self._inputs[name], self._axes[name]["past"]
            shape = [size + self._steps * (n == axis) for n, size in enumerate(array.shape)]
            result[name] = np.zeros(shape, array.dtype)
            self.part(result[name], name, self.first)[...] = array
        return result

    def part(self, array: Array, name: str, length: int) -> Array:
        """The first positions of an array for the past."""
        return array[(slice(None),) * self._axes[name]["past"] + (slice(length),)]

    def ours(self, in_place: bool) -> Step:
        """By litebridge, with a past that grows in place or is the last step's result."""
        model = lite.create_predictor(lite.Config(self.model, threads=1, compilation="wait"))
        logits, *present = model.output_names
        space = self.space()
        past = {name: self.part(array, name, self.first).copy() for name, array in space.items()}

        def step(inputs: dict[str, Array], length: int) -> Array:
            if not in_place:
                results = model.run({**inputs, **past})
                past.update((name, results[out]) for name, out in zip(self.past, present, strict=True))
                return results[logits]
            before = {name: self.part(array, name, length) for name, array in space.items()}
            after = {
                out: self.part(space[name], name, length + 1)
                for name, out in zip(self.past, present, strict=True)
            }
            return model.run({**inputs, **before}, after)[logits]

        return step

    def onnx_runtime(self, is_bound: bool) -> Step:
        """By ONNX Runtime, also with its io-binding, whose results become inputs without a copy."""
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 3
        session = onnxruntime.InferenceSession(self.model, options, providers=["CPUExecutionProvider"])
        names = [each.name for each in session.get_outputs()]
        past: dict[str, Any] = {name: self._inputs[name] for name in self.past}
        if is_bound:
            past = {name: onnxruntime.OrtValue.ortvalue_from_numpy(array) for name, array in past.items()}

        def step(inputs: dict[str, Array], _: int) -> Array:
            if not is_bound:
                logits: Array
                logits, *rest = session.run(None, {**inputs, **past})
                past.update(zip(self.past, rest, strict=True))
                return logits
            binding = session.io_binding()
            for name, array in inputs.items():
                binding.bind_cpu_input(name, array)
            for name, value in past.items():
                binding.bind_ortvalue_input(name, value)
            for name in names:
                binding.bind_output(name)
            session.run_with_iobinding(binding)
            first, *rest = binding.get_outputs()
            past.update(zip(self.past, rest, strict=True))
            logits = first.numpy()
            return logits

        return step


def measure(folder: Path, steps: int) -> Row | None:
    """The row of a network; None for one without a past.  Raises `ClickException` for results that differ."""
    decoder = Decoder(folder, steps)
    if not decoder.past:
        return None
    engines = [
        decoder.ours(False),
        decoder.ours(True),
        decoder.onnx_runtime(False),
        decoder.onnx_runtime(True),
    ]
    times: list[list[float]] = [[] for _ in engines]
    for length in range(decoder.first, decoder.first + steps):
        results = []
        for engine, seconds in zip(engines, times, strict=True):
            inputs = decoder.inputs(length)
            start = time.process_time()
            results.append(engine(inputs, length))
            seconds.append(time.process_time() - start)
        for result in results[:2]:
            scale = float(np.abs(results[2]).max())
            if not np.allclose(result, results[2], rtol=0, atol=1e-3 * scale):
                raise click.ClickException(f"{folder.name}: results differ with a past of {length}")
    return Row(folder.name, *(1e3 * statistics.median(seconds[_BOUND:]) for seconds in times))


def page(rows: list[Row], steps: int) -> str:
    """The page in Markdown."""
    from lite.tools.bench.sweep.measure import PEERS

    version = next(peer.version() for peer in PEERS if peer.name == "ONNX Runtime")
    lines = [
        "# Decode steps",
        "",
        f"{processor()}, Python {platform.python_version()}, ONNX Runtime {version}, one thread;",
        f"the median milliseconds of CPU time of {steps - _BOUND} steps that follow {_BOUND} others.",
        "The past grows by one position with each step; the engines take turns. *copied*: the past is the",
        "last step's result; *in place*: it grows in an array of the caller; *bound*: ONNX Runtime's",
        "io-binding. The ratio is that of *in place* to the faster way of ONNX Runtime.",
        "Written by `python -m lite.tools.bench.decode NETWORKS --out docs/benchmarks/decode.md`.",
        "",
        "| network | copied | in place | ONNX Runtime | bound | ratio |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        cells = " | ".join(f"{each:.2f}" for each in (row.copied, row.in_place, row.peer, row.bound_peer))
        lines.append(f"| {row.name} | {cells} | {row.ratio:.2f} |")
    lines.append(f"| all | | | | | {geomean([row.ratio for row in rows]):.2f} |")
    return "\n".join(lines) + "\n"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.option("--steps", type=click.IntRange(min=_BOUND + 1), default=60, show_default=True)
@page_option
def main(folder: Path, steps: int, out: Path | None) -> None:
    """Compare decode steps of language models with ONNX Runtime's.

    \b
    Examples:
      python -m lite.tools.bench.decode networks
      python -m lite.tools.bench.decode networks --steps 200 --out docs/benchmarks/decode.md
    """
    rows = []
    for path in sorted(path.parent for path in folder.glob("*/meta.json")):
        row = measure(path, steps)
        if row is not None:
            rows.append(row)
            click.echo(f"{row.ratio:.2f} {row.name}: {row.in_place:.2f} and {row.peer:.2f} ms", err=True)
    if not rows:
        raise click.ClickException(f"{folder}: no network with an axis named past; see --help")
    print_or_write(page(rows, steps), out)


if __name__ == "__main__":
    main()
