"""The parts of the OCR demo, and the whole demo if its packages are installed."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from lite.tools.demo import ocr_demo
from lite.tools.demo.ocr_demo import Line, difference, draw_boxes, read
from lite.tools.demo.sample_image import PICTURE, STRINGS

MODELS = ("ch_PP-OCRv4_det_infer", "ch_PP-OCRv4_rec_infer", "ch_ppocr_mobile_v2_cls_infer")
BOX = [[10.0, 20.0], [50.0, 20.0], [50.0, 40.0], [10.0, 40.0]]


def run_demo(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lite.tools.demo.ocr_demo", *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300)


def use_engine(monkeypatch: pytest.MonkeyPatch, models: Path, *texts: str) -> None:
    """Replace RapidOCR by an engine that returns `texts` for each picture."""

    def engine(path: str) -> Any:
        return [[BOX, text, 0.5] for text in texts] or None, [0.1, 0.2, 0.3] if texts else None

    monkeypatch.setattr(ocr_demo, "load_engine", lambda _: (engine, models))


@pytest.mark.slow
@pytest.mark.needs_demo
def test_the_sample_picture_is_read_correctly(root: Path, tmp_path: Path) -> None:
    if importlib.util.find_spec("rapidocr_paddle") is None:
        pytest.skip("rapidocr_paddle is not installed")
    pytest.importorskip("cv2", reason="OpenCV does not load", exc_type=ImportError)

    done = run_demo(root, "--out", str(tmp_path))

    assert done.returncode == 0, done.stderr
    table = done.stdout.split("Text in cafe.png\n")[1].split("\n\n")[0].splitlines()
    assert [re.split(r"\s{2,}", line.strip())[1] for line in table[1:]] == list(STRINGS)
    for model in MODELS:
        counts = re.search(rf"{model}: (\d+) ops → (\d+) ops \((.+)\)", done.stdout)
        assert counts is not None
        before, after = int(counts[1]), int(counts[2])
        placed = re.findall(r"(\d+) on (?:cpu|host)", counts[3])
        assert before > after == sum(map(int, placed))
        dots = sorted(path.name for path in (tmp_path / model).glob("*.dot"))
        assert dots == ["00_start.dot", "01_generate_program_pass.dot"]
    assert (tmp_path / "cafe_boxes.png").is_file()


def test_a_missing_package_names_the_command_that_installs_it(root: Path) -> None:
    code = (
        "import sys; sys.modules['rapidocr_paddle'] = None\n"
        "from lite.tools.demo.ocr_demo import main\nmain(['--threads', '1'])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=60)

    assert done.returncode == 1
    assert done.stderr == (
        "Error: the module rapidocr_paddle is not installed; run: pip install rapidocr_paddle "
        "(which has releases for Python up to 3.12)\n"
    )


def test_a_missing_picture_is_wrong_usage() -> None:
    done = CliRunner().invoke(ocr_demo.main, ["--image", "nowhere.png"])
    assert done.exit_code == 2
    assert "nowhere.png" in done.output


def test_a_wrong_text_of_the_sample_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("PIL", reason="Pillow is not installed")
    (tmp_path / "models").mkdir()
    use_engine(monkeypatch, tmp_path / "models", "HARBOUR CAVE")

    done = CliRunner().invoke(ocr_demo.main, ["--out", str(tmp_path / "out")])

    assert done.exit_code == 1
    assert "text 1: expected 'HARBOUR CAFE', got 'HARBOUR CAVE'" in done.output


@pytest.mark.parametrize("texts", [(), ("some text",)])
def test_another_picture_may_have_any_text(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, texts: tuple[str, ...]
) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    (tmp_path / "models").mkdir()
    use_engine(monkeypatch, tmp_path / "models", *texts)
    image.new("L", (60, 50), 255).save(tmp_path / "other.png")
    arguments = ["--image", str(tmp_path / "other.png"), "--out", str(tmp_path / "out")]

    done = CliRunner().invoke(ocr_demo.main, arguments)

    assert done.exit_code == 0
    with image.open(tmp_path / "out" / "other_boxes.png") as boxes:
        changed = np.asarray(boxes.convert("RGB")).min() < 255
    assert changed == bool(texts)


def test_a_file_that_is_not_a_picture_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("PIL", reason="Pillow is not installed")
    use_engine(monkeypatch, tmp_path)
    (tmp_path / "text.png").write_text("not a picture")

    done = CliRunner().invoke(ocr_demo.main, ["--image", str(tmp_path / "text.png")])

    assert done.exit_code == 1
    assert "text.png" in done.output


def test_the_first_difference_is_described() -> None:
    assert difference(["a", "b"], ["a", "b"]) is None
    assert difference(["a", "c"], ["a", "b"]) == "text 2: expected 'b', got 'c'"
    assert difference(["a"], ["a", "b"]) == "expected 2 texts, got 1"
    assert difference([], []) is None


def test_results_of_rapidocr_become_lines() -> None:
    reading = read(lambda path: ([[BOX, Path(path).name, 0.75]], [1.0, 2.0, 3.0]), PICTURE)
    nothing = read(lambda _: (None, None), PICTURE)

    assert reading.lines == (Line("cafe.png", 0.75, tuple((x, y) for x, y in BOX)),)
    assert reading.stages == (1.0, 2.0, 3.0)
    assert (nothing.lines, nothing.stages) == ((), ())


def test_boxes_are_drawn_on_a_copy() -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    picture = image.new("RGB", (60, 50), "white")
    line = Line("text", 1.0, tuple((x, y) for x, y in BOX))

    drawn = np.asarray(draw_boxes(picture, [line]))

    assert np.asarray(picture).min() == 255
    assert drawn[20, 30].tolist() == drawn[40, 30].tolist() == drawn[30, 10].tolist() == [224, 0, 0]
    assert drawn[30, 30].tolist() == [255, 255, 255]
