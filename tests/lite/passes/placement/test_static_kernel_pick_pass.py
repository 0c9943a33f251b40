"""The choice of a kernel for each op."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lite.errors import PassError
from lite.ir.text import parse_graph
from lite.ir.types import HOST, DType, Layout, Place
from lite.passes.base import PassContext
from lite.plugin.kernel import Array, kernel, kernels_of, unregister
from tests.lite.passes.check import check, check_unchanged, run_pass

PASS = "static_kernel_pick_pass"
F16, F32 = DType.FLOAT16, DType.FLOAT32


@pytest.fixture
def kernels() -> Iterator[None]:
    """Kernels of relu on a target of this test's own."""
    places = [
        Place("fake", None, Layout.NHWC),
        Place("fake", None, Layout.ANY),
        Place("fake", F32, Layout.NCHW),
        Place("fake", F16, Layout.NCHW),
    ]
    for place in places:
        kernel("relu", place.target, dtype=place.dtype, layout=place.layout)(_relu)
    yield
    for place in places:
        unregister("relu", place)


def _relu(X: Array) -> Array:
    return X


def test_the_host_runs_everything_at_every_level() -> None:
    check(
        PASS,
        """
        graph main(%c: bool[1], %x: float32[2]) {
          %y = conditional_block(Cond=%c, Input=%x) {carried=0}
            graph block1(%x: float32[2]) {
              %y = relu(X=%x) : float32[2]
              return %y
            }
          %z = tanh(X=%y)
          return %z
        }
        """,
        """
        graph main(%c: bool[1], %x: float32[2]) {
          %y = conditional_block(Cond=%c, Input=%x) {carried=0}
            graph block1(%x: float32[2]) {
              %y = relu(X=%x) @host/any/any : float32[2]
              return %y
            }
          %z = tanh(X=%y) @host/any/any
          return %z
        }
        """,
    )


def test_a_graph_without_nodes_does_not_change() -> None:
    check_unchanged(PASS, "graph main(%x: float32[2]) { return %x }")


@pytest.mark.parametrize(
    ("places", "dtype", "picked"),
    [
        ([], "float32", "host/any/any"),
        ([Place("fake")], "float32", "fake/float32/nchw"),
        ([Place("fake")], "float16", "fake/float16/nchw"),
        ([Place("fake")], "float64", "fake/any/any"),
        ([Place("fake", None, Layout.NHWC)], "float64", "fake/any/nhwc"),
        ([Place("fake", None, Layout.NHWC)], "float32", "fake/any/nhwc"),
        ([Place("fake", None, Layout.NCHW)], "float64", "fake/any/any"),
        ([Place("fake", F16)], "float32", "fake/float16/nchw"),
        ([Place("fake", F16)], "int32", "fake/any/any"),
        ([Place("fake", F32)], "float16", "fake/float32/nchw"),
        ([Place("fake", DType.FLOAT64)], "float32", "fake/any/any"),
        ([Place(HOST), Place("fake")], "float32", "host/any/any"),
        ([Place("fake"), Place(HOST)], "float32", "fake/float32/nchw"),
        ([Place("none"), Place("fake", F32, Layout.NCHW)], "float32", "fake/float32/nchw"),
        ([Place("none")], "float32", "host/any/any"),
    ],
)
def test_place_counts_before_dtype_before_layout(
    kernels: None, places: list[Place], dtype: str, picked: str
) -> None:
    graph = parse_graph(f"graph main(%x: {dtype}[2]) {{ %y = relu(X=%x) return %y }}")

    run_pass(PASS, graph, PassContext(tuple(places)))

    assert [str(node.place) for node in graph] == [picked]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
@pytest.mark.parametrize("strict", [False, True])
def test_kernels_for_float32_run_ops_of_smaller_types(dtype: str, strict: bool) -> None:
    def tanh(X: Array) -> Array:
        return X

    kernel("tanh", "fake", dtype=F32)(tanh)
    graph = parse_graph(f"graph main(%x: {dtype}[2]) {{ %y = tanh(X=%x) return %y }}")

    run_pass(PASS, graph, PassContext((Place("fake"),), strict=strict))
    unregister("tanh", Place("fake", F32))

    widens = dtype != "float64" and not strict
    assert [str(node.place) for node in graph] == ["fake/float32/any" if widens else "host/any/any"]


def test_ops_that_the_model_has_in_nhwc_get_no_nhwc_kernel() -> None:
    def pool2d(X: Array) -> Array:
        return X

    kernel("pool2d", "fake", layout=Layout.NHWC)(pool2d)
    graph = parse_graph(
        """
        graph main(%x: float32[1,2,4,4]) {
          %a = pool2d(X=%x) {data_format="NCHW"} : float32[1,2,4,4]
          %b = pool2d(X=%a) {data_format="NHWC"} : float32[1,2,4,4]
          return %b
        }
        """
    )

    run_pass(PASS, graph, PassContext((Place("fake"),)))
    unregister("pool2d", Place("fake", None, Layout.NHWC))

    assert [str(node.place) for node in graph] == ["fake/any/nhwc", "host/any/any"]


def test_all_ops_without_a_kernel_are_listed() -> None:
    graph = parse_graph(
        """
        graph main(%c: bool[1], %x: float32[2]) {
          %y = conditional_block(Cond=%c, Input=%x) {carried=0}
            graph block1(%x: float32[2]) {
              %a = tahn(X=%x)
              %b = no_such_op(X=%a)
              return y=%b
            }
          %a = no_such_op(X=%x)
          %z = relu(X=%y)
          return %a, %z
        }
        """
    )

    with pytest.raises(PassError) as error:
        run_pass(PASS, graph, PassContext((Place("fake"),)))

    text = str(error.value)
    assert "no kernel for 2 op types (places tried: fake/any/any, host/any/any):\n" in text
    assert "\n  no_such_op × 2: the op is unknown" in text
    assert "\n  tahn × 1: the op is unknown; did you mean 'tan', 'tanh'" in text
    assert "relu" not in text


def test_the_error_names_targets_with_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host has a kernel for every op, so its kernels are hidden here."""
    kernel("relu", "fake", dtype=F16)(_relu)
    fake_kernels = [entry for entry in kernels_of("relu") if entry.place.target == "fake"]
    module = "lite.passes.placement.static_kernel_pick_pass"
    monkeypatch.setattr(f"{module}.kernels_of", lambda op: fake_kernels if op == "relu" else [])
    graph = parse_graph("graph main(%x: float32[2]) { %y = relu(X=%x) %z = tanh(X=%y) return %z }")

    try:
        with pytest.raises(PassError) as error:
            run_pass(PASS, graph)
    finally:
        unregister("relu", Place("fake", F16))

    assert "relu × 1: there are kernels for fake/float16/any" in str(error.value)
    assert "tanh × 1: no target has one" in str(error.value)
