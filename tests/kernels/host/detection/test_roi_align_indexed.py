"""roi_align_indexed and max_roi_pool, sample by sample."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lite.errors import ExecutionError
from lite.ir.program import AttrValue
from lite.ir.types import Array
from tests.kernels.host.checked import checked, same
from tests.kernels.host.onnx_reference import near, noise

X = noise(2, 3, 6, 7)
BOXES = np.array(
    [[0, 0, 12, 10], [3.3, 2.1, 5.9, 9.2], [-6, -5, 3, 4], [8, 8, 30, 25], [4, 4, 4, 4]], np.float32
)
IMAGES = np.array([0, 1, 1, 0, 1])


def corners(plane: Array, y: float, x: float) -> list[float]:
    """The four elements around a point, each times its weight."""
    height, width = plane.shape
    if not (-1 <= y <= height and -1 <= x <= width):
        return [0.0]
    y, x = min(max(y, 0.0), height - 1), min(max(x, 0.0), width - 1)
    top, left = int(y), int(x)
    found = []
    for row, high in ((top, 1 - (y - top)), (min(top + 1, height - 1), y - top)):
        for column, wide in ((left, 1 - (x - left)), (min(left + 1, width - 1), x - left)):
            found.append(float(plane[row, column]) * high * wide)
    return found


def aligned_boxes(kind: str, bins: tuple[int, int], ratio: int, scale: float, aligned: bool) -> Array:
    out = np.zeros((len(BOXES), 3, *bins), np.float32)
    for n, c, i, j in np.ndindex(*out.shape):
        x1, y1, x2, y2 = (float(edge) * scale - (0.5 if aligned else 0) for edge in BOXES[n])
        height, width = y2 - y1, x2 - x1
        if not aligned:
            height, width = max(height, 1.0), max(width, 1.0)
        rows = ratio or math.ceil(height / bins[0])
        columns = ratio or math.ceil(width / bins[1])
        samples = [
            corners(
                X[IMAGES[n], c],
                y1 + (i + (a + 0.5) / rows) * height / bins[0],
                x1 + (j + (b + 0.5) / columns) * width / bins[1],
            )
            for a in range(rows)
            for b in range(columns)
        ]
        if not samples:
            continue
        parts = [part for sample in samples for part in sample]
        out[n, c, i, j] = max(parts) if kind == "max" else sum(parts) / len(samples)
    return out


@pytest.mark.parametrize("kind", ["avg", "max"])
@pytest.mark.parametrize("bins", [(1, 1), (2, 3)])
@pytest.mark.parametrize("ratio", [0, 1, 2])
@pytest.mark.parametrize("aligned", [False, True])
def test_roi_align_agrees_with_loops(kind: str, bins: tuple[int, int], ratio: int, aligned: bool) -> None:
    inputs = {"X": X, "ROIs": BOXES, "Images": IMAGES}
    attrs = {
        "pooling_type": kind,
        "pooled_height": bins[0],
        "pooled_width": bins[1],
        "sampling_ratio": ratio,
        "spatial_scale": 0.5,
        "aligned": aligned,
    }

    near(checked("roi_align_indexed", inputs, attrs), [aligned_boxes(kind, bins, ratio, 0.5, aligned)])  # type: ignore[arg-type]


def test_no_boxes_give_an_empty_result() -> None:
    inputs = {"X": X, "ROIs": BOXES[:0], "Images": IMAGES[:0]}

    same(checked("roi_align_indexed", inputs)[0], np.zeros((0, 3, 1, 1), np.float32))


@pytest.mark.parametrize("bins", [(1, 1), (2, 3), (8, 8)])
@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_max_roi_pool_is_the_maximum_of_each_bin(bins: tuple[int, int], scale: float) -> None:
    boxes = np.concatenate([IMAGES[:, None].astype(np.float32), BOXES], 1)
    wanted = np.zeros((len(boxes), 3, *bins), np.float32)
    for n, c, i, j in np.ndindex(*wanted.shape):
        x1, y1, x2, y2 = (round(edge * scale + np.sign(edge) * 1e-3) for edge in boxes[n, 1:].tolist())
        spans = []
        for first, last, count, place, size in ((y1, y2, bins[0], i, 6), (x1, x2, bins[1], j, 7)):
            step = np.float32(max(last - first + 1, 1)) / np.float32(count)
            begin = first + math.floor(np.float32(place) * step)
            end = first + math.ceil(np.float32(place + 1) * step)
            spans.append(range(min(max(begin, 0), size), min(max(end, 0), size)))
        wanted[n, c, i, j] = max(
            (float(X[IMAGES[n], c, y, x]) for y in spans[0] for x in spans[1]), default=0
        )

    same(
        checked("max_roi_pool", {"X": X, "ROIs": boxes}, {"pooled_shape": [*bins], "spatial_scale": scale})[
            0
        ],
        wanted,
    )


def test_max_roi_pool_rounds_as_onnx_runtime_does() -> None:
    """Halves away from zero; with float32, 11 times an eleventh of 29 pixels is more than 29."""
    x = np.arange(32, dtype=np.float32).reshape(1, 1, 1, 32)

    def pooled(box: list[float], bins: int) -> Array:
        inputs = {"X": x, "ROIs": np.array([box], np.float32)}
        return checked("max_roi_pool", inputs, {"pooled_shape": [1, bins], "spatial_scale": 1.0})[0]

    assert pooled([0, -1.5, 0, 2.5, 0], 6).tolist() == [[[[0, 0, 0, 1, 2, 3]]]]
    assert pooled([0, 0, 0, 28, 0], 11)[0, 0, 0, -1] == 29


@pytest.mark.parametrize(
    ("box", "ratio"),
    [([0, 0, 1, 1], 2000), ([0, 0, 1e9, 1], 0), ([0, 0, 3e3, 3e3], 0), ([0, 0, 1, np.inf], 0)],
)
def test_too_many_samples_are_refused_before_there_is_memory_for_them(box: list[float], ratio: int) -> None:
    attrs: dict[str, AttrValue] = {"sampling_ratio": ratio, "pooled_height": 2, "pooled_width": 2}
    inputs = {"X": X, "ROIs": np.array([box], np.float32), "Images": np.array([0])}
    with pytest.raises(ExecutionError, match=r"at most 4,194,304 samples of a box|finite numbers"):
        checked("roi_align_indexed", inputs, attrs)


def test_large_boxes_are_computed_a_few_channels_at_a_time() -> None:
    attrs: dict[str, AttrValue] = {"sampling_ratio": 500, "pooled_height": 2, "pooled_width": 2}
    inputs = {"X": np.ones((1, 3, 4, 4), np.float32), "ROIs": np.array([[0, 0, 2, 2]], np.float32)}
    for kind in ("avg", "max"):
        (got,) = checked(
            "roi_align_indexed", {**inputs, "Images": np.array([0])}, {**attrs, "pooling_type": kind}
        )
        np.testing.assert_allclose(got, np.ones((1, 3, 2, 2)), rtol=1e-2)


@pytest.mark.parametrize("image", [-1, 2])
def test_an_image_that_is_missing_is_refused(image: int) -> None:
    inputs = {"X": X, "ROIs": BOXES[:1], "Images": np.array([image])}
    with pytest.raises(ExecutionError, match=f"Images: expected 0 to 1, got {image}"):
        checked("roi_align_indexed", inputs)
