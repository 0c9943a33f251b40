"""Ops whose attributes make them return their input unchanged are removed."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "identity_op_eliminate_pass"


@pytest.mark.parametrize(
    "op",
    [
        "concat(X=%x) {axis=1}",
        "sum(X=%x)",
        "split(X=%x) {axis=1, num=1}",
        "split(X=%x) {axis=1, sections=[3]}",
        "slice(Input=%x) {axes=[1], starts=[0], ends=[3]}",
        "slice(Input=%x) {axes=[0, 1], starts=[0, 0], ends=[2147483647, 9]}",
        "strided_slice(Input=%x) {axes=[1], starts=[0], ends=[3], strides=[1]}",
        "tile(X=%x) {repeat_times=[1, 1]}",
        "pad_nd(X=%x) {paddings=[0, 0, 0, 0]}",
    ],
)
def test_an_identity_is_removed(op: str) -> None:
    text = f"""
        graph main(%x: float32[?,3]) {{
          %a = {op} : float32[?,3]
          %y = relu(X=%a) : float32[?,3]
          return %y, %a
        }}
        """
    check(PASS, text, "graph main(%x: float32[?,3]) {\n%y = relu(X=%x) : float32[?,3]\nreturn %y, a=%x\n}")
    check_fused(PASS, text, ["relu"])


def test_a_padding_by_nothing_is_removed_with_its_number() -> None:
    check(
        PASS,
        """graph main(%x: uint8[2,3], %v: uint8[]) {
          %a = pad_nd(X=%x, Value=%v) {paddings=[0, 0, 0, 0]} : uint8[2,3]
          return %a
        }""",
        "graph main(%x: uint8[2,3], %v: uint8[]) {\nreturn a=%x\n}",
    )


@pytest.mark.parametrize(
    ("shape", "op"),
    [
        ("2,3", "expand_v2(X=%x) {shape=[2, -1]}"),
        ("2,3,4,5", "pad_nd(X=%x) {paddings=[0, 0], axes=[2]}"),
    ],
)
def test_an_identity_by_known_shape_is_removed(shape: str, op: str) -> None:
    text = f"graph main(%x: float32[{shape}]) {{\n%a = {op} : float32[{shape}]\nreturn %a\n}}"
    check(PASS, text, f"graph main(%x: float32[{shape}]) {{\nreturn a=%x\n}}")


@pytest.mark.parametrize(
    ("op", "shape"),
    [
        ("concat(X=[%x, %x]) {axis=1}", "?,6"),
        ("concat(X=%x, AxisTensor=%i)", "?,3"),
        ("split(X=%x) {axis=1, num=3}", "?,1], float32[?,1], float32[?,1"),
        ("slice(Input=%x) {axes=[1], starts=[0], ends=[2]}", "?,2"),
        ("slice(Input=%x) {axes=[1], starts=[1], ends=[3]}", "?,2"),
        ("slice(Input=%x) {axes=[0], starts=[0], ends=[3]}", "?,3"),
        ("slice(Input=%x) {axes=[1], starts=[0], ends=[1], decrease_axis=[1]}", "?"),
        ("strided_slice(Input=%x) {axes=[1], starts=[0], ends=[3], strides=[2]}", "?,2"),
        ("tile(X=%x) {repeat_times=[1, 2]}", "?,6"),
        ("tile(X=%x) {repeat_times=[1, 1, 1]}", "1,?,3"),
        ("expand_v2(X=%x) {shape=[2, 3]}", "2,3"),
        ("expand_v2(X=%x) {shape=[1, -1, 3]}", "1,?,3"),
        ("pad_nd(X=%x) {paddings=[0, 0, 0, 1]}", "?,4"),
        ("concat(X=%x)", "?,3] quant([0.5], [0], -1, int8"),
    ],
)
def test_ops_that_may_change_their_input_are_kept(op: str, shape: str) -> None:
    out = "Out=[%a, %b, %c]" if op.startswith("split") else "%a"
    kind = f"float32[{shape}{')' if 'quant' in shape else ']'}"
    check_unchanged(
        PASS, f"graph main(%x: float32[?,3], %i: int32[1]) {{\n{out} = {op} : {kind}\nreturn %a\n}}"
    )
