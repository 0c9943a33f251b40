"""Chains of ops that only change the shape."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "redundant_view_eliminate_pass"


def test_views_that_restore_the_shape_are_removed() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[?,8,4]) {
          %a = unsqueeze2(X=%x) {axes=[1]} : float32[?,1,8,4]
          %b = reshape2(X=%a) {shape=[0, 8, 4]} : float32[?,8,4]
          %y = relu(X=%b) : float32[?,8,4]
          return %y, %b
        }
        """,
        """
        graph main(%x: float32[?,8,4]) {
          %y = relu(X=%x) : float32[?,8,4]
          return %y, b=%x
        }
        """,
    )


def test_two_reshapes_become_one() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[?,8,4]) {
          %a = flatten_contiguous_range(X=%x) {start_axis=1, stop_axis=2} : float32[?,32]
          %y = reshape2(X=%a) {shape=[0, 2, 16]} : float32[?,2,16]
          return %y
        }
        """,
        """
        graph main(%x: float32[?,8,4]) {
          %y = reshape2(X=%x) {shape=[0, 2, 16]} : float32[?,2,16]
          return %y
        }
        """,
    )


@pytest.mark.parametrize(
    ("x", "views", "ops"),
    [
        (
            "?,6,1,1",
            [
                "squeeze2(X=%V) {axes=[2, 3]} : float32[?,6]",
                "reshape2(X=%V) {shape=[-1, 2, 3]} : float32[?,2,3]",
            ],
            1,
        ),
        (
            "?,?,6",
            [
                "reshape2(X=%V) {shape=[0, 0, 2, 3]} : float32[*]",
                "reshape2(X=%V) {shape=[0, 0, 6]} : float32[*]",
            ],
            0,
        ),
        (
            "?,?,6",
            [
                "reshape2(X=%V) {shape=[0, -1, 2, 3]} : float32[*]",
                "reshape2(X=%V) {shape=[0, -1, 3, 2]} : float32[*]",
            ],
            1,
        ),
        (
            "2,3,4",
            ["reshape2(X=%V) {shape=[24]} : float32[24]", "reshape2(X=%V) {shape=[4, 6]} : float32[4,6]"],
            1,
        ),
        ("2,3,4", ["reshape2(X=%V) {shape=[2, -1, 0]} : float32[2,3,4]"], 0),
        ("?,4", ["reshape2(X=%V) {shape=[-1, 4]} : float32[?,4]"], 0),
        ("?,4", ["flatten2(X=%V) {axis=1} : float32[?,4]"], 0),
        ("2,1,4", ["squeeze2(X=%V) {axes=[0]} : float32[2,1,4]"], 0),
        (
            "2,3,4",
            [
                "reshape2(X=%V) {shape=[6, 4]} : float32[6,4]",
                "unsqueeze2(X=%V) {axes=[0]} : float32[1,6,4]",
                "squeeze2(X=%V) {axes=[]} : float32[6,4]",
                "reshape2(X=%V) {shape=[2, 12]} : float32[2,12]",
            ],
            1,
        ),
    ],
)
def test_chains_of_every_kind_of_view_are_shortened(x: str, views: list[str], ops: int) -> None:
    lines = [f"%v{n + 1} = {view.replace('%V', f'%v{n}')}" for n, view in enumerate(views)]
    text = f"graph main(%v0: float32[{x}]) {{\n" + "\n".join(lines) + f"\nreturn out=%v{len(views)}\n}}"
    check_fused(PASS, text, ["reshape2"] * ops)


def test_a_view_with_other_users_is_kept() -> None:
    text = """
        graph main(%x: float32[2,3,4]) {
          %a = reshape2(X=%x) {shape=[6, 4]} : float32[6,4]
          %y = reshape2(X=%a) {shape=[3, 8]} : float32[3,8]
          return %y, %a
        }
        """
    check(PASS, text, text.replace("X=%a", "X=%x"))


@pytest.mark.parametrize(
    "body",
    [
        "%y = reshape2(X=%x) {shape=[-1, 4]} : float32[?,4]",
        "%a = relu(X=%x) : float32[?,8,4]\n%y = reshape2(X=%a) {shape=[0, 4, 8]} : float32[?,4,8]",
        "%y = reshape2(X=%x, Shape=%s) : float32[?,8,4]",
        "%y = reshape2(X=%x) {shape=[0, 8, 4]} : float32[?,8,4] quant([0.5], [0], -1, int8)",
        "%y, XShape=%h = reshape2(X=%x) {shape=[0, 8, 4]} : float32[?,8,4], float32[0,?,8,4]",
    ],
)
def test_necessary_views_are_kept(body: str) -> None:
    check_unchanged(PASS, f"graph main(%x: float32[?,8,4], %s: int32[3]) {{\n{body}\nreturn %y\n}}")


def test_two_views_with_an_unknown_size_in_another_place_become_one() -> None:
    first = "%a = reshape2(X=%x) {shape=[-1, 4]} : float32[?,4]"
    text = """
        graph main(%x: float32[?,8,4]) {
          FIRST
          %y = reshape2(X=%a) {shape=[8, -1, 4]} : float32[8,?,4]
          return %y
        }
        """
    check(PASS, text.replace("FIRST", first), text.replace("FIRST", "").replace("X=%a", "X=%x"))


def test_declared_sizes_are_ignored_in_a_loop() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%c: bool[1], %x: float32[2,4]) {
          %c#1, %x#1 = while(Condition=%c, X=%x) {carried=2}
            graph block1(%c: bool[1], %x: float32[2,4]) {
              %y = reshape2(X=%x) {shape=[2, 4]} : float32[2,4]
              %z = concat(X=[%y, %y]) {axis=0} : float32[4,4]
              return c=%c, x=%z
            }
          return %x#1
        }
        """,
    )
