"""Installing the API under ONNX Runtime's name, and unmodified programs."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from tests.lite.compat.python_process import python

INSTALL = "from lite.compat import onnxruntime\nonnxruntime.install()\n"
USE = """
import onnxruntime
import onnxruntime as ort
import onnxruntime.capi.onnxruntime_pybind11_state as state
from onnxruntime import GraphOptimizationLevel, InferenceSession, SessionOptions
from onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidArgument, NoSuchFile, NotImplemented
from onnxruntime.capi.onnxruntime_inference_collection import OrtValue
assert ort.InferenceSession is InferenceSession and ort.OrtValue is OrtValue
assert ort.get_device() == "CPU" and ort.get_available_providers() == ["CPUExecutionProvider"]
assert tuple(map(int, ort.__version__.split("."))) > (1, 18)
ort.set_default_logger_severity(3)
ort.preload_dlls()
try:
    ort.InferenceSession("none.onnx")
except NoSuchFile as error:
    assert "NO_SUCHFILE" in str(error)
"""
READ = """
import json
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from rapidocr_onnxruntime import RapidOCR
image = Image.new("RGB", (640, 200), "white")
draw = ImageDraw.Draw(image)
draw.text((20, 20), "Unmodified 2026", fill="black", font=ImageFont.load_default(48))
draw.text((20, 110), "programs run here", fill="black", font=ImageFont.load_default(40))
lines, _ = RapidOCR()(np.asarray(image)[:, :, ::-1])
import onnxruntime
print(json.dumps([[box, text, float(score), onnxruntime.__spec__.origin] for box, text, score in lines]))
"""


def test_every_form_of_import_works(root: Path) -> None:
    done = python(root, INSTALL + USE)
    assert (done.returncode, done.stderr) == (0, "")


def test_install_is_refused_after_the_real_package_is_imported(root: Path, tmp_path: Path) -> None:
    (tmp_path / "onnxruntime").mkdir()
    (tmp_path / "onnxruntime" / "__init__.py").write_text("REAL = True\n")
    done = python(root, "import onnxruntime as real\n" + INSTALL, tmp_path)
    assert "the real onnxruntime is already imported" in done.stderr.splitlines()[-1]
    done = python(
        root, INSTALL + "onnxruntime.uninstall()\nimport onnxruntime as real\nassert real.REAL", tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_rapidocr_reads_the_same_text_as_with_onnxruntime(root: Path) -> None:
    for package in ("rapidocr_onnxruntime", "onnxruntime", "PIL"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    # The first run on a machine compiles kernels.
    done = python(root, INSTALL + READ, timeout=600)
    assert done.returncode == 0, done.stderr
    ours, theirs = json.loads(done.stdout), json.loads(python(root, READ).stdout)

    assert {line[3] for line in ours} == {"litebridge"}
    assert (
        [line[1] for line in ours]
        == [line[1] for line in theirs]
        == ["Unmodified 2026", "programs run", "here"]
    )
    for (box, _, score, _), (other_box, _, other_score, _) in zip(ours, theirs, strict=True):
        assert box == other_box
        assert score == pytest.approx(other_score, abs=1e-3)
