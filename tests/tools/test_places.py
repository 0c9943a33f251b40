"""Places as text."""

from __future__ import annotations

import click
import pytest

from lite.ir.types import DType, Layout, Place
from lite.tools.places import read_places


def test_targets_with_or_without_dtype_and_layout() -> None:
    assert read_places("x86, npu/float16,gpu/any/nhwc, host/float32/nchw,") == [
        Place("x86"),
        Place("npu", DType.FLOAT16),
        Place("gpu", None, Layout.NHWC),
        Place("host", DType.FLOAT32, Layout.NCHW),
    ]
    assert read_places("") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/float32", "expected target"),
        ("a/any/any/any", "expected target"),
        ("npu/float23", "did you mean 'float32'"),
        ("npu/any/nchv", "'npu/any/nchv': 'nchv' is not a valid Layout"),
    ],
)
def test_what_is_no_place(text: str, message: str) -> None:
    with pytest.raises(click.BadParameter, match=message):
        read_places(text)
