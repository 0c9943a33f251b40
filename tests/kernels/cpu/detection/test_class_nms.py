"""Compiled suppression within classes against the host's, which loops over pairs of boxes check."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from lite.kernels.cpu.detection import box_search as compiled
from lite.kernels.host.detection import box_search as host
from lite.plugin.kernel import Array, host_kernel
from lite.plugin.kernel.detection.generate_proposals import ProposalAttributes, ProposalAttributesV2
from lite.plugin.kernel.detection.matrix_nms import MatrixAttributes
from lite.plugin.kernel.detection.multiclass_nms import MulticlassAttributes
from lite.plugin.kernel.detection.selection import Selection
from tests.kernels.cpu.bound import cpu_kernel

pytest.importorskip("numba", reason="compiled kernels need the extra jit")


def some_boxes(*shape: int, seed: int = 1) -> Array:
    rng = np.random.default_rng(seed)
    low = rng.random((*shape, 2)) * 6
    return np.concatenate((low, low + rng.random((*shape, 2)) * 4), axis=-1).astype(np.float32)


def some_scores(*shape: int, seed: int = 2) -> Array:
    """Few different scores: ties."""
    return (np.random.default_rng(seed).integers(0, 30, shape) / 30).astype(np.float32)


def assert_equal(found: tuple[Array, ...], expected: tuple[Array, ...]) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "selection",
    [
        Selection(0.3, 0.4),
        Selection(-1.0, 0.9, eta=0.8),
        Selection(0.0, 0.0, normalized=False),
        Selection(0.2, 0.5, candidates=20, limit=7, background=1),
        Selection(0.2, 0.5, candidates=0),
        Selection(0.2, 0.5, limit=0),
        Selection(2.0, 0.5),
    ],
)
@pytest.mark.parametrize("boxes", [some_boxes(1, 90), some_boxes(3, 90)], ids=["shared", "by class"])
def test_the_boxes_of_the_host(selection: Selection, boxes: Array) -> None:
    scores = some_scores(3, 90)
    assert_equal(compiled.search(boxes, scores, selection), host.search(boxes, scores, selection))


@pytest.mark.parametrize("normalized", [True, False])
def test_boxes_without_area_inverted_infinite_and_not_numbers(normalized: bool) -> None:
    boxes = some_boxes(1, 80, seed=3)
    boxes[0, 5:20, 2:] = boxes[0, 5:20, :2]
    boxes[0, 20:30] = boxes[0, 20:30, [2, 3, 0, 1]].T
    boxes[0, 30:33, 0], boxes[0, 31:35, 2], boxes[0, 36, 1], boxes[0, 40] = -np.inf, np.inf, np.nan, np.nan
    boxes[0, 50:60] = boxes[0, :10]
    scores, selection = some_scores(2, 80), Selection(-1.0, 0.3, normalized=normalized)
    scores[0, 7] = np.nan

    with np.errstate(invalid="ignore"):
        expected = host.search(boxes, scores, selection)

    assert_equal(compiled.search(boxes, scores, selection), expected)


@pytest.mark.parametrize("shape", [(2, 0), (0, 3)])
def test_nothing_to_choose_from(shape: tuple[int, int]) -> None:
    labels, places = compiled.search(some_boxes(1, shape[1]), some_scores(*shape), Selection(0.0, 0.5))
    assert labels.shape == places.shape == (0,)


MULTICLASS = MulticlassAttributes(0, 0.1, 40, 0.5, 1.0, 25, normalized=True)


@pytest.mark.parametrize("op", ["multiclass_nms", "multiclass_nms2", "multiclass_nms3"])
@pytest.mark.parametrize("least", [0.1, 2.0])
@pytest.mark.parametrize("corners", [[0, 1, 2, 3], [0, 1, 2, 1, 2, 3, 0, 3]], ids=["boxes", "polygons"])
def test_multiclass_nms(op: str, least: float, corners: list[int]) -> None:
    attrs = dataclasses.replace(MULTICLASS, score_threshold=least)
    boxes, scores = some_boxes(2, 20)[..., corners], some_scores(2, 3, 20)
    more = {"RoisNum": None} if op == "multiclass_nms3" else {"lods": {"Scores": [()]}}

    found, expected = (
        kernel.run(boxes, scores, attrs=attrs, **more) for kernel in (cpu_kernel(op), host_kernel(op))
    )

    if op == "multiclass_nms3":
        assert_equal(found, expected)
        return
    arrays, wanted = (part[0] if op == "multiclass_nms2" else (part[0],) for part in (found, expected))
    assert_equal(arrays, wanted)
    assert found[1] == expected[1]


def test_multiclass_nms_of_boxes_by_class() -> None:
    boxes, scores = some_boxes(70, 3), some_scores(70, 3)
    kernels = cpu_kernel("multiclass_nms3"), host_kernel("multiclass_nms3")
    found, expected = (
        kernel.run(boxes, scores, np.array([30, 0, 40], np.int32), attrs=MULTICLASS) for kernel in kernels
    )
    assert_equal(found, expected)


@pytest.mark.parametrize("gaussian", [False, True])
@pytest.mark.parametrize(("most", "normalized"), [(-1, True), (33, False)])
def test_matrix_nms(gaussian: bool, most: int, normalized: bool) -> None:
    attrs = MatrixAttributes(1, 0.1, 0.05, most, 40, normalized, gaussian, 1.5)
    boxes, scores = some_boxes(2, 90), np.random.default_rng(0).random((2, 3, 90)).astype(np.float32)
    boxes[:, 8:12] = boxes[:, :4]

    kernels = cpu_kernel("matrix_nms"), host_kernel("matrix_nms")
    found, expected = (kernel.run(boxes, scores, attrs=attrs) for kernel in kernels)

    np.testing.assert_allclose(found[0], expected[0], rtol=1e-5)
    assert_equal(found[1:], expected[1:])


@pytest.mark.parametrize("pixels", [False, True])
@pytest.mark.parametrize("most", [9, -1])
def test_generate_proposals(pixels: bool, most: int) -> None:
    rng = np.random.default_rng(4)
    scores, deltas = some_scores(2, 3, 5, 6), rng.normal(0, 0.3, (2, 12, 5, 6)).astype(np.float32)
    anchors, variances = some_boxes(5, 6, 3) * np.float32(4), np.full((5, 6, 3, 4), 0.7, np.float32)
    scores[0, 0, 1, 1] = np.nan
    attrs = ProposalAttributesV2(60, most, 0.5, 1.0, 0.9, pixels)
    sizes = np.array([[40, 45], [38, 30]], np.float32)
    kernels = cpu_kernel("generate_proposals_v2"), host_kernel("generate_proposals_v2")

    found, expected = (k.run(scores, deltas, sizes, anchors, variances, attrs=attrs) for k in kernels)

    assert_equal(found, expected)
    info = np.array([[40, 45, 1], [38, 30, 2]], np.float32)
    first = ProposalAttributes(60, most, 0.5, 1.0, 0.9)
    kernels = cpu_kernel("generate_proposals"), host_kernel("generate_proposals")
    (found, lods), (expected, wanted) = (
        k.run(scores, deltas, info, anchors, variances, attrs=first, lods={}) for k in kernels
    )
    assert_equal(found, expected)
    assert lods == wanted


def test_float64_is_searched_as_float32() -> None:
    boxes, scores, selection = some_boxes(1, 40), some_scores(2, 40), Selection(0.1, 0.4)
    found = compiled.search(boxes.astype(np.float64), scores.astype(np.float64), selection)
    assert_equal(found, compiled.search(boxes, scores, selection))
