"""deformable_conv against loops over the definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ops import get_schema
from lite.plugin.kernel import Array
from tests.kernels.host.checked import checked


def random(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def pixel(image: Array, row: float, column: float) -> float:
    total = 0.0
    for y in (int(np.floor(row)), int(np.floor(row)) + 1):
        for x in (int(np.floor(column)), int(np.floor(column)) + 1):
            if 0 <= y < image.shape[0] and 0 <= x < image.shape[1]:
                total += float(image[y, x]) * (1 - abs(row - y)) * (1 - abs(column - x))
    return total


def convolved(x: Array, offset: Array, mask: Array, w: Array, attrs: dict[str, Any]) -> Array:
    groups, parts = attrs.get("groups", 1), attrs.get("deformable_groups", 1)
    strides, paddings, dilations = attrs["strides"], attrs["paddings"], attrs["dilations"]
    outputs, per_group, kh, kw = w.shape
    result = np.zeros((len(x), outputs, *offset.shape[2:]))
    for n, o, h, v in np.ndindex(*result.shape):
        for c, i, j in np.ndindex(per_group, kh, kw):
            channel = o // (outputs // groups) * per_group + c
            tap = (channel // (x.shape[1] // parts) * kh + i) * kw + j
            row = h * strides[0] - paddings[0] + i * dilations[0] + float(offset[n, 2 * tap, h, v])
            column = v * strides[1] - paddings[1] + j * dilations[1] + float(offset[n, 2 * tap + 1, h, v])
            value = pixel(x[n, channel], row, column)
            result[n, o, h, v] += value * float(mask[n, tap, h, v]) * float(w[o, c, i, j])
    return result


@pytest.mark.parametrize(
    ("attrs", "out"),
    [
        ({"strides": [1, 1], "paddings": [1, 1], "dilations": [1, 1]}, (5, 5)),
        ({"strides": [2, 1], "paddings": [0, 2], "dilations": [2, 1]}, (1, 7)),
        ({"strides": [1, 1], "paddings": [1, 1], "dilations": [1, 1], "groups": 2}, (5, 5)),
        ({"strides": [1, 1], "paddings": [1, 1], "dilations": [1, 1], "deformable_groups": 2}, (5, 5)),
    ],
)
@pytest.mark.parametrize("masked", [True, False])
def test_deformable_conv_reads_at_moved_taps(
    attrs: dict[str, Any], out: tuple[int, int], masked: bool
) -> None:
    parts = attrs.get("deformable_groups", 1)
    x, w, bias = random(2, 4, 5, 5), random(6, 4 // attrs.get("groups", 1), 3, 3), random(6)
    offset, mask = 2 * random(2, parts * 18, *out), random(2, parts * 9, *out)
    inputs = {"Input": x, "Offset": offset, "Filter": w, "Bias": bias}

    (found,) = checked("deformable_conv", {**inputs, "Mask": mask} if masked else inputs, attrs)

    wanted = convolved(x, offset, mask if masked else np.ones_like(mask), w, attrs)
    np.testing.assert_allclose(found, wanted + bias[:, None, None], rtol=1e-4, atol=1e-4)


def test_the_first_version_is_the_second_without_a_mask() -> None:
    canonical = get_schema("deformable_conv_v1").canonical

    assert canonical is not None
    assert canonical.op == "deformable_conv"
