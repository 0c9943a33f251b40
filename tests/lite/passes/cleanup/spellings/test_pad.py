"""pad, pad2d and pad3d become pad_nd with the same elements as numpy's pad."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.text import parse_graph
from lite.ir.verify import verify
from lite.plugin.kernel import Array
from tests.lite.passes.check import run_pass
from tests.support.interpreter.tensors import run_graph

NUMPY_MODES = {
    "constant": "constant",
    "reflect": "reflect",
    "edge": "edge",
    "replicate": "edge",
    "circular": "wrap",
}


def canonical(op: str, x: Array, attrs: str, paddings: list[int] | None = None) -> tuple[list[str], Array]:
    """The ops of the canonical graph, and its result; `paddings` are an argument of the graph."""
    shape = ",".join(map(str, x.shape))
    slot = "" if paddings is None else ", Paddings=%p"
    argument = "" if paddings is None else f", %p: int32[{len(paddings)}]"
    graph = parse_graph(f"""
        graph main(%x: float32[{shape}]{argument}) {{
          %y = {op}(X=%x{slot}) {{{attrs}}} : float32[*]
          return y=%y
        }}
        """)
    run_pass("canonicalize_pass", graph)
    verify(graph)
    feeds = {"x": x} if paddings is None else {"x": x, "p": np.array(paddings, np.int32)}
    return [node.op for node in graph], run_graph(graph, feeds)["y"]


def padded(x: Array, widths: list[tuple[int, int]], mode: str, value: float) -> Array:
    """The result by numpy."""
    if mode == "constant":
        return np.pad(x, widths or 0, constant_values=value)
    return np.pad(x, widths, NUMPY_MODES[mode])  # type: ignore[call-overload, no-any-return]


def image(*shape: int) -> Array:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


@pytest.mark.parametrize(("shape", "paddings"), [((3,), [1, 2]), ((2, 3), [0, 1, 2, 0]), ((), [])])
def test_pad_becomes_pad_nd(shape: tuple[int, ...], paddings: list[int]) -> None:
    x = image(*shape)

    ops, y = canonical("pad", x, f"paddings={paddings}, pad_value=9.0")

    assert ops == ["pad_nd"]
    np.testing.assert_array_equal(
        y, padded(x, list(zip(paddings[::2], paddings[1::2], strict=True)), "constant", 9.0)
    )


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge"])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("is_computed", [False, True])
def test_pad2d_becomes_pad_nd(mode: str, layout: str, is_computed: bool) -> None:
    x, paddings = image(2, 3, 4, 3), [1, 0, 2, 1]
    attrs = f'mode="{mode}", data_format="{layout}", pad_value=1.5'

    ops, y = (
        canonical("pad2d", x, attrs, paddings)
        if is_computed
        else canonical("pad2d", x, f"{attrs}, paddings={paddings}")
    )

    assert ops == (["gather", "pad_nd"] if is_computed else ["pad_nd"])
    borders = [(1, 0), (2, 1)]
    widths = [(0, 0), (0, 0), *borders] if layout == "NCHW" else [(0, 0), *borders, (0, 0)]
    np.testing.assert_array_equal(y, padded(x, widths, mode, 1.5))


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
@pytest.mark.parametrize("layout", ["NCDHW", "NDHWC"])
@pytest.mark.parametrize("is_computed", [False, True])
def test_pad3d_becomes_pad_nd(mode: str, layout: str, is_computed: bool) -> None:
    x, paddings = image(1, 3, 2, 3, 4), [2, 0, 1, 1, 0, 1]
    attrs = f'mode="{mode}", data_format="{layout}", value=-1.0'

    ops, y = (
        canonical("pad3d", x, attrs, paddings)
        if is_computed
        else canonical("pad3d", x, f"{attrs}, paddings={paddings}")
    )

    assert ops == (["gather", "pad_nd"] if is_computed else ["pad_nd"])
    borders = [(0, 1), (1, 1), (2, 0)]
    widths = [(0, 0), (0, 0), *borders] if layout == "NCDHW" else [(0, 0), *borders, (0, 0)]
    np.testing.assert_array_equal(y, padded(x, widths, mode, -1.0))


def test_constant_paddings_become_the_attribute() -> None:
    graph = parse_graph("""
        graph main(%x: float32[1,1,2,2]) {
          %p = const int32[4] [1, 0, 2, 0]
          %y = pad2d(X=%x, Paddings=%p) {mode="edge"} : float32[1,1,3,4]
          return %y
        }
        """)
    run_pass("canonicalize_pass", graph)

    [node] = graph
    assert (node.op, set(node.inputs), node.attrs["paddings"]) == ("pad_nd", {"X"}, [1, 2, 0, 0])
