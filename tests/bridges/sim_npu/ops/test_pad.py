from __future__ import annotations

import pytest

from tests.bridges.region import check
from tests.bridges.sim_npu.opened import nodes_of, opened, reason
from tests.bridges.sim_npu.sdk.program_run import floats


def text(op: str, attributes: str, shape: tuple[int, ...]) -> str:
    return f"graph main(%x: float32{list(shape)}) {{ %y = {op}(X=%x) {{{attributes}}} return %y }}"


@pytest.mark.parametrize(
    ("op", "attributes", "shape"),
    [
        ("pad", "paddings=[1, 2, 0, 3], pad_value=2.5", (2, 3)),
        ("pad2d", "paddings=[1, 2, 3, 4], pad_value=-1.0", (2, 3, 4, 5)),
        ("pad2d", 'paddings=[1, 2, 3, 4], data_format="NHWC"', (2, 4, 5, 3)),
        ("pad3d", "paddings=[1, 2, 3, 4, 5, 6], value=0.5", (1, 2, 2, 3, 4)),
        ("pad3d", 'paddings=[1, 2, 3, 4, 5, 6], data_format="NDHWC"', (1, 2, 3, 4, 2)),
        ("pad_nd", "paddings=[1, 0, 2, 3], value=7.0", (2, 3)),
        ("pad_nd", "paddings=[1, 2], axes=[-1]", (2, 3)),
    ],
)
def test_borders(op: str, attributes: str, shape: tuple[int, ...]) -> None:
    check(opened(), text(op, attributes, shape), floats(*shape))
    assert nodes_of(text(op, attributes, shape)) == {"PAD": 1}


@pytest.mark.parametrize(
    ("op", "attributes", "shape", "sentence"),
    [
        (
            "pad2d",
            'paddings=[1, 1, 1, 1], mode="reflect"',
            (1, 1, 4, 4),
            "the mode is reflect; the device fills with a constant",
        ),
        ("pad", "paddings=[-1, 2]", (3,), "paddings are [-1, 2]; the device's only add"),
    ],
)
def test_declined(op: str, attributes: str, shape: tuple[int, ...], sentence: str) -> None:
    assert reason(text(op, attributes, shape)) == sentence
