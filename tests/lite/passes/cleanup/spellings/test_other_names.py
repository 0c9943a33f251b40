"""Ops with a second name become the op that has kernels and bridges."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged

PASS = "canonicalize_pass"
MATMUL = (
    "{trans_x=false, trans_y=false, fused_reshape_X=[], fused_reshape_Y=[], fused_reshape_Out=[], "
    "fused_transpose_X=[], fused_transpose_Y=[], fused_transpose_Out=[]}"
)


def graph(inputs: str, node: str, result: str) -> str:
    return f"graph main({inputs}) {{ {node} : {result} return %y }}"


@pytest.mark.parametrize(
    ("inputs", "before", "after", "result"),
    [
        (
            "%x: float32[1,6,2,2]",
            '%y = channel_shuffle(X=%x) {groups=3, data_format="NCHW"}',
            "%y = shuffle_channel(X=%x) {group=3}",
            "float32[1,6,2,2]",
        ),
        (
            "%x: float32[3,4], %i: int64[3,2]",
            "%y = index_sample(X=%x, Index=%i)",
            "Result=%y = take_along_axis(Index=%i, Input=%x) {Axis=1}",
            "float32[3,2]",
        ),
        (
            "%x: float32[3,4], %v: float32[4]",
            "%y = mv(X=%x, Vec=%v)",
            f"%y = matmul_v2(X=%x, Y=%v) {MATMUL}",
            "float32[3]",
        ),
    ],
    ids=["channel_shuffle", "index_sample", "mv"],
)
def test_another_name(inputs: str, before: str, after: str, result: str) -> None:
    check(PASS, graph(inputs, before, result), graph(inputs, after, result))


def test_channels_last_have_no_other_name() -> None:
    node = '%y = channel_shuffle(X=%x) {groups=3, data_format="NHWC"}'
    check_unchanged(PASS, graph("%x: float32[1,2,2,6]", node, "float32[1,2,2,6]"))
