"""Paddle-Lite in another process: the worker runs on a fake of Paddle-Lite's API."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from lite.tools.bench.peers.paddlelite import WORKER, PaddleLite, WorkerModel
from lite.tools.bench.peers.peer import CannotRunError, Files

FAKE_API = """
import numpy as np
print("output between the replies")
class CxxConfig:
    def set_model_file(self, path): self.model = path
    def set_param_file(self, path): self.params = path
    def set_valid_places(self, places): self.places = places
    def set_threads(self, threads): self.threads = threads
class TargetType: X86, Host = "x86", "host"
class PrecisionType: FP32 = "float"
def Place(target, precision): return target, precision
class Tensor:
    def from_numpy(self, array): self.array = array
    def numpy(self): return self.array
def create_paddle_predictor(config):
    assert config.model.endswith("model/inference.pdmodel"), config.model
    assert config.params.endswith("model/inference.pdiparams"), config.params
    assert config.places == [("x86", "float"), ("host", "float")]
    return Predictor(config.threads)
class Predictor:
    def __init__(self, threads):
        self.threads, self.inputs, self.outputs = threads, [Tensor(), Tensor()], [Tensor(), Tensor()]
    def get_input_names(self): return ["a", "b"]
    def get_output_names(self): return ["sum", "threads"]
    def get_input(self, n): return self.inputs[n]
    def get_output(self, n): return self.outputs[n]
    def run(self):
        self.outputs[0].array = self.inputs[0].array + self.inputs[1].array
        self.outputs[1].array = np.array([self.threads])
"""

START = """
import runpy, sys
sys.path.insert(0, sys.argv.pop(1))
runpy.run_path(sys.argv.pop(1), run_name="__main__")
"""

FEEDS = {"a": np.array([1, 2], np.float32), "b": np.array([10, 20], np.float32)}


def worker(tmp_path: Path, source: str) -> WorkerModel:
    """The worker, with `source` as the module ``paddlelite.lite``."""
    package = tmp_path / "paddlelite"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "lite.py").write_text(source, encoding="utf-8")
    folder = tempfile.TemporaryDirectory()
    for n, array in enumerate(FEEDS.values()):
        np.save(Path(folder.name, f"feed{n}.npy"), array)
    return WorkerModel(
        [sys.executable, "-I", "-c", START, tmp_path, WORKER, "model", folder.name, "3"], folder
    )


def test_each_line_runs_the_model_once(tmp_path: Path) -> None:
    model = worker(tmp_path, FAKE_API)
    try:
        times = [model.seconds() for _ in range(3)]
        total, threads = model.answers()
        later = model.seconds()
    finally:
        model.close()

    assert all(0 < seconds < 10 for seconds in [*times, later])
    np.testing.assert_array_equal(total, np.array([11, 22], np.float32), strict=True)
    assert threads.tolist() == [3]


def test_a_process_that_does_not_start_has_a_reason(tmp_path: Path) -> None:
    with pytest.raises(CannotRunError, match=r"^its process has ended$"):
        worker(tmp_path, "raise SystemExit")


def test_a_process_that_ends_has_a_reason(tmp_path: Path) -> None:
    model = worker(tmp_path, FAKE_API + "    def get_output_names(self): raise SystemExit\n")
    try:
        with pytest.raises(CannotRunError, match="has ended"):
            model.seconds()
        with pytest.raises(CannotRunError, match="has ended"):
            model.answers()
    finally:
        model.close()


def test_an_interpreter_without_paddle_lite_names_the_command_that_installs_it() -> None:
    hint = PaddleLite(sys.executable).missing()

    assert hint == f'{sys.executable} -m pip install paddlelite==2.13rc0 "numpy<2"'


def test_a_missing_interpreter_has_a_reason(tmp_path: Path) -> None:
    path = str(tmp_path / "python")

    assert PaddleLite(path).missing() == f"{path} cannot be run: No such file or directory"


def test_a_model_without_paddle_files_is_refused() -> None:
    with pytest.raises(CannotRunError, match=r"^this model has no Paddle files$"):
        PaddleLite(sys.executable).load(Files(Path("a.onnx")), FEEDS, 1)
