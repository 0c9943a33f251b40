"""Copies between targets that do not share memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lite.errors import PassError
from lite.ir.text import parse_graph
from lite.ir.types import Place
from lite.passes.aliases import resolve
from lite.plugin.kernel.target import TARGETS, register_target
from tests.lite.passes.check import check, check_unchanged, run_pass
from tests.support.fake_targets import fake_target

PASS = "type_target_cast_pass"


@pytest.fixture(autouse=True)
def _targets() -> Iterator[None]:
    """Two targets with memory of their own, and one that reads the host's."""
    mem, mem2, lib = Place("mem"), Place("mem2"), Place("lib")
    with (
        fake_target(mem, ["relu"], own_memory=True),
        fake_target(mem2, ["relu"], own_memory=True),
        fake_target(lib, ["relu"]),
    ):
        yield


def test_values_are_copied_and_back() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2] @host/float32/nchw) {
          %y = relu(X=%x) @mem/any/any : float32[2] @mem/float32/nchw
          %z = tanh(X=%y) @host/any/any : float32[2] @host/float32/nchw
          return %z, %y
        }
        """,
        """
        graph main(%x: float32[2] @host/float32/nchw) {
          %x.mem = io_copy(X=%x) {source="host", destination="mem"} @mem/any/any
            : float32[2] @mem/float32/nchw
          %y = relu(X=%x.mem) @mem/any/any : float32[2] @mem/float32/nchw
          %y.host = io_copy(X=%y) {source="mem", destination="host"} @mem/any/any
            : float32[2] @host/float32/nchw
          %z = tanh(X=%y.host) @host/any/any : float32[2] @host/float32/nchw
          return %z, y=%y.host
        }
        """,
    )


def test_all_readers_on_a_target_share_one_copy() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2] @host/float32/nchw) {
          %a = tanh(X=%x) @host/any/any : float32[2] @host/float32/nchw
          %b = relu(X=%a) @mem/any/any : float32[2] @mem/float32/nchw
          %c = elementwise_add(X=%a, Y=%b) @mem/any/any : float32[2] @mem/float32/nchw
          %d = elementwise_add(X=%a, Y=%a) @host/any/any : float32[2] @host/float32/nchw
          %e = elementwise_add(X=%d, Y=%c) @lib/any/any : float32[2] @lib/float32/nchw
          return %e
        }
        """,
        """
        graph main(%x: float32[2] @host/float32/nchw) {
          %a = tanh(X=%x) @host/any/any : float32[2] @host/float32/nchw
          %a.mem = io_copy(X=%a) {source="host", destination="mem"} @mem/any/any
            : float32[2] @mem/float32/nchw
          %b = relu(X=%a.mem) @mem/any/any : float32[2] @mem/float32/nchw
          %c = elementwise_add(X=%a.mem, Y=%b) @mem/any/any : float32[2] @mem/float32/nchw
          %c.host = io_copy(X=%c) {source="mem", destination="host"} @mem/any/any
            : float32[2] @host/float32/nchw
          %d = elementwise_add(X=%a, Y=%a) @host/any/any : float32[2] @host/float32/nchw
          %e = elementwise_add(X=%d, Y=%c.host) @lib/any/any : float32[2] @lib/float32/nchw
          return %e
        }
        """,
    )


def test_each_version_of_a_variable_has_its_copies() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2] @host/float32/nchw) {
          %v = tanh(X=%x) @host/any/any : float32[2] @host/float32/nchw
          %a = relu(X=%v) @mem/any/any : float32[2] @mem/float32/nchw
          %v#1 = exp(X=%x) @host/any/any : float32[2] @host/float32/nchw
          %b = elementwise_add(X=%a, Y=%v#1) @mem/any/any : float32[2] @mem/float32/nchw
          return %b
        }
        """,
        """
        graph main(%x: float32[2] @host/float32/nchw) {
          %v = tanh(X=%x) @host/any/any : float32[2] @host/float32/nchw
          %v.mem = io_copy(X=%v) {source="host", destination="mem"} @mem/any/any
            : float32[2] @mem/float32/nchw
          %a = relu(X=%v.mem) @mem/any/any : float32[2] @mem/float32/nchw
          %v#1 = exp(X=%x) @host/any/any : float32[2] @host/float32/nchw
          %v.mem#1 = io_copy(X=%v#1) {source="host", destination="mem"} @mem/any/any
            : float32[2] @mem/float32/nchw
          %b = elementwise_add(X=%a, Y=%v.mem#1) @mem/any/any : float32[2] @mem/float32/nchw
          %b.host = io_copy(X=%b) {source="mem", destination="host"} @mem/any/any
            : float32[2] @host/float32/nchw
          return b=%b.host
        }
        """,
    )


def test_constants_are_copied_once() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2] @host/float32/nchw) {
          %w = const float32[2] [1.0, 2.0] : float32[2] @host/float32/nchw
          %a = elementwise_add(X=%x, Y=%w) @host/any/any : float32[2] @host/float32/nchw
          %b = elementwise_mul(X=%a, Y=%w) @mem/any/any : float32[2] @mem/float32/nchw
          %c = elementwise_mul(X=%b, Y=%w) @mem/any/any : float32[2] @mem/float32/nchw
          return %c
        }
        """,
        """
        graph main(%x: float32[2] @host/float32/nchw) {
          %w = const float32[2] [1.0, 2.0] : float32[2] @host/float32/nchw
          %w.mem = io_copy_once(X=%w) {source="host", destination="mem"} @mem/any/any
            : float32[2] @mem/float32/nchw
          %a = elementwise_add(X=%x, Y=%w) @host/any/any : float32[2] @host/float32/nchw
          %a.mem = io_copy(X=%a) {source="host", destination="mem"} @mem/any/any
            : float32[2] @mem/float32/nchw
          %b = elementwise_mul(X=%a.mem, Y=%w.mem) @mem/any/any : float32[2] @mem/float32/nchw
          %c = elementwise_mul(X=%b, Y=%w.mem) @mem/any/any : float32[2] @mem/float32/nchw
          %c.host = io_copy(X=%c) {source="mem", destination="host"} @mem/any/any
            : float32[2] @host/float32/nchw
          return c=%c.host
        }
        """,
    )


def test_copies_between_two_memories_pass_through_the_host() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2] @host/float32/nchw) {
          %y = relu(X=%x) @mem/any/any : float32[2] @mem/float32/nchw
          %z = relu(X=%y) @mem2/any/any : float32[2] @mem2/float32/nchw
          return %z, %y
        }
        """,
        """
        graph main(%x: float32[2] @host/float32/nchw) {
          %x.mem = io_copy(X=%x) {source="host", destination="mem"} @mem/any/any
            : float32[2] @mem/float32/nchw
          %y = relu(X=%x.mem) @mem/any/any : float32[2] @mem/float32/nchw
          %y.host = io_copy(X=%y) {source="mem", destination="host"} @mem/any/any
            : float32[2] @host/float32/nchw
          %y.host.mem2 = io_copy(X=%y.host) {source="host", destination="mem2"} @mem2/any/any
            : float32[2] @mem2/float32/nchw
          %z = relu(X=%y.host.mem2) @mem2/any/any : float32[2] @mem2/float32/nchw
          %z.host = io_copy(X=%z) {source="mem2", destination="host"} @mem2/any/any
            : float32[2] @host/float32/nchw
          return z=%z.host, y=%y.host
        }
        """,
    )


def test_arguments_and_results_of_blocks_are_on_the_host() -> None:
    check(
        PASS,
        """
        graph main(%c: bool[1] @host/bool/nchw, %x: float32[2] @host/float32/nchw) {
          %a = relu(X=%x) @mem/any/any : float32[2] @mem/float32/nchw
          %y = conditional_block(Cond=%c, Input=%a) {carried=1} : float32[2] @host/float32/nchw
            graph block1(%a: float32[2] @host/float32/nchw) {
              %y = relu(X=%a) @mem/any/any : float32[2] @mem/float32/nchw
              return %y
            }
          %z = relu(X=%y) @mem/any/any : float32[2] @mem/float32/nchw
          return %z
        }
        """,
        """
        graph main(%c: bool[1] @host/bool/nchw, %x: float32[2] @host/float32/nchw) {
          %x.mem = io_copy(X=%x) {source="host", destination="mem"} @mem/any/any
            : float32[2] @mem/float32/nchw
          %a = relu(X=%x.mem) @mem/any/any : float32[2] @mem/float32/nchw
          %a.host = io_copy(X=%a) {source="mem", destination="host"} @mem/any/any
            : float32[2] @host/float32/nchw
          %y = conditional_block(Cond=%c, Input=%a.host) {carried=1} : float32[2] @host/float32/nchw
            graph block1(%a: float32[2] @host/float32/nchw) {
              %a.mem = io_copy(X=%a) {source="host", destination="mem"} @mem/any/any
                : float32[2] @mem/float32/nchw
              %y = relu(X=%a.mem) @mem/any/any : float32[2] @mem/float32/nchw
              %y.host = io_copy(X=%y) {source="mem", destination="host"} @mem/any/any
                : float32[2] @host/float32/nchw
              return y=%y.host
            }
          %y.mem = io_copy(X=%y) {source="host", destination="mem"} @mem/any/any
            : float32[2] @mem/float32/nchw
          %z = relu(X=%y.mem) @mem/any/any : float32[2] @mem/float32/nchw
          %z.host = io_copy(X=%z) {source="mem", destination="host"} @mem/any/any
            : float32[2] @host/float32/nchw
          return z=%z.host
        }
        """,
    )


def test_targets_in_host_memory_need_no_copies() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%x: float32[2] @host/float32/nchw) {
          %w = const float32[2] [1.0, 2.0] : float32[2] @host/float32/nchw
          %y = relu(X=%x) @lib/any/any : float32[2] @lib/float32/nchw
          %z = elementwise_add(X=%y, Y=%w) @host/any/any : float32[2] @host/float32/nchw
          return %z, %y, %x
        }
        """,
    )


def test_a_target_without_copying_kernels_is_an_error() -> None:
    register_target("walled", own_memory=True)
    graph = parse_graph("graph main(%x: float32[2]) { %y = relu(X=%x) @walled/any/any return %y }")

    with pytest.raises(PassError, match="no kernel for io_copy on walled; the target must bring one"):
        run_pass(PASS, graph)
    TARGETS.remove("walled")


def test_io_copy_kernel_pick_pass_is_an_alias() -> None:
    assert resolve("io_copy_kernel_pick_pass") == PASS
