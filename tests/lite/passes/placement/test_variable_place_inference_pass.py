"""The places of values."""

from __future__ import annotations

from tests.lite.passes.check import check, check_unchanged

PASS = "variable_place_inference_pass"


def test_places_come_from_kernels_and_are_filled_in() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2], %u: ?[2]) {
          %w = const int64[1] [3]
          %a = relu(X=%x) @npu/float16/nhwc : float32[2]
          %b = tanh(X=%a) @npu/any/any : float32[2]
          %d = gather(X=%x, Index=%w) @host/any/any : float32[1]
          %e = no_such_op(X=%u) @npu/float16/any
          return %b, %d, %e
        }
        """,
        """
        graph main(%x: float32[2] @host/float32/nchw, %u: ?[2] @host/any/nchw) {
          %w = const int64[1] [3] : int64[1] @host/int64/nchw
          %a = relu(X=%x) @npu/float16/nhwc : float32[2] @npu/float32/nchw
          %b = tanh(X=%a) @npu/any/any : float32[2] @npu/float32/nchw
          %d = gather(X=%x, Index=%w) @host/any/any : float32[1] @host/float32/nchw
          %e = no_such_op(X=%u) @npu/float16/any : ?[*] @npu/float16/nchw
          return %b, %d, %e
        }
        """,
    )


def test_outputs_of_copies_are_at_the_destination_and_layouts_stay() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1,2,2,3]) {
          %w = const float32[1,1,1,1] [2.0] : float32[1,1,1,1] @host/float32/nhwc
          %a = io_copy(X=%x) {source="host", destination="npu"} @npu/any/any : float32[1,2,2,3]
          %b = relu(X=%a) @npu/any/any : float32[1,2,3,2] @host/float32/nhwc
          %c = io_copy(X=%b) {source="npu", destination="host"} @npu/any/any : float32[1,2,3,2]
          return %c
        }
        """,
        """
        graph main(%x: float32[1,2,2,3] @host/float32/nchw) {
          %w = const float32[1,1,1,1] [2.0] : float32[1,1,1,1] @host/float32/nhwc
          %a = io_copy(X=%x) {source="host", destination="npu"} @npu/any/any
            : float32[1,2,2,3] @npu/float32/nchw
          %b = relu(X=%a) @npu/any/any : float32[1,2,3,2] @npu/float32/nhwc
          %c = io_copy(X=%b) {source="npu", destination="host"} @npu/any/any
            : float32[1,2,3,2] @host/float32/nchw
          return %c
        }
        """,
    )


def test_values_in_blocks_have_places() -> None:
    check(
        PASS,
        """
        graph main(%c: bool[1], %x: float32[2]) {
          %y = conditional_block(Cond=%c, Input=%x) {carried=0} : float32[2]
            graph block1(%x: float32[2]) {
              %y = relu(X=%x) @npu/any/any : float32[2]
              return %y
            }
          return %y
        }
        """,
        """
        graph main(%c: bool[1] @host/bool/nchw, %x: float32[2] @host/float32/nchw) {
          %y = conditional_block(Cond=%c, Input=%x) {carried=0} : float32[2] @host/float32/nchw
            graph block1(%x: float32[2] @host/float32/nchw) {
              %y = relu(X=%x) @npu/any/any : float32[2] @npu/float32/nchw
              return %y
            }
          return %y
        }
        """,
    )


def test_an_empty_graph_does_not_change() -> None:
    check_unchanged(PASS, "graph main() { return }")
