"""Region proposals against loops over anchors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lite.errors import ExecutionError
from lite.ir.program import AttrValue
from lite.ir.types import Lod
from lite.plugin.kernel import Array, evaluate
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked, same
from tests.kernels.host.detection.test_nms import greedy, some_boxes, some_scores
from tests.kernels.host.sequence.run_lod_op import draw, int32, run_lod_op

OUTPUTS = {"RpnRois": 1, "RpnRoiProbs": 1, "RpnRoisNum": 1}


def proposals(
    scores: Array,
    deltas: Array,
    anchors: Array,
    spread: Array,
    size: tuple[float, ...],
    attrs: dict[str, float],
    more: int,
) -> list[list[float]]:
    """Rows (score, box) of one image; scores [A, H, W], deltas [4 A, H, W], anchors [H, W, A, 4]."""
    rows = []
    height, width, scale = (*size, 1.0)[:3]
    for row, column, a in np.ndindex(anchors.shape[:3]):
        x1, y1, x2, y2 = anchors[row, column, a].tolist()
        d = (deltas[4 * a : 4 * a + 4, row, column] * spread[row, column, a]).tolist()
        w, h = x2 - x1 + more, y2 - y1 + more
        x, y = x1 + w / 2 + d[0] * w, y1 + h / 2 + d[1] * h
        w, h = w * math.exp(min(d[2], math.log(62.5))), h * math.exp(min(d[3], math.log(62.5)))
        box = [x - w / 2, y - h / 2, x + w / 2 - more, y + h / 2 - more]
        limit = [width - more, height - more] * 2
        rows.append(
            [float(scores[a, row, column]), *(min(max(v, 0), m) for v, m in zip(box, limit, strict=True))]
        )
    rows = sorted(rows, key=lambda r: -r[0])[: int(attrs["pre_nms_topN"])]
    kept = []
    for score, x1, y1, x2, y2 in rows:
        sides = [(x2 - x1) / scale + more, (y2 - y1) / scale + more]
        middle = more == 0 or ((x1 + x2 + 1) / 2 <= width and (y1 + y2 + 1) / 2 <= height)
        if min(sides) >= max(attrs["min_size"], 1) and middle:
            kept.append([score, x1, y1, x2, y2])
    if not kept:
        return [[0.0] * 5]
    array = float32(kept)
    chosen = greedy(
        array[:, 1:], array[:, 0], -99, -1, attrs["nms_thresh"], attrs["eta"], normalized=more == 0
    )
    return [kept[n] for n in chosen[: int(attrs["post_nms_topN"])]]


@pytest.mark.parametrize(
    "attrs",
    [
        {"pre_nms_topN": 100, "post_nms_topN": 100, "nms_thresh": 0.4, "min_size": 2.0, "eta": 1.0},
        {"pre_nms_topN": 12, "post_nms_topN": 4, "nms_thresh": 0.8, "min_size": 0.0, "eta": 0.7},
        {"pre_nms_topN": 100, "post_nms_topN": 100, "nms_thresh": 0.5, "min_size": 99.0, "eta": 1.0},
    ],
)
@pytest.mark.parametrize("form", ["first", "pixels", "points"])
def test_generate_proposals_keeps_the_best_boxes(attrs: dict[str, float], form: str) -> None:
    scores, deltas = draw(2, 2, 3, 4), draw(2, 8, 3, 4, seed=2)
    anchors, spread = some_boxes(3, 4, 2) * np.float32(3), np.abs(draw(3, 4, 2, 4, seed=5)) / 2
    inputs = {"Scores": scores, "BboxDeltas": deltas, "Anchors": anchors, "Variances": spread}
    given: dict[str, AttrValue] = {
        **attrs,
        "pre_nms_topN": int(attrs["pre_nms_topN"]),
        "post_nms_topN": int(attrs["post_nms_topN"]),
    }
    sizes: list[tuple[float, ...]] = [(20, 25), (18, 22)]
    lod: Lod = ()
    if form == "first":
        sizes = [(20, 25, 1), (18, 22, 2)]
        found = run_lod_op("generate_proposals", inputs | {"ImInfo": float32(sizes)}, {}, given, OUTPUTS)
        lod, results = found[0][1], [array for array, _ in found]
    else:
        given["pixel_offset"] = form == "pixels"
        results = checked("generate_proposals_v2", inputs | {"ImShape": float32(sizes)}, given, OUTPUTS)

    rows = [
        proposals(scores[n], deltas[n], anchors, spread, sizes[n], attrs, int(form != "points"))
        for n in range(2)
    ]
    expected = float32(rows[0] + rows[1])
    np.testing.assert_allclose(results[0], expected[:, 1:], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(results[1], expected[:, :1])
    same(results[2], int32([len(rows[0]), len(rows[1])]))
    assert lod == (((0, len(rows[0]), len(expected)),) if form == "first" else ())


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("pixel_offset", [False, True])
def test_distribute_fpn_proposals_assigns_levels_by_size(counted: bool, pixel_offset: bool) -> None:
    rois = some_boxes(7) * float32([[1], [4], [16], [1], [9], [2], [40]])
    counts = [3, 0, 4]
    inputs = {"FpnRois": rois, **({"RoisNum": int32(counts)} if counted else {})}
    attrs: dict[str, AttrValue] = {
        "min_level": 2,
        "max_level": 4,
        "refer_level": 3,
        "refer_scale": 20,
        "pixel_offset": pixel_offset,
    }

    found = run_lod_op(
        "distribute_fpn_proposals",
        inputs,
        {} if counted else {"FpnRois": ((0, 3, 3, 7),)},
        attrs,
        {"MultiFpnRois": 3, "RestoreIndex": 1, "MultiLevelRoIsNum": 3},
    )

    levels: list[list[int]] = [[], [], []]
    for n, (x1, y1, x2, y2) in enumerate(rois.tolist()):
        side = math.sqrt((x2 - x1 + pixel_offset) * (y2 - y1 + pixel_offset))
        level = math.floor(math.log2(side / 20 + 1e-6) + 3)
        levels[min(max(level, 2), 4) - 2].append(n)
    numbers = [[sum(n < 3 for n in members), 0, sum(n >= 3 for n in members)] for members in levels]
    for (array, lod), members, number in zip(found[:3], levels, numbers, strict=True):
        same(array, rois[members])
        assert lod == ((0, *np.cumsum(number).tolist()),)
    order = levels[0] + levels[1] + levels[2]
    same(found[3][0], int32([[order.index(n)] for n in range(7)]))
    for (array, _), number in zip(found[4:], numbers, strict=True):
        same(array, int32(number))


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("most", [4, 99])
def test_collect_fpn_proposals_keeps_the_best_of_all_levels(counted: bool, most: int) -> None:
    rois, scores = [some_boxes(4), some_boxes(3, seed=2)], [some_scores(4, 1), some_scores(3, 1, seed=3)]
    counts = [int32([1, 3]), int32([3, 0])]
    inputs = {"MultiLevelRois": rois, "MultiLevelScores": scores}
    inputs |= {"MultiLevelRoIsNum": counts} if counted else {}

    (out, lod), (numbers, _) = run_lod_op(
        "collect_fpn_proposals",
        inputs,
        {} if counted else {"MultiLevelRois": [((0, 1, 4),), ((0, 3, 3),)]},
        {"post_nms_topN": most},
        {"FpnRois": 1, "RoisNum": 1},
    )

    images = [0, 1, 1, 1, 0, 0, 0]
    values, boxes = np.concatenate(scores)[:, 0], np.concatenate(rois)
    best = sorted(range(7), key=lambda n: -float(values[n]))[:most]
    expected = [n for image in (0, 1) for n in best if images[n] == image]
    first = sum(images[n] == 0 for n in expected)
    same(out, boxes[expected])
    same(numbers, int32([first, len(expected) - first]))
    assert lod == ((0, first, len(expected)),)


def test_numbers_of_boxes_beyond_the_rows_are_refused() -> None:
    boxes, many = some_boxes(2), np.array([2**31 - 1], np.int32)
    levels: dict[str, AttrValue] = {"min_level": 2, "max_level": 3, "refer_level": 2, "refer_scale": 8}
    with pytest.raises(ExecutionError, match="distribute_fpn_proposals: expected numbers of 2 rows"):
        evaluate(
            "distribute_fpn_proposals",
            {"FpnRois": [boxes], "RoisNum": [many]},
            levels,
            {"MultiFpnRois": 2, "RestoreIndex": 1},
        )
    with pytest.raises(ExecutionError, match="roi_align: expected numbers of 2 rows"):
        evaluate(
            "roi_align",
            {"X": [draw(1, 1, 4, 4)], "ROIs": [boxes], "RoisNum": [many]},
            {"sampling_ratio": 1},
            {"Out": 1},
        )
