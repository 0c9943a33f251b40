"""The last check that every kernel can read its inputs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lite.errors import PassError
from lite.ir.text import parse_graph
from lite.ir.types import Layout, Place
from tests.lite.passes.check import check_unchanged, run_pass
from tests.support.fake_targets import fake_target

PASS = "runtime_context_assign_pass"


@pytest.fixture(autouse=True)
def _targets() -> Iterator[None]:
    """A target with memory of its own, and one with kernels for NHWC."""
    nhwc = Place("nhwc", None, Layout.NHWC)
    with fake_target(Place("mem"), ["relu"], own_memory=True), fake_target(nhwc, ["relu"]):
        yield


def test_a_placed_graph_passes() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%c: bool[1] @host/bool/nchw, %x: float32[1,2,3,4] @host/float32/nchw) {
          %m = io_copy(X=%x) {source="host", destination="mem"} @mem/any/any
            : float32[1,2,3,4] @mem/float32/nchw
          %y = relu(X=%m) @mem/any/any : float32[1,2,3,4] @mem/float32/nchw
          %z = conditional_block(Cond=%c, Input=%x) {carried=1} : float32[1,2,3,4] @host/float32/nchw
            graph block1(%a: float32[1,2,3,4] @host/float32/nchw) {
              %y = relu(X=%a) @host/any/any : float32[1,2,3,4] @host/float32/nchw
              return %y
            }
          return %z
        }
        """,
    )


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ("relu(X=%x)", "relu %y: no kernel was picked; static_kernel_pick_pass must run before"),
        ("relu(X=%x) @gone/any/any", "relu %y: there is no kernel on gone/any/any"),
        (
            "relu(X=%x) @mem/any/any",
            "its kernel on mem/any/any cannot read %x on host/float32/nchw; run type_target_cast_pass after",
        ),
        (
            "relu(X=%x) @nhwc/any/nhwc",
            "its kernel on nhwc/any/nhwc cannot read %x on host/float32/nchw; run type_layout_cast_pass",
        ),
    ],
)
def test_a_node_that_cannot_run_is_an_error(node: str, message: str) -> None:
    graph = parse_graph(
        f"graph main(%x: float32[1,2,3,4] @host/float32/nchw) {{ %y = {node} : float32[1,2,3,4] return %y }}"
    )

    with pytest.raises(PassError) as error:
        run_pass(PASS, graph)

    assert message in str(error.value)
