"""Casts around kernels that are declared for one element type."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from lite.ir.types import DType, Place
from tests.lite.passes.check import check, check_unchanged, constants_of
from tests.support.fake_targets import fake_target

PASS = "type_precision_cast_pass"


@pytest.fixture(autouse=True)
def _targets() -> Iterator[None]:
    """A target that computes in half precision."""
    with fake_target(Place("half", DType.FLOAT16), ["relu"]):
        yield


def test_values_are_cast_and_back() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2]) {
          %a = relu(X=%x) @half/float16/any : float32[2] @half/float32/nchw
          %b = relu(X=%a) @half/float16/any : float32[2]
          %c = tanh(X=%b) @host/any/any : float32[2]
          return %c, %a
        }
        """,
        """
        graph main(%x: float32[2]) {
          %x.float16 = calib(X=%x) {in_dtype=5, out_dtype=4} @host/any/any : float16[2] @host/float16/nchw
          %a = relu(X=%x.float16) @half/float16/any : float16[2] @half/float16/nchw
          %a.float32 = calib(X=%a) {in_dtype=4, out_dtype=5} @host/any/any : float32[2] @host/float32/nchw
          %b = relu(X=%a) @half/float16/any : float16[2]
          %b.float32 = calib(X=%b) {in_dtype=4, out_dtype=5} @host/any/any : float32[2] @host/float32/nchw
          %c = tanh(X=%b.float32) @host/any/any : float32[2]
          return %c, a=%a.float32
        }
        """,
    )


def test_constants_become_new_constants() -> None:
    graph = check(
        PASS,
        """
        graph main(%x: float32[2]) {
          %w = const float32[2] [0.1, 70000.0]
          %v = const float32[2] [1.0, 2.0]
          %a = elementwise_add(X=%x, Y=%w) @half/float16/any : float32[2]
          %b = elementwise_add(X=%a, Y=%w) @half/float16/any : float32[2]
          %c = elementwise_add(X=%b, Y=%v) @half/float16/any : float32[2]
          %d = elementwise_add(X=%c, Y=%v) @host/any/any : float32[2]
          return %d
        }
        """,
        """
        graph main(%x: float32[2]) {
          %v = const float32[2] [1.0, 2.0]
          %w.float16 = const float16[2] [0.1, inf] : float16[2] @host/float16/nchw
          %v.float16 = const float16[2] [1.0, 2.0] : float16[2] @host/float16/nchw
          %x.float16 = calib(X=%x) {in_dtype=5, out_dtype=4} @host/any/any : float16[2] @host/float16/nchw
          %a = elementwise_add(X=%x.float16, Y=%w.float16) @half/float16/any : float16[2]
          %b = elementwise_add(X=%a, Y=%w.float16) @half/float16/any : float16[2]
          %c = elementwise_add(X=%b, Y=%v.float16) @half/float16/any : float16[2]
          %c.float32 = calib(X=%c) {in_dtype=4, out_dtype=5} @host/any/any : float32[2] @host/float32/nchw
          %d = elementwise_add(X=%c.float32, Y=%v) @host/any/any : float32[2]
          return %d
        }
        """,
    )
    assert constants_of(graph)["w.float16"].dtype == np.float16


def test_integers_are_not_cast_and_output_types_are_inferred() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[3], %i: int32[1]) {
          %a = gather(X=%x, Index=%i) @half/float16/any : float32[1]
          %b = arg_max(X=%x) {axis=0} @half/float16/any : int64[]
          %c = gather(X=%i, Index=%i) @half/float16/any : int32[1]
          %d = cast(X=%x) {in_dtype=5, out_dtype=6} @half/float16/any : float64[3]
          return %a, %b, %c, %d
        }
        """,
        """
        graph main(%x: float32[3], %i: int32[1]) {
          %x.float16 = calib(X=%x) {in_dtype=5, out_dtype=4} @host/any/any : float16[3] @host/float16/nchw
          %a = gather(X=%x.float16, Index=%i) @half/float16/any : float16[1]
          %a.float32 = calib(X=%a) {in_dtype=4, out_dtype=5} @host/any/any : float32[1] @host/float32/nchw
          %b = arg_max(X=%x.float16) {axis=0} @half/float16/any : int64[]
          %c = gather(X=%i, Index=%i) @half/float16/any : int32[1]
          %d = cast(X=%x.float16) {in_dtype=5, out_dtype=6} @half/float16/any : float64[3]
          return a=%a.float32, %b, %c, %d
        }
        """,
    )


def test_views_read_any_type() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2,3]) {
          %a = relu(X=%x) @half/float16/any : float32[2,3]
          %b = reshape2(X=%a) {shape=[3, 2]} @host/any/any : float32[3,2]
          %c = relu(X=%b) @half/float16/any : float32[3,2]
          return %c
        }
        """,
        """
        graph main(%x: float32[2,3]) {
          %x.float16 = calib(X=%x) {in_dtype=5, out_dtype=4} @host/any/any : float16[2,3] @host/float16/nchw
          %a = relu(X=%x.float16) @half/float16/any : float16[2,3]
          %b = reshape2(X=%a) {shape=[3, 2]} @host/any/any : float16[3,2]
          %c = relu(X=%b) @half/float16/any : float16[3,2]
          %c.float32 = calib(X=%c) {in_dtype=4, out_dtype=5} @host/any/any : float32[3,2] @host/float32/nchw
          return c=%c.float32
        }
        """,
    )


def test_blocks_keep_the_types_of_the_model() -> None:
    check(
        PASS,
        """
        graph main(%c: bool[1], %x: float32[2]) {
          %a = relu(X=%x) @half/float16/any : float32[2]
          %y = conditional_block(Cond=%c, Input=%a) {carried=1} : float32[2]
            graph block1(%a: float32[2]) {
              %y = relu(X=%a) @half/float16/any : float32[2]
              return %y
            }
          return %y
        }
        """,
        """
        graph main(%c: bool[1], %x: float32[2]) {
          %x.float16 = calib(X=%x) {in_dtype=5, out_dtype=4} @host/any/any : float16[2] @host/float16/nchw
          %a = relu(X=%x.float16) @half/float16/any : float16[2]
          %a.float32 = calib(X=%a) {in_dtype=4, out_dtype=5} @host/any/any : float32[2] @host/float32/nchw
          %y = conditional_block(Cond=%c, Input=%a.float32) {carried=1} : float32[2]
            graph block1(%a: float32[2]) {
              %a.float16 = calib(X=%a) {in_dtype=5, out_dtype=4} @host/any/any : float16[2] @host/float16/nchw
              %y = relu(X=%a.float16) @half/float16/any : float16[2]
              %y.float32 = calib(X=%y) {in_dtype=4, out_dtype=5} @host/any/any
                : float32[2] @host/float32/nchw
              return y=%y.float32
            }
          return %y
        }
        """,
    )


def test_each_version_of_a_variable_has_its_casts() -> None:
    check(
        PASS,
        """
        graph main(%v: float32[2]) {
          %a = relu(X=%v) @half/float16/any : float32[2]
          %v#1 = tanh(X=%v) @host/any/any : float32[2]
          %b = elementwise_add(X=%a, Y=%v#1) @half/float16/any : float32[2]
          return %b
        }
        """,
        """
        graph main(%v: float32[2]) {
          %v.float16 = calib(X=%v) {in_dtype=5, out_dtype=4} @host/any/any : float16[2] @host/float16/nchw
          %a = relu(X=%v.float16) @half/float16/any : float16[2]
          %v#1 = tanh(X=%v) @host/any/any : float32[2]
          %v.float16#1 = calib(X=%v#1) {in_dtype=5, out_dtype=4} @host/any/any
            : float16[2] @host/float16/nchw
          %b = elementwise_add(X=%a, Y=%v.float16#1) @half/float16/any : float16[2]
          %b.float32 = calib(X=%b) {in_dtype=4, out_dtype=5} @host/any/any : float32[2] @host/float32/nchw
          return b=%b.float32
        }
        """,
    )


def test_quantised_values_are_cast_with_their_scales() -> None:
    check(
        PASS,
        """
        graph main(%x: int8[2] quant([0.5], [1], 0, int8), %f: float32[2] quant([0.25], [0], 0, int8)) {
          %w = const int8[2] [3, -1] : int8[2] quant([0.5, 2.0], [1, 0], 0, int8)
          %a = elementwise_add(X=%x, Y=%w) @half/float16/any : float16[2]
          %b = relu(X=%f) @npu/int8/any : float32[2]
          return %a
        }
        """,
        """
        graph main(%x: int8[2] quant([0.5], [1], 0, int8), %f: float32[2] quant([0.25], [0], 0, int8)) {
          %w.float16 = const float16[2] [1.0, -2.0] : float16[2] @host/float16/nchw
          %x.float16 = calib(X=%x) {in_dtype=21, out_dtype=4, scale=[0.5], zero_point=[1], axis=0}
            @host/any/any
            : float16[2] @host/float16/nchw
          %f.int8 = calib(X=%f) {in_dtype=5, out_dtype=21, scale=[0.25], zero_point=[0], axis=0} @host/any/any
            : int8[2] quant([0.25], [0], 0, int8) @host/int8/nchw
          %a = elementwise_add(X=%x.float16, Y=%w.float16) @half/float16/any : float16[2]
          %b = relu(X=%f.int8) @npu/int8/any : int8[2]
          return %a
        }
        """,
    )


def test_without_typed_kernels_the_graph_does_not_change() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%x: float16[2], %y: float32[2]) {
          %w = const float32[2] [1.0, 2.0]
          %a = relu(X=%x) @half/float16/any : float16[2]
          %b = elementwise_add(X=%y, Y=%w) @host/any/any : float32[2]
          return %a, %b, %x
        }
        """,
    )
    check_unchanged(PASS, "graph main(%x: float32[2]) { %y = relu(X=%x) @host/any/any return %y }")
