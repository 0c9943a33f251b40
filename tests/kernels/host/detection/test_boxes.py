"""Anchors, priors and transformations of boxes against loops over cells and boxes."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from lite.errors import ExecutionError, GraphError
from lite.ir.program import AttrValue
from lite.plugin.kernel import Array
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked
from tests.kernels.host.sequence.run_lod_op import draw, run_lod_op

FEATURE, IMAGE = draw(2, 3, 2, 3), draw(2, 3, 20, 24)
VARIANCES = [0.1, 0.2, 0.3, 0.4]
GRID = {"Boxes": 1, "Variances": 1}


def at_cells(found: list[Array], sizes: list[list[tuple[float, float, float, float]]], clip: bool) -> None:
    """Boxes (centre x, y, width, height in pixels of the image), cell by cell, are what was found."""
    expected = []
    for x, y, w, h in itertools.chain.from_iterable(sizes):
        box = [(x - w / 2) / 24, (y - h / 2) / 20, (x + w / 2) / 24, (y + h / 2) / 20]
        expected.append([min(max(v, 0), 1) for v in box] if clip else box)
    np.testing.assert_allclose(found[0].reshape(-1, 4), expected, atol=1e-6)
    np.testing.assert_allclose(found[1].reshape(-1, 4), [VARIANCES] * len(expected), rtol=1e-6)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize(("largest", "steps"), [([9.0, 16.0], (0.0, 0.0)), ([], (7.0, 9.0))])
def test_prior_box_covers_each_cell(
    ordered: bool, clip: bool, largest: list[float], steps: tuple[float, float]
) -> None:
    attrs: dict[str, AttrValue] = {
        "min_sizes": [4.0, 9.0],
        "max_sizes": largest,
        "aspect_ratios": [1.0, 2.0],
        "variances": VARIANCES,
        "clip": clip,
        "min_max_aspect_ratios_order": ordered,
        "step_w": steps[0],
        "step_h": steps[1],
    }

    found = checked("prior_box", {"Input": FEATURE, "Image": IMAGE}, attrs, GRID)

    step_w, step_h = steps if steps[0] else (24 / 3, 20 / 2)
    cells = []
    for row, column in itertools.product(range(2), range(3)):
        x, y = (column + 0.5) * step_w, (row + 0.5) * step_h
        for n, size in enumerate([4.0, 9.0]):
            first = [(size, size)]
            others = [(size * math.sqrt(2), size / math.sqrt(2)), (size / math.sqrt(2), size * math.sqrt(2))]
            square = [(math.sqrt(size * most),) * 2 for most in largest[n : n + 1]]
            sides = first + square + others if ordered else first + others + square
            cells.append([(x, y, w, h) for w, h in sides])
    at_cells(found, cells, clip)


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("step", [0.0, 6.0])
def test_density_prior_box_shifts_boxes_within_a_cell(flat: bool, step: float) -> None:
    attrs: dict[str, AttrValue] = {
        "fixed_sizes": [4.0, 10.0],
        "fixed_ratios": [1.0, 4.0],
        "densities": [2, 1],
        "variances": VARIANCES,
        "flatten_to_2d": flat,
        "step_w": step,
        "step_h": step,
    }

    found = checked("density_prior_box", {"Input": FEATURE, "Image": IMAGE}, attrs, GRID)

    step_w, step_h = (step, step) if step else (8, 10)
    average = int((step_w + step_h) / 2)
    cells = []
    for row, column in itertools.product(range(2), range(3)):
        x, y = (column + 0.5) * step_w, (row + 0.5) * step_h
        for size, density in ((4, 2), (10, 1)):
            shift = average // density
            for ratio in (1, 4):
                w, h = size * math.sqrt(ratio), size / math.sqrt(ratio)
                places = [n * shift + shift / 2 - average / 2 for n in range(density)]
                cells.append([(x + dx, y + dy, w, h) for dy in places for dx in places])
    at_cells(found, cells, clip=True)
    assert found[0].ndim == (2 if flat else 4)


def test_anchor_generator_scales_a_base_box() -> None:
    attrs: dict[str, AttrValue] = {
        "anchor_sizes": [32.0, 48.0],
        "aspect_ratios": [0.5, 2.0],
        "stride": [16.0, 12.0],
        "variances": VARIANCES,
        "offset": 0.25,
    }

    anchors, variances = checked(
        "anchor_generator", {"Input": FEATURE}, attrs, {"Anchors": 1, "Variances": 1}
    )

    expected = []
    for row, column in itertools.product(range(2), range(3)):
        x, y = column * 16 + 0.25 * 15, row * 12 + 0.25 * 11
        for ratio, size in itertools.product((0.5, 2.0), (32, 48)):
            base = math.floor(math.sqrt(16 * 12 / ratio) + 0.5)
            w, h = size / 16 * base - 1, size / 12 * math.floor(base * ratio + 0.5) - 1
            expected.append([x - w / 2, y - h / 2, x + w / 2, y + h / 2])
    np.testing.assert_allclose(anchors.reshape(-1, 4), expected, rtol=1e-5)
    np.testing.assert_allclose(variances, np.broadcast_to(float32(VARIANCES), anchors.shape))


def boxes(count: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    low = rng.random((count, 2))
    return np.concatenate((low, low + 0.1 + rng.random((count, 2))), axis=1).astype(np.float32)


def center(box: Array, more: float) -> tuple[float, float, float, float]:
    w, h = float(box[2] - box[0]) + more, float(box[3] - box[1]) + more
    return float(box[0]) + w / 2, float(box[1]) + h / 2, w, h


def decoded(prior: Array, code: list[float], more: float) -> list[float]:
    x, y, w, h = center(prior, more)
    x, y, w, h = x + code[0] * w, y + code[1] * h, w * math.exp(code[2]), h * math.exp(code[3])
    return [x - w / 2, y - h / 2, x + w / 2 - more, y + h / 2 - more]


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("variance", ["none", "attribute", "slot"])
@pytest.mark.parametrize("axis", [0, 1])
def test_box_coder_encodes_and_decodes(normalized: bool, variance: str, axis: int) -> None:
    priors, targets, codes = boxes(3, 1), boxes(2, 2), draw(2, 3, 4) * np.float32(0.3)
    spread = np.abs(draw(3, 4, seed=4)) + np.float32(0.1)
    if axis:
        codes = codes.transpose(1, 0, 2)
    scale = {"none": np.ones((3, 4)), "attribute": np.array([VARIANCES] * 3), "slot": spread}[variance]
    inputs = {"PriorBox": priors, **({"PriorBoxVar": spread} if variance == "slot" else {})}
    attrs: dict[str, AttrValue] = {"box_normalized": normalized, "axis": axis}
    attrs |= {"variance": VARIANCES} if variance == "attribute" else {}
    more = 0.0 if normalized else 1.0

    (back,) = checked("box_coder", inputs | {"TargetBox": codes}, attrs | {"code_type": "decode_center_size"})
    (coded,) = checked("box_coder", inputs | {"TargetBox": targets}, attrs)

    for index in np.ndindex(codes.shape[:2]):
        prior = index[0] if axis else index[1]
        want = decoded(priors[prior], (codes[index] * scale[prior]).tolist(), more)
        np.testing.assert_allclose(back[index], want, rtol=1e-4, atol=1e-5)
    for n, m in np.ndindex(2, 3):
        x, y, w, h = center(priors[m], more)
        _, _, tw, th = center(targets[n], more)
        tx, ty = (targets[n, :2] + targets[n, 2:]) / 2
        want = np.array([(tx - x) / w, (ty - y) / h, math.log(tw / w), math.log(th / h)]) / scale[m]
        np.testing.assert_allclose(coded[n, m], want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("shape", [(3, 4), (3, 2, 4)])
def test_box_clip_keeps_boxes_in_their_image(shape: tuple[int, ...]) -> None:
    x = draw(*shape) * np.float32(20)
    info = float32([[10, 12, 1], [20, 30, 2]])

    ((out, lod),) = run_lod_op("box_clip", {"Input": x, "ImInfo": info}, {"Input": ((0, 1, 3),)})

    for index in np.ndindex(shape):
        width, height = (12, 10) if index[0] == 0 else (15, 10)
        highest = (height if index[-1] % 2 else width) - 1
        assert out[index] == min(max(x[index], 0), highest)
    assert lod == ((0, 1, 3),)


@pytest.mark.parametrize("code", ["corner", "center_size", "corner_size"])
@pytest.mark.parametrize("encoded", [False, True])
def test_decode_bboxes_adds_offsets_to_priors(code: str, encoded: bool) -> None:
    priors, spread, loc = boxes(3, 1), np.abs(draw(3, 4)), draw(2, 12, seed=2)
    prior = np.stack((priors.reshape(-1), spread.reshape(-1)))[None]

    (out,) = checked(
        "decode_bboxes",
        {"Loc": loc, "Prior": prior},
        {"code_type": code, "variance_encoded_in_target": encoded},
    )

    for n, p in np.ndindex(2, 3):
        offsets = loc[n, 4 * p : 4 * p + 4] * (1 if encoded else spread[p])
        want = decoded(priors[p], offsets.tolist(), 0)
        if code != "center_size":
            sides = (priors[p, 2:] - priors[p, :2]).tolist() * 2 if code == "corner_size" else [1, 1, 1, 1]
            want = [float(v) + float(d) * s for v, d, s in zip(priors[p], offsets, sides, strict=True)]
        np.testing.assert_allclose(out[n, 4 * p : 4 * p + 4], want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shape", [(2, 4, 3, 5), (1, 2, 1, 1), (0, 2, 2, 2)])
def test_polygon_box_transform_gives_pixels(shape: tuple[int, ...]) -> None:
    x = draw(*shape)

    (out,) = checked("polygon_box_transform", {"Input": x})

    for n, c, row, column in np.ndindex(shape):
        assert out[n, c, row, column] == np.float32(4 * (row if c % 2 else column)) - x[n, c, row, column]


def test_inputs_that_do_not_fit_are_refused() -> None:
    with pytest.raises(GraphError, match=r"max_sizes.*one for each of 1"):
        checked(
            "prior_box",
            {"Input": FEATURE, "Image": IMAGE},
            {"min_sizes": [1.0], "max_sizes": [2.0, 3.0]},
            GRID,
        )
    with pytest.raises(GraphError, match="densities"):
        checked("density_prior_box", {"Input": FEATURE, "Image": IMAGE}, {"fixed_sizes": [1.0]}, GRID)
    with pytest.raises(ExecutionError, match="share_location"):
        checked("decode_bboxes", {"Loc": draw(1, 4), "Prior": draw(1, 2, 4)}, {"share_location": False})
