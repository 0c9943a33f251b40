"""What reads kept files: each use of them with its files, and whether its results are right."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import lite
from lite.errors import LiteError
from lite.ir.types import DType
from lite.ops.view import Meta
from lite.plugin.device.c_objects import FOLDER
from lite.plugin.device.c_source import CSource
from lite.plugin.source_index import sources
from tests.soak.cached_model import TOLERANCE, CachedModel, model_input

RIGHT, REFUSED = "right", "refused"

_CODE = """
int half(const void *const *inputs, void *const *outputs, const void *weights, void *workspace)
{
    const float *x = inputs[0];
    float *y = outputs[0];
    for (int i = 0; i < 4; i++) y[i] = x[i] / 2.0f;
    return 0;
}
"""
_PLUG_IN = '@kernel("relu", "cpu", fallback="host")\ndef relu(x): ...\n'


@dataclass(frozen=True)
class Use:
    """A use of kept files: `run` gives `RIGHT`, or what is wrong; `files` are those that it left.

    A file of a model (`is_model`) may also be `REFUSED`.
    """

    name: str
    run: Callable[[], str]
    files: Callable[[], Sequence[Path]]
    is_model: bool = False

    def is_allowed(self, answer: str) -> bool:
        """Whether an answer is right after damage."""
        return answer == RIGHT or (self.is_model and answer == REFUSED)


def uses(folder: Path, code_files: int) -> Iterator[Use]:
    """All uses, with the files in a folder; `code_files` of many files of machine code are enough.

    The environment variables `LITEBRIDGE_KERNEL_CACHE` and `XDG_CACHE_HOME` name folders in it.
    """
    model = CachedModel(folder)
    kernels, own = (
        Path(os.environ["LITEBRIDGE_KERNEL_CACHE"]),
        Path(os.environ["XDG_CACHE_HOME"], "litebridge"),
    )

    def code() -> list[Path]:
        # Small ones compile quickly, and all have one format.
        found = sorted(kernels.glob("*.code"), key=lambda path: path.stat().st_size)
        return [*kernels.glob("*.machine"), *found[:code_files]]

    def cache() -> list[Path]:
        return [path for path in sorted(model.cache.rglob("*")) if path.is_file()]

    yield Use("plans, packed weights, digests of sources and weights", model.run, cache)
    yield Use("machine code, the description of the processor", model.run, code)
    yield Use("the secret of the user", model.run, lambda: [own / "kernel-secret"])
    on_device = CachedModel(folder / "device")
    yield Use(
        "models of a device",
        lambda: on_device.run(("sim_npu",)),
        lambda: [path for path in sorted(on_device.cache.glob("*")) if path.is_file()],
    )
    tuned = CachedModel(folder / "tuned")
    yield Use(
        "measured times, tuned placements",
        lambda: _run_tuned(tuned),
        lambda: [tuned.cache / name for name in ("costs.json", "tuned.json")],
    )
    yield Use("machine code of C sources", _run_c, lambda: sorted((own / FOLDER).glob("*")))
    package = folder / "package"
    package.mkdir()
    (package / "relu.py").write_text(_PLUG_IN)
    yield Use(
        "the index of plug-ins", lambda: _index(package), lambda: [*(package / "__pycache__").glob("*.index")]
    )
    yield Use("artifacts", lambda: _run_artifact(model), lambda: [folder / "model.lbm"], is_model=True)


def _run_tuned(model: CachedModel) -> str:
    if not (model.cache / "tuned.json").exists():
        from click.testing import CliRunner

        from lite.tools.cli import main

        words = ["tune", str(model.path), "--shape", "x=1,3,16,16", "--device", "sim_npu", "--budget", "2"]
        done = CliRunner().invoke(main, [*words, "--cache-dir", str(model.cache)])
        if done.exit_code:
            return done.output
    return model.run(("sim_npu",), placement="cost")


def _run_c() -> str:
    four = Meta(DType.FLOAT32, (4,))
    model, y = CSource("half", _CODE, [four], [four]), np.empty(4, np.float32)
    model.run([np.arange(4, dtype=np.float32)], [y])
    return RIGHT if y.tolist() == [0, 0.5, 1, 1.5] else f"computed {y}"


def _index(package: Path) -> str:
    sys.dont_write_bytecode = False
    [source] = sources(package)
    found = source.module, source.words, source.calls
    return RIGHT if found == ("relu", "cpu host relu", "kernel") else f"found {source}"


def _run_artifact(model: CachedModel) -> str:
    path = model.path.with_name("model.lbm")
    if not path.exists():
        lite.save_artifact(lite.Config(model.path), path)
    try:
        answer = lite.create_predictor(lite.Config(path, compilation="wait")).run([model_input()])["y"]
    except LiteError:
        return REFUSED
    difference = float(np.abs(answer - model.expected).max())
    return RIGHT if difference <= TOLERANCE else f"differs by {difference}"
