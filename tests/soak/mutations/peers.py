"""``python -m tests.soak.mutations.peers``: what engines do with the same damaged ONNX models.

Each model is loaded and run once, with zeros, in a forked process with 10 seconds of the processor and a
gigabyte of memory.  A process that a signal ends has crashed, hung, or aborted for want of memory.
"""

from __future__ import annotations

import collections
import functools
import logging
import os
import random
import resource
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

import click
import numpy as np

from lite.ir.types import Array, DType
from tests.soak.forked import Child
from tests.soak.mutations.damage import damaged
from tests.soak.mutations.samples import samples

SECONDS = 10
MEMORY = 1 << 30
MOST_FED = 1 << 20
"""Elements of an input that is fed; models may ask for more."""

_SIZE = 2
"""That of an open axis."""


class _NotFed(Exception):  # noqa: N818 - ends a try, is not a failure
    """An input is too large, or of a type that numpy lacks."""


def _zeros(shape: list[object], dtype: str) -> Array:
    sizes = [size if isinstance(size, int) and size >= 0 else _SIZE for size in shape]
    if float(np.prod([float(size) for size in sizes])) > MOST_FED:
        raise _NotFed
    return np.full(sizes, "", object) if "str" in dtype else np.zeros(sizes, dtype)


def _litebridge(path: Path) -> None:
    import lite

    predictor = lite.create_predictor(lite.Config(path))
    feeds = []
    for name in predictor.input_names:
        handle = predictor.get_input(name)
        feeds.append(_zeros([*(handle.shape or ())], (handle.dtype or DType.FLOAT32).numpy.name))
    predictor.run(feeds)


def _onnxruntime(path: Path) -> None:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    names = {"float": "float32", "double": "float64"}
    feeds = {}
    for each in session.get_inputs():
        kind = each.type.removeprefix("tensor(").removesuffix(")")
        feeds[each.name] = _zeros(each.shape, names.get(kind, kind))
    session.run(None, feeds)


def _openvino(path: Path) -> None:
    import openvino

    model = openvino.Core().compile_model(path, "CPU", {"INFERENCE_NUM_THREADS": 1})
    feeds = []
    for port in model.inputs:
        shape: list[object] = [axis.get_length() if axis.is_static else _SIZE for axis in port.partial_shape]
        feeds.append(_zeros(shape, str(port.element_type.to_dtype())))
    model(feeds)


ENGINES: Mapping[str, Callable[[Path], None]] = {
    "litebridge": _litebridge,
    "onnxruntime": _onnxruntime,
    "openvino": _openvino,
}


def _try(engine: str, path: Path) -> str:
    """In a process of its own: what happened, in a word or two."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    try:
        ENGINES[engine](path)
    except _NotFed:
        return "not fed"
    except MemoryError:
        return "out of memory"
    except Exception:  # noqa: BLE001 - each engine has its own classes
        return "refused"
    return "ran"


def _outcome(engine: str, path: Path) -> str:
    answer = Child.start(functools.partial(_try, engine, path)).answer(20 * SECONDS)
    if answer == f"ended by signal {signal.SIGXCPU}":
        return f"more than {SECONDS} s"
    if answer.startswith("ended by signal"):
        return signal.Signals(int(answer.split()[-1])).name
    return answer.split(",")[0]


@click.command()
@click.option("--count", default=1000, show_default=True, help="Damaged models.")
@click.option("--first", default=0, show_default=True, help="First seed.")
def main(count: int, first: int) -> None:
    """Print how many models each engine ran, refused, or did not survive."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    # Imported once, before the forks; each of them makes no thread until it makes a model.
    import onnxruntime
    import openvino

    import lite

    for engine in (lite, onnxruntime, openvino):
        click.echo(f"{engine.__name__} {engine.__version__}")
    valid = [each for each in samples("onnx") if len(each.files) == 1]
    totals = {name: collections.Counter[str]() for name in ENGINES}
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, sys.stderr.fileno())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m.onnx")
        for seed in range(first, first + count):
            source = random.Random(f"onnx {seed}")
            path.write_bytes(damaged(source, source.choice(valid), "onnx")["m.onnx"])
            for name in ENGINES:
                totals[name][_outcome(name, path)] += 1
    for name, outcomes in totals.items():
        click.echo(f"{name}: {dict(outcomes.most_common())}")


if __name__ == "__main__":
    main()
