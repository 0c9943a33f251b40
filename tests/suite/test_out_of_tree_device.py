"""A device package outside the tree, installed beside the wheel, runs a model."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.virtual_environment import Workshop, require_builder

PACKAGE = Path(__file__).parent.parent / "out_of_tree_device"
SHIPPED = ("lite", "bridges", "kernels", "model_parser", "tools")
FILES = ("setup.cfg", "pyproject.toml", "README.md", "LICENSE")

RUN = """
import sys
from pathlib import Path
import numpy as np
import lite
from lite.ir.graph import Graph
from lite.ir.lower import lower_graph
from lite.ir.types import DType
assert Path(lite.__file__).is_relative_to(sys.prefix), lite.__file__

graph = Graph()
x = graph.add_arg("x")
x.dtype, x.shape = DType.FLOAT32, (2, 3)
bias = graph.add_constant("bias", np.array([[-1, 0, 1]], np.float32))
total = graph.add_node("elementwise_add", {"X": [x], "Y": [bias]}, {"Out": ["total"]}, {"axis": -1}).output()
positive = graph.add_node("relu", {"X": [total]}, {"Out": ["positive"]}).output()
y = graph.add_node("tanh", {"X": [positive]}, {"Out": ["y"]}).output()
graph.set_results([y], ["y"])
lite.save_program(lower_graph(graph), "model")

data = np.array([[1, -2, 3], [0.5, 0, -4]], np.float32)
for state in ("built", "loaded"):
    config = lite.Config("model", devices=["abacus_c"], fallback="error", cache_dir="cache")
    predictor = lite.create_predictor(config)
    (result,) = predictor.run([data]).values()
    np.testing.assert_allclose(result, np.tanh(np.maximum(data + [[-1, 0, 1]], 0)), rtol=1e-5)
    (region,) = predictor.report().regions
    assert (region.device, region.ops, region.state) == ("abacus_c", ["total", "positive"], state), region

for state in ("built", "loaded"):
    config = lite.Config("model", devices=["abacus"], fallback="error", cache_dir="cache")
    predictor = lite.create_predictor(config)
    (result,) = predictor.run([data]).values()
    np.testing.assert_allclose(result, np.tanh(np.maximum(data + [[-1, 0, 1]], 0)), rtol=1e-5)
    report = predictor.report()
    (region,) = report.regions
    assert (region.device, region.ops, region.state) == ("abacus", ["total", "positive"], state), region
(model,) = [engine.bound[0].model for engine in predictor._state.engines if engine]
assert [kind for kind, _ in model.rows["calls"]] == ["add_relu"], model.rows
print("ran on", report.regions[0].device)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Path:
    """A wheel of a copy of the shipped files: a build in the checkout would leave files there."""
    require_builder()
    copy, out = tmp_path_factory.mktemp("checkout"), tmp_path_factory.mktemp("wheel")
    for name in SHIPPED:
        ignored = shutil.ignore_patterns("__pycache__", ".*")
        shutil.copytree(root / name, copy / name, symlinks=True, ignore=ignored)
    for name in FILES:
        shutil.copy(root / name, copy / name)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        str(out),
    ]
    subprocess.run([*command, str(copy)], check=True, capture_output=True)
    (wheel_file,) = out.glob("litebridge-*.whl")
    return wheel_file


@pytest.mark.slow
def test_a_device_package_installed_beside_the_wheel_runs(wheel: Path, tmp_path: Path) -> None:
    package = tmp_path / "abacus"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    workshop = Workshop(tmp_path / "venv", None)
    workshop.run(f"python -m pip install {wheel} {package}", tmp_path)
    (tmp_path / "run.py").write_text(RUN)
    assert workshop.run("python run.py", tmp_path).splitlines()[-1] == "ran on abacus"
    assert "available" in workshop.run("litebridge devices abacus", tmp_path)
    printed = workshop.run("litebridge check-device abacus --op relu --op elementwise_add", tmp_path)
    assert "abacus conforms: score 100 %" in printed
