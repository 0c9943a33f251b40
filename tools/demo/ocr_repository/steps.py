"""The steps of PP-OCR between its models, by the functions of the package rapidocr_paddle.

The package loads its models when its classes are instantiated, so the steps use their methods on objects
without models.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.compat import paddle_inference
from lite.ir.types import Array

paddle_inference.install()

import cv2  # noqa: E402
from rapidocr_paddle.ch_ppocr_cls.text_cls import TextClassifier  # noqa: E402
from rapidocr_paddle.ch_ppocr_det.text_detect import TextDetector  # noqa: E402
from rapidocr_paddle.ch_ppocr_det.utils import DBPostProcess  # noqa: E402
from rapidocr_paddle.ch_ppocr_rec.text_recognize import DEFAULT_DICT_PATH, TextRecognizer  # noqa: E402
from rapidocr_paddle.ch_ppocr_rec.utils import CTCLabelDecode  # noqa: E402
from rapidocr_paddle.main import DEFAULT_CFG_PATH, RapidOCR  # noqa: E402
from rapidocr_paddle.utils import LoadImage, read_yaml  # noqa: E402

_SETTINGS: dict[str, Any] = read_yaml(DEFAULT_CFG_PATH)
_BATCH = 6


def _bare(kind: type[Any], settings: dict[str, Any]) -> Any:
    """An object of a class without its model."""
    made = object.__new__(kind)
    vars(made).update(settings)
    return made


def _batches(order: Sequence[int] | Array) -> list[list[int]]:
    items = [int(item) for item in order]
    return [items[first : first + _BATCH] for first in range(0, len(items), _BATCH)]


def _by_ratio(crops: Sequence[Array]) -> Array:
    """The crops from narrow to wide, so that those of a batch are alike."""
    return np.argsort(np.array([crop.shape[1] / float(crop.shape[0]) for crop in crops])).astype(np.int64)


class Prepare:
    """Picture file → input of the detector, the scaled picture, and how to scale boxes back."""

    def __init__(self) -> None:
        self._load = LoadImage()
        self._engine = _bare(RapidOCR, _SETTINGS["Global"])
        self._detector = _bare(TextDetector, _SETTINGS["Det"])

    def __call__(self, inputs: dict[str, Array]) -> dict[str, Array]:
        """Scale the picture as the detector wants it."""
        original = self._load(bytes(inputs["file"][0]))
        picture, ratio_h, ratio_w = self._engine.preprocess(original)
        picture, record = self._engine.maybe_add_letterbox(picture, {})
        scaled = self._detector.get_preprocess(max(picture.shape[:2]))(picture)
        padding = record["padding_1"]
        transform = [*original.shape[:2], ratio_h, ratio_w, padding["top"], padding["left"]]
        return {
            "x": np.ascontiguousarray(scaled, np.float32),
            "picture": np.ascontiguousarray(picture, np.uint8),
            "transform": np.array(transform, np.float64),
        }


class Crop:
    """Map of the detector → a picture, a box and an input of the classifier for each text."""

    def __init__(self) -> None:
        settings = _SETTINGS["Det"]
        self._engine = _bare(RapidOCR, _SETTINGS["Global"])
        self._detector = _bare(TextDetector, settings)
        names = ("thresh", "box_thresh", "max_candidates", "unclip_ratio", "use_dilation", "score_mode")
        self._boxes = DBPostProcess(**{name: settings[name] for name in names})
        self._classifier = _bare(TextClassifier, _SETTINGS["Cls"])

    def __call__(self, inputs: dict[str, Array]) -> dict[str, Array | list[Array]]:
        """Find the boxes and cut them out."""
        picture = inputs["picture"]
        found, _ = self._boxes(inputs["map"], picture.shape[:2])
        boxes = self._detector.filter_tag_det_res(found, picture.shape[:2])
        if len(boxes) == 0:
            return {"crops": [], "boxes": np.zeros((0, 4, 2), np.float32), "x": []}
        boxes = self._engine.sorted_boxes(boxes)
        crops = [np.ascontiguousarray(crop) for crop in self._engine.get_crop_img_list(picture, boxes)]
        rows, columns, ratio_h, ratio_w, top, left = inputs["transform"].tolist()
        record = {
            "preprocess": {"ratio_h": ratio_h, "ratio_w": ratio_w},
            "padding_1": {"top": top, "left": left},
        }
        x = [
            np.stack([self._classifier.resize_norm_img(crops[item]) for item in batch]).astype(np.float32)
            for batch in _batches(_by_ratio(crops))
        ]
        original = self._engine._get_origin_points(boxes, record, int(rows), int(columns))
        return {"crops": crops, "boxes": np.asarray(original, np.float32), "x": x}


class Rotate:
    """Answers of the classifier → upright pictures, as inputs of the recogniser, and their order."""

    def __init__(self) -> None:
        settings = _SETTINGS["Cls"]
        self._threshold = settings["cls_thresh"]
        self._upside_down = [number for number, label in enumerate(settings["label_list"]) if "180" in label]
        shape = _SETTINGS["Rec"]["rec_img_shape"]
        self._shape = shape
        self._recognizer = _bare(TextRecognizer, {"rec_image_shape": shape})

    def __call__(self, inputs: dict[str, Any]) -> dict[str, Array | list[Array]]:
        """Rotate what is upside down, and scale all to the height of the recogniser."""
        crops: list[Array] = list(inputs["crops"])
        if not crops:
            return {"order": np.zeros(0, np.int64), "x": []}
        for batch, angles in zip(_batches(_by_ratio(crops)), inputs["angles"], strict=True):
            for item, row in zip(batch, angles, strict=True):
                if row.argmax() in self._upside_down and row.max() > self._threshold:
                    crops[item] = cv2.rotate(crops[item], cv2.ROTATE_180)
        order = _by_ratio(crops)
        x = [self._input([crops[item] for item in each]) for each in _batches(order)]
        return {"order": order, "x": x}

    def _input(self, crops: Sequence[Array]) -> Array:
        _, height, width = self._shape
        ratio = max(width / height, *(crop.shape[1] / crop.shape[0] for crop in crops))
        rows = [self._recognizer.resize_norm_img(crop, ratio) for crop in crops]
        return np.stack(rows).astype(np.float32)


class Read:
    """Answers of the recogniser → the texts that are sure enough, with scores and boxes."""

    def __init__(self) -> None:
        self._decode = CTCLabelDecode(character_path=DEFAULT_DICT_PATH)
        self._least = _SETTINGS["Global"]["text_score"]

    def __call__(self, inputs: dict[str, Any]) -> dict[str, Array]:
        """Decode the characters of each text."""
        order = inputs["order"]
        lines: list[tuple[str, float]] = [("", 0.0)] * len(order)
        for batch, scores in zip(_batches(order), inputs["scores"], strict=True):
            for item, line in zip(batch, self._decode(scores), strict=True):
                lines[item] = (line[0], float(line[1]))
        kept = [number for number, (_, score) in enumerate(lines) if score >= self._least]
        texts = np.empty(len(kept), object)
        texts[:] = [lines[number][0].encode() for number in kept]
        return {
            "texts": texts,
            "scores": np.array([lines[number][1] for number in kept], np.float32),
            "boxes": inputs["boxes"][kept],
        }
