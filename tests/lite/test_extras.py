"""A model runs without the packages of the extras, and what needs one says how to install it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite.errors import PluginError
from lite.extras import require
from tests.lite.compat.paddle_inference import models
from tests.lite.compat.python_process import python

BLOCK = """
import sys
for name in ("click", "graphviz", "jinja2", "numba", "onnx", "rich"):
    sys.modules[name] = None
import numpy as np
import lite
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return models.save_relu_of_sum(tmp_path_factory.mktemp("model") / "m")


def test_a_package_that_is_there_is_no_error() -> None:
    require("numpy", "all", "everything")


def test_a_package_that_is_missing_names_its_extra() -> None:
    with pytest.raises(PluginError) as caught:
        require("no_such_package", "extra", "doing this")
    assert str(caught.value) == (
        "doing this needs the package no_such_package; run: pip install 'litebridge[extra]'"
    )


def test_a_paddle_model_runs_without_them(root: Path, model: Path) -> None:
    done = python(
        root,
        f"{BLOCK}predictor = lite.create_predictor(lite.Config({str(model)!r}))\n"
        "print(predictor.run([np.ones((1, 3), np.float32)])['y'].tolist())\n"
        "from lite.compat import onnxruntime, paddle_inference, paddlelite\n"
        "paddle_inference.install(); paddlelite.install(); onnxruntime.install()\n"
        "from paddle.inference import Config, create_predictor\n"
        f"print(create_predictor(Config({str(model)!r})).get_input_names())",
    )
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "[[2.5, 0.0, 1.25]]\n['x']\n")


@pytest.mark.parametrize(
    ("code", "extra"),
    [
        ("lite.load_program('m.onnx')", "onnx"),
        ("from lite.compat.onnxruntime import InferenceSession\nInferenceSession('m.onnx')", "onnx"),
        ("import lite.compat.onnx_backend", "onnx"),
        ("lite.save_program(lite.load_program(MODEL), 'written.onnx', format='onnx')", "onnx"),
        (
            "lite.create_predictor(lite.Config(MODEL, dot_dir='d', passes=['graph_visualize_pass']))",
            "dot",
        ),
        ("from lite.codegen.project import render\nrender('model.c.j2', {})", "cli"),
        ("from lite.tools.start import main\nmain()", "cli"),
    ],
)
def test_what_needs_a_package_names_its_extra(
    root: Path, model: Path, tmp_path: Path, code: str, extra: str
) -> None:
    (tmp_path / "m.onnx").write_bytes(b"\x08\x08:\x00")
    start = f"{BLOCK}import os\nos.chdir({str(tmp_path)!r})\n"
    done = python(root, start + code.replace("MODEL", repr(str(model))))
    assert done.returncode == 1
    assert f"pip install 'litebridge[{extra}]'" in done.stderr.splitlines()[-1]
