"""Suppression of overlapping boxes against loops over classes, candidates and chosen boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

from lite.ir.program import AttrValue
from lite.kernels.host.detection.nms import box_overlap, greedy_nms, iou_matrix
from lite.kernels.host.detection.polygon import polygon_iou
from lite.plugin.kernel import Array
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked, same
from tests.kernels.host.sequence.run_lod_op import int32, run_lod_op

Row = list[float]


def some_boxes(*shape: int, seed: int = 1) -> Array:
    rng = np.random.default_rng(seed)
    low = rng.random((*shape, 2)) * 6
    return np.concatenate((low, low + 1 + rng.random((*shape, 2)) * 4), axis=-1).astype(np.float32)


def some_scores(*shape: int, seed: int = 2) -> Array:
    return np.random.default_rng(seed).random(shape).astype(np.float32)


def overlap(a: Array, b: Array, normalized: bool) -> float:
    return (
        float(iou_matrix(a[None], b[None], normalized)[0, 0])
        if len(a) == 4
        else float(polygon_iou(a.reshape(-1, 2), b.reshape(1, -1, 2))[0])
    )


def greedy(
    boxes: Array, scores: Array, least: float, most: int, threshold: float, eta: float, normalized: bool
) -> list[int]:
    order = sorted((n for n in range(len(scores)) if scores[n] > least), key=lambda n: -float(scores[n]))
    kept: list[int] = []
    for n in order[:most] if most > -1 else order:
        if all(overlap(boxes[n], boxes[k], normalized) <= threshold for k in kept):
            kept.append(n)
            if eta < 1 and threshold > 0.5:
                threshold *= eta
    return kept


def best(rows: list[Row], most: int) -> list[Row]:
    return sorted(rows, key=lambda row: -row[1])[:most] if -1 < most < len(rows) else rows


@pytest.mark.parametrize("count", [0, 1, 40, 600])
@pytest.mark.parametrize(("threshold", "eta"), [(0.3, 1.0), (0.8, 0.9), (0.0, 0.5)])
def test_greedy_nms_keeps_boxes_that_overlap_no_better_one(count: int, threshold: float, eta: float) -> None:
    boxes = some_boxes(count)

    chosen = greedy_nms(count, box_overlap(boxes, normalized=True), threshold, eta)

    matrix = iou_matrix(boxes, boxes, normalized=True)
    expected: list[int] = []
    for n in range(count):
        if not (matrix[n, expected] > threshold).any():
            expected.append(n)
            threshold *= eta if threshold > 0.5 else 1
    assert chosen == expected


MULTI: list[dict[str, AttrValue]] = [
    {"nms_threshold": 0.3, "background_label": 0},
    {"nms_threshold": 0.7, "nms_eta": 0.8, "background_label": -1, "score_threshold": 0.4},
    {"nms_threshold": 0.2, "nms_top_k": 5, "keep_top_k": 4, "normalized": False},
    {"nms_threshold": 0.5, "keep_top_k": 3, "background_label": 2},
]


def expected_rows(boxes: Array, scores: Array, attrs: dict[str, AttrValue]) -> list[tuple[Row, int]]:
    """Rows with their box numbers of one image: boxes [C, M, size] and scores [C, M]."""
    rows: list[tuple[Row, int]] = []
    for label, of_class in enumerate(scores):
        if label == attrs.get("background_label", 0):
            continue
        kept = greedy(
            boxes[label],
            of_class,
            float(str(attrs.get("score_threshold", 0.0))),
            int(str(attrs.get("nms_top_k", -1))),
            float(str(attrs["nms_threshold"])),
            float(str(attrs.get("nms_eta", 1.0))),
            bool(attrs.get("normalized", True)),
        )
        rows += [([label, float(of_class[n]), *boxes[label, n].tolist()], n) for n in kept]
    most = int(str(attrs.get("keep_top_k", -1)))
    if -1 < most < len(rows):
        rows = sorted(sorted(rows, key=lambda row: -row[0][1])[:most], key=lambda row: row[0][0])
    return rows


@pytest.mark.parametrize("attrs", MULTI)
@pytest.mark.parametrize("size", [4, 8])
def test_multiclass_nms_suppresses_within_each_class(attrs: dict[str, AttrValue], size: int) -> None:
    boxes, scores = some_boxes(2, 9), some_scores(2, 3, 9)
    if size == 8:
        boxes = np.stack([boxes[..., n] for n in (0, 1, 2, 1, 2, 3, 0, 3)], axis=-1)
    found = [expected_rows(np.stack([boxes[n]] * 3), scores[n], attrs) for n in range(2)]
    rows = float32([row for image in found for row, _ in image]).reshape(-1, size + 2)
    places = int32([[n * 9 + place] for n, image in enumerate(found) for _, place in image]).reshape(-1, 1)
    lod = ((0, len(found[0]), len(found[0]) + len(found[1])),)
    inputs = {"BBoxes": boxes, "Scores": scores}

    ((first, first_lod),) = run_lod_op("multiclass_nms", inputs, {}, attrs)
    (second, second_lod), (index, _) = run_lod_op(
        "multiclass_nms2", inputs, {}, attrs, {"Out": 1, "Index": 1}
    )
    third = checked("multiclass_nms3", inputs, attrs, {"Out": 1, "Index": 1, "NmsRoisNum": 1})

    same(first, rows)
    same(second, rows)
    same(index, places)
    assert first_lod == second_lod == lod
    same(third[0], rows)
    same(third[1], places)
    same(third[2], int32([len(image) for image in found]))


@pytest.mark.parametrize("attrs", MULTI)
def test_multiclass_nms_takes_boxes_per_class(attrs: dict[str, AttrValue]) -> None:
    boxes, scores, level = some_boxes(7, 3), some_scores(7, 3), (0, 3, 3, 7)
    rows, places, counts = [], [], []
    for start, end in pairwise(level):
        found = expected_rows(boxes[start:end].transpose(1, 0, 2), scores[start:end].T, attrs)
        found.sort(key=lambda row: (row[0][0], row[1]))
        rows += [row for row, _ in found]
        places += [[(start + place) * 3 + int(row[0])] for row, place in found]
        counts.append(len(found))
    inputs = {"BBoxes": boxes, "Scores": scores}

    (out, lod), (index, _) = run_lod_op(
        "multiclass_nms2", inputs, {"Scores": (level,)}, attrs, {"Out": 1, "Index": 1}
    )
    third = checked(
        "multiclass_nms3", inputs | {"RoisNum": int32([3, 0, 4])}, attrs, {"Out": 1, "NmsRoisNum": 1}
    )

    same(out, float32(rows).reshape(-1, 6))
    same(index, int32(places).reshape(-1, 1))
    assert lod == ((0, *np.cumsum(counts).tolist()),)
    same(third[0], out)
    same(third[1], int32(counts))


def test_multiclass_nms_of_no_box_gives_minus_1() -> None:
    inputs = {"BBoxes": some_boxes(2, 3), "Scores": some_scores(2, 2, 3)}
    attrs: dict[str, AttrValue] = {"score_threshold": 2.0}

    ((first, lod),) = run_lod_op("multiclass_nms", inputs, {}, attrs)
    ((second, empty),) = run_lod_op("multiclass_nms2", inputs, {}, attrs)

    same(first, float32([[-1]]))
    assert (second.shape, lod, empty) == ((0, 6), ((0, 1),), ((0, 0, 0),))


def decays(boxes: Array, sigma: float | None, normalized: bool) -> list[float]:
    found = []
    for i in range(len(boxes)):
        factors = [1.0]
        for j in range(i):
            covered = max([overlap(boxes[j], boxes[k], normalized) for k in range(j)], default=0)
            iou = overlap(boxes[i], boxes[j], normalized)
            factors.append(
                (1 - iou) / (1 - covered) if sigma is None else math.exp((covered**2 - iou**2) * sigma)
            )
        found.append(min(factors))
    return found


@pytest.mark.parametrize("gaussian", [False, True])
@pytest.mark.parametrize(("most", "keep", "least"), [(-1, -1, 0.0), (5, 4, 0.3), (3, 0, 0.0), (-1, -1, 2.0)])
@pytest.mark.parametrize("normalized", [False, True])
def test_matrix_nms_decays_scores(
    gaussian: bool, most: int, keep: int, least: float, normalized: bool
) -> None:
    boxes, scores = some_boxes(2, 8), some_scores(2, 3, 8)
    attrs: dict[str, AttrValue] = {
        "nms_top_k": most,
        "keep_top_k": keep,
        "score_threshold": 0.2,
        "post_threshold": least,
        "use_gaussian": gaussian,
        "gaussian_sigma": 1.5,
        "background_label": 1,
        "normalized": normalized,
    }

    found = checked(
        "matrix_nms", {"BBoxes": boxes, "Scores": scores}, attrs, {"Out": 1, "Index": 1, "RoisNum": 1}
    )

    rows: list[Row] = []
    places: list[list[int]] = []
    counts = []
    for image in range(2):
        here: list[tuple[Row, int]] = []
        for label in (0, 2):
            values = scores[image, label]
            order = sorted((n for n in range(8) if values[n] > 0.2), key=lambda n: -float(values[n]))
            order = order[:most] if most > -1 else order
            factors = decays(boxes[image][order], 1.5 if gaussian else None, normalized)
            for n, factor in zip(order, factors, strict=True):
                if values[n] * factor > least:
                    here.append(
                        ([label, float(values[n]) * factor, *boxes[image, n].tolist()], image * 8 + n)
                    )
        here.sort(key=lambda row: -row[0][1])
        here = here[:keep] if keep > -1 else here
        rows += [row for row, _ in here]
        places += [[place] for _, place in here]
        counts.append(len(here))
    np.testing.assert_allclose(found[0], np.array(rows).reshape(-1, 6), rtol=1e-5)
    same(found[1], int32(places).reshape(-1, 1))
    same(found[2], int32(counts))


def test_matrix_nms_of_equal_boxes_keeps_one() -> None:
    """Nothing is left of a repeated box, nor does it divide by zero for the next."""
    boxes = float32([[[0, 0, 2, 2]] * 3])

    (out,) = checked(
        "matrix_nms", {"BBoxes": boxes, "Scores": float32([[[0.9, 0.8, 0.7]]])}, {"background_label": -1}
    )

    same(out, float32([[0, 0.9, 0, 0, 2, 2]]))


@pytest.mark.parametrize("keep", [-1, 3])
def test_retinanet_detection_output_decodes_all_levels(keep: int) -> None:
    rng = np.random.default_rng(3)
    counts: Sequence[int] = (4, 3)
    deltas = [rng.normal(0, 0.2, (2, n, 4)).astype(np.float32) for n in counts]
    scores = [some_scores(2, n, 2, seed=n) for n in counts]
    anchors = [some_boxes(n, seed=n) * np.float32(4) for n in counts]
    info = float32([[30, 40, 1], [60, 80, 2]])
    attrs: dict[str, AttrValue] = {
        "score_threshold": 0.3,
        "nms_top_k": 5,
        "nms_threshold": 0.4,
        "keep_top_k": keep,
    }

    ((out, lod),) = run_lod_op(
        "retinanet_detection_output",
        {"BBoxes": deltas, "Scores": scores, "Anchors": anchors, "ImInfo": info},
        {},
        attrs,
    )

    expected: list[Row] = []
    offsets = [0]
    for image in range(2):
        by_class: dict[int, list[Row]] = {0: [], 1: []}
        for level in range(2):
            flat = scores[level][image].reshape(-1)
            order = sorted(
                (n for n in range(len(flat)) if flat[n] > (0, 0.3)[level == 0]), key=lambda n: -float(flat[n])
            )
            for n in order[:5]:
                anchor, delta = anchors[level][n // 2].tolist(), deltas[level][image, n // 2].tolist()
                w, h = anchor[2] - anchor[0] + 1, anchor[3] - anchor[1] + 1
                x, y = anchor[0] + w / 2 + delta[0] * w, anchor[1] + h / 2 + delta[1] * h
                w, h = w * math.exp(delta[2]), h * math.exp(delta[3])
                box = np.array([x - w / 2, y - h / 2, x + w / 2 - 1, y + h / 2 - 1]) / (image + 1)
                by_class[n % 2].append(
                    [n % 2 + 1, float(flat[n]), *np.clip(box, 0, [39, 29, 39, 29]).tolist()]
                )
        rows: list[Row] = []
        for found in by_class.values():
            array = float32(found).reshape(-1, 6)
            rows += [found[n] for n in greedy(array[:, 2:], array[:, 1], -1, -1, 0.4, 1.0, normalized=False)]
        rows.sort(key=lambda row: -row[1])
        expected += rows[:keep] if keep > -1 else rows
        offsets.append(len(expected))
    np.testing.assert_allclose(out, np.array(expected), rtol=1e-4, atol=1e-4)
    assert lod == (tuple(offsets),)
