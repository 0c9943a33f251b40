"""Transposes around kernels that are declared for NHWC."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.text import parse_graph
from lite.plugin.loader import load_kernels
from tests.lite.passes.check import check, check_unchanged, constants_of, run_pass

PASS = "type_layout_cast_pass"


def test_images_are_transposed_and_back() -> None:
    graph = check(
        PASS,
        """
        graph main(%x: float32[1,2,3,4]) {
          %f = const float32[3,2,1,1] [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
          %b = const float32[3] [1.0, 2.0, 3.0]
          Output=%y = conv2d(Input=%x, Filter=%f, Bias=%b) @nhwc/any/nhwc : float32[1,3,3,4]
          %z = softmax(X=%y) {axis=1} @host/any/any : float32[1,3,3,4]
          return %z, %y
        }
        """,
        """
        graph main(%x: float32[1,2,3,4]) {
          %b = const float32[3] [1.0, 2.0, 3.0]
          %f.nhwc = const float32[3,1,1,2] [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
            : float32[3,1,1,2] @host/float32/nhwc
          %x.nhwc = layout(X=%x) {from="nchw", to="nhwc"} @host/any/any : float32[1,3,4,2] @host/float32/nhwc
          Output=%y = conv2d(Input=%x.nhwc, Filter=%f.nhwc, Bias=%b) @nhwc/any/nhwc
            : float32[1,3,4,3] @host/float32/nhwc
          %y.nchw = layout(X=%y) {from="nhwc", to="nchw"} @host/any/any : float32[1,3,3,4] @host/float32/nchw
          %z = softmax(X=%y.nchw) {axis=1} @host/any/any : float32[1,3,3,4]
          return %z, y=%y.nchw
        }
        """,
    )
    assert constants_of(graph)["f.nhwc"].flags.c_contiguous


def test_constants_are_transposed() -> None:
    graph = parse_graph(
        """
        graph main(%x: float32[1,2,3,4]) {
          %f = const float32[3,2,2,2] random(1)
          Output=%y = conv2d(Input=%x, Filter=%f) @nhwc/any/nhwc : float32[1,3,2,3]
          return %y
        }
        """
    )
    before = constants_of(graph)["f"]

    assert run_pass(PASS, graph)

    np.testing.assert_array_equal(constants_of(graph)["f.nhwc"], np.moveaxis(before, 1, 3))


def test_paddings_of_all_axes_get_axes_in_nhwc() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1,2,3,4]) {
          %a = pool2d(X=%x) @nhwc/any/nhwc : float32[1,2,3,4]
          %b = pad_nd(X=%a) {paddings=[0, 1, 2, 0, 0, 1, 1, 3]} @host/any/any : float32[1,4,6,7]
          %c = pool2d(X=%b) @nhwc/any/nhwc : float32[1,4,6,7]
          return %c
        }
        """,
        """
        graph main(%x: float32[1,2,3,4]) {
          %x.nhwc = layout(X=%x) {from="nchw", to="nhwc"} @host/any/any : float32[1,3,4,2] @host/float32/nhwc
          %a = pool2d(X=%x.nhwc) @nhwc/any/nhwc : float32[1,3,4,2] @host/float32/nhwc
          %b = pad_nd(X=%a) {paddings=[0, 1, 2, 0, 0, 1, 1, 3], axes=[0, 3, 1, 2]} @host/any/any
            : float32[1,6,7,4] @host/float32/nhwc
          %c = pool2d(X=%b) @nhwc/any/nhwc : float32[1,6,7,4] @host/float32/nhwc
          %c.nchw = layout(X=%c) {from="nhwc", to="nchw"} @host/any/any : float32[1,4,6,7] @host/float32/nchw
          return c=%c.nchw
        }
        """,
    )


def test_elementwise_ops_keep_nhwc() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1,2,3,4]) {
          %a = pool2d(X=%x) @nhwc/any/nhwc : float32[1,2,3,4]
          %b = relu(X=%a) @host/any/any : float32[1,2,3,4]
          %c = pool2d(X=%b) @nhwc/any/nhwc : float32[1,2,3,4]
          %d = elementwise_add(X=%c, Y=%a) @host/any/any : float32[1,2,3,4]
          return %d
        }
        """,
        """
        graph main(%x: float32[1,2,3,4]) {
          %x.nhwc = layout(X=%x) {from="nchw", to="nhwc"} @host/any/any : float32[1,3,4,2] @host/float32/nhwc
          %a = pool2d(X=%x.nhwc) @nhwc/any/nhwc : float32[1,3,4,2] @host/float32/nhwc
          %b = relu(X=%a) @host/any/any : float32[1,3,4,2] @host/float32/nhwc
          %c = pool2d(X=%b) @nhwc/any/nhwc : float32[1,3,4,2] @host/float32/nhwc
          %d = elementwise_add(X=%c, Y=%a) @host/any/any : float32[1,3,4,2] @host/float32/nhwc
          %d.nchw = layout(X=%d) {from="nhwc", to="nchw"} @host/any/any : float32[1,2,3,4] @host/float32/nchw
          return d=%d.nchw
        }
        """,
    )


def test_ops_with_axes_do_not_keep_nhwc() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1,2,?,4]) {
          %w = const float32[2] [1.0, 2.0]
          %a = pool2d(X=%x) @nhwc/any/nhwc : float32[1,2,?,4]
          %b = elementwise_add(X=%a, Y=%w) {axis=1} @host/any/any : float32[1,2,?,4]
          %c = elementwise_add(X=%a, Y=%x) @host/any/any : float32[1,2,?,4]
          %d = elementwise_add(X=%a, Y=%a) @host/any/any : float32[1,2,?,4]
          %e = reshape2(X=%a) {shape=[-1]} @host/any/any : float32[?]
          return %b, %c, %d, %e
        }
        """,
        """
        graph main(%x: float32[1,2,?,4]) {
          %w = const float32[2] [1.0, 2.0]
          %x.nhwc = layout(X=%x) {from="nchw", to="nhwc"} @host/any/any : float32[1,?,4,2] @host/float32/nhwc
          %a = pool2d(X=%x.nhwc) @nhwc/any/nhwc : float32[1,?,4,2] @host/float32/nhwc
          %a.nchw = layout(X=%a) {from="nhwc", to="nchw"} @host/any/any : float32[1,2,?,4] @host/float32/nchw
          %b = elementwise_add(X=%a.nchw, Y=%w) {axis=1} @host/any/any : float32[1,2,?,4]
          %c = elementwise_add(X=%a.nchw, Y=%x) @host/any/any : float32[1,2,?,4]
          %d = elementwise_add(X=%a.nchw, Y=%a.nchw) @host/any/any : float32[1,2,?,4]
          %e = reshape2(X=%a.nchw) {shape=[-1]} @host/any/any : float32[?]
          return %b, %c, %d, %e
        }
        """,
    )


def test_blocks_have_nchw_and_each_version_has_its_casts() -> None:
    check(
        PASS,
        """
        graph main(%c: bool[1], %v: float32[1,2,3,4]) {
          %v#1 = pool2d(X=%v) @nhwc/any/nhwc : float32[1,2,3,4]
          %v#2 = conditional_block(Cond=%c, Input=%v#1) {carried=1} : float32[1,2,3,4]
            graph block1(%a: float32[1,2,3,4]) {
              %y = pool2d(X=%a) @nhwc/any/nhwc : float32[1,2,3,4]
              return %y
            }
          %z = pool2d(X=%v#2) @nhwc/any/nhwc : float32[1,2,3,4]
          return %z
        }
        """,
        """
        graph main(%c: bool[1], %v: float32[1,2,3,4]) {
          %v.nhwc = layout(X=%v) {from="nchw", to="nhwc"} @host/any/any : float32[1,3,4,2] @host/float32/nhwc
          %v#1 = pool2d(X=%v.nhwc) @nhwc/any/nhwc : float32[1,3,4,2] @host/float32/nhwc
          %v.nchw = layout(X=%v#1) {from="nhwc", to="nchw"} @host/any/any
            : float32[1,2,3,4] @host/float32/nchw
          %v#2 = conditional_block(Cond=%c, Input=%v.nchw) {carried=1} : float32[1,2,3,4]
            graph block1(%a: float32[1,2,3,4]) {
              %a.nhwc = layout(X=%a) {from="nchw", to="nhwc"} @host/any/any
                : float32[1,3,4,2] @host/float32/nhwc
              %y = pool2d(X=%a.nhwc) @nhwc/any/nhwc : float32[1,3,4,2] @host/float32/nhwc
              %y.nchw = layout(X=%y) {from="nhwc", to="nchw"} @host/any/any
                : float32[1,2,3,4] @host/float32/nchw
              return y=%y.nchw
            }
          %v.nhwc#1 = layout(X=%v#2) {from="nchw", to="nhwc"} @host/any/any
            : float32[1,3,4,2] @host/float32/nhwc
          %z = pool2d(X=%v.nhwc#1) @nhwc/any/nhwc : float32[1,3,4,2] @host/float32/nhwc
          %z.nchw = layout(X=%z) {from="nhwc", to="nchw"} @host/any/any : float32[1,2,3,4] @host/float32/nchw
          return z=%z.nchw
        }
        """,
    )


def test_quantisation_axes_are_permuted() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1,2,1,1] quant([1.0, 2.0], [0, 0], 1, int8)) {
          %y = pool2d(X=%x) @nhwc/any/nhwc : float32[1,2,1,1]
          return
        }
        """,
        """
        graph main(%x: float32[1,2,1,1] quant([1.0, 2.0], [0, 0], 1, int8)) {
          %x.nhwc = layout(X=%x) {from="nchw", to="nhwc"} @host/any/any
            : float32[1,1,1,2] quant([1.0, 2.0], [0, 0], 3, int8) @host/float32/nhwc
          %y = pool2d(X=%x.nhwc) @nhwc/any/nhwc : float32[1,1,1,2] @host/float32/nhwc
          return
        }
        """,
    )


def test_without_nhwc_kernels_the_graph_does_not_change() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%x: float32[1,2,3,4], %m: float32[2,3]) {
          %a = pool2d(X=%x) @host/any/nchw : float32[1,2,3,4]
          %b = relu(X=%a) @host/any/any : float32[1,2,3,4]
          %c = relu(X=%m) @nhwc/any/nhwc : float32[2,3]
          return %b, %c
        }
        """,
    )


def test_axes_in_attributes_are_permuted() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1,2,3,4]) {
          %w = const float32[2] [1.0, 2.0]
          %a = pool2d(X=%x) @nhwc/any/nhwc : float32[1,2,3,4]
          %b = concat(X=[%a, %a]) {axis=1} @host/any/any : float32[1,4,3,4]
          %c = softmax(X=%b) {axis=-3} @host/any/any : float32[1,4,3,4]
          %d = slice(Input=%c) {axes=[1, 3], starts=[0, 1], ends=[2, 4]} @host/any/any : float32[1,2,3,3]
          %e = elementwise_add(X=%d, Y=%w) {axis=1} @host/any/any : float32[1,2,3,3]
          %f = pool2d(X=%e) @nhwc/any/nhwc : float32[1,2,3,3]
          %g = reduce_mean(X=%f) {dim=[2, 3], keep_dim=false} @host/any/any : float32[1,2]
          return %g
        }
        """,
        """
        graph main(%x: float32[1,2,3,4]) {
          %w = const float32[2] [1.0, 2.0]
          %x.nhwc = layout(X=%x) {from="nchw", to="nhwc"} @host/any/any : float32[1,3,4,2] @host/float32/nhwc
          %a = pool2d(X=%x.nhwc) @nhwc/any/nhwc : float32[1,3,4,2] @host/float32/nhwc
          %b = concat(X=[%a, %a]) {axis=3} @host/any/any : float32[1,3,4,4] @host/float32/nhwc
          %c = softmax(X=%b) {axis=3} @host/any/any : float32[1,3,4,4] @host/float32/nhwc
          %d = slice(Input=%c) {axes=[3, 2], starts=[0, 1], ends=[2, 4]} @host/any/any
            : float32[1,3,3,2] @host/float32/nhwc
          %e = elementwise_add(X=%d, Y=%w) {axis=-1} @host/any/any : float32[1,3,3,2] @host/float32/nhwc
          %f = pool2d(X=%e) @nhwc/any/nhwc : float32[1,3,3,2] @host/float32/nhwc
          %g = reduce_mean(X=%f) {dim=[1, 2], keep_dim=false} @host/any/any : float32[1,2]
          return %g
        }
        """,
    )


GROUPED = """
graph main(%x: float32[1,2,3,4], %v: float32[OTHER]) {
  %w = const float32[1,2,1,1] [1.0, 2.0]
  %a = pool2d(X=%x) @nhwc/any/nhwc : float32[1,2,3,4]
  %b = fusion_group(X=%a, Inputs=[%w, %v]) {PROGRAM} @host/any/any : float32[1,2,3,4]
  %c = pool2d(X=%b) @nhwc/any/nhwc : float32[1,2,3,4]
  return %c
}
""".replace("PROGRAM", 'program="elementwise_mul 0 1; elementwise_add 3 2", results=[4]')


@pytest.mark.parametrize(("other", "casts"), [("1", 2), ("1,1,1", 2), ("1,2,3,4", 3), ("3,4", 4)])
def test_a_fusion_group_of_images_and_single_numbers_keeps_nhwc(other: str, casts: int) -> None:
    graph = parse_graph(GROUPED.replace("OTHER", other))
    assert run_pass(PASS, graph)
    assert sum(node.op == "layout" for node in graph) == casts
    [group] = [node for node in graph if node.op == "fusion_group"]
    assert group.output().shape == ((1, 2, 3, 4) if casts == 4 else (1, 3, 4, 2))
    shapes = [value.shape for value in group.all_inputs()]
    assert shapes[1] == ((1, 2, 1, 1) if casts == 4 else (1, 1, 1, 2))


def test_a_second_run_does_not_change_the_graph() -> None:
    graph = parse_graph(
        """
        graph main(%x: float32[1,2,3,4]) {
          %a = pool2d(X=%x) @nhwc/any/nhwc : float32[1,2,3,4]
          %b = softmax(X=%a) {axis=1} @host/any/any : float32[1,2,3,4]
          %c = pool2d(X=%b) @nhwc/any/nhwc : float32[1,2,3,4]
          return %c
        }
        """
    )
    assert run_pass(PASS, graph)
    assert not run_pass(PASS, graph)
    [softmax] = [node for node in graph if node.op == "softmax"]
    assert softmax.attrs["axis"] == 3


def test_the_smaller_values_are_transposed() -> None:
    # Between two kernels for NCHW and one for NHWC, the values after the upsampling are larger.
    graph = parse_graph(
        """
        graph main(%x: float32[1,2,2,2]) {
          %a = pool2d(X=%x) @nhwc/any/nhwc : float32[1,2,2,2]
          %b = relu(X=%a) @host/any/any : float32[1,2,2,2]
          %c = concat(X=[%b, %b, %b, %b]) {axis=2} @host/any/any : float32[1,2,8,2]
          %d = relu(X=%c) @host/any/any : float32[1,2,8,2]
          %e = reshape2(X=%d) {shape=[-1]} @host/any/any : float32[32]
          return %e
        }
        """
    )
    assert run_pass(PASS, graph)
    transposed = [node.input("X").name for node in graph if node.op == "layout"]
    assert transposed[0] == "x"
    assert transposed[1] in ("a", "b")


def test_layout_transposes_of_the_model_are_removed() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1,3,4,2]) {
          %a = transpose2(X=%x) {axis=[0, 3, 1, 2]} @host/any/any : float32[1,2,3,4]
          %b = pool2d(X=%a) @nhwc/any/nhwc : float32[1,2,3,4]
          %c = transpose2(X=%b) {axis=[0, 2, 3, 1]} @host/any/any : float32[1,3,4,2]
          %d = reshape2(X=%c) {shape=[-1]} @host/any/any : float32[24]
          return %d
        }
        """,
        """
        graph main(%x: float32[1,3,4,2]) {
          %x.nhwc = reshape2(X=%x) {shape=[0, 0, 0, 0]} @host/any/any
            : float32[1,3,4,2] @host/float32/nhwc
          %b = pool2d(X=%x.nhwc) @nhwc/any/nhwc : float32[1,3,4,2] @host/float32/nhwc
          %b.c = reshape2(X=%b) {shape=[0, 0, 0, 0]} @host/any/any : float32[1,3,4,2] @host/float32/nchw
          %d = reshape2(X=%b.c) {shape=[-1]} @host/any/any : float32[24]
          return %d
        }
        """,
    )


def test_a_transpose_with_other_users_is_kept() -> None:
    graph = parse_graph(
        """
        graph main(%x: float32[1,3,4,2]) {
          %a = transpose2(X=%x) {axis=[0, 3, 1, 2]} @host/any/any : float32[1,2,3,4]
          %b = pool2d(X=%a) @nhwc/any/nhwc : float32[1,2,3,4]
          return %a, %b
        }
        """
    )
    assert run_pass(PASS, graph)
    assert [node.op for node in graph] == ["reshape2", "transpose2", "pool2d", "layout"]


def test_a_result_keeps_its_name_when_its_transpose_is_removed() -> None:
    graph = parse_graph(
        """
        graph main(%x: float32[1,2,3,4]) {
          %a = pool2d(X=%x) @nhwc/any/nhwc : float32[1,2,3,4]
          %b = transpose2(X=%a) {axis=[0, 2, 3, 1]} @host/any/any : float32[1,3,4,2]
          return %b
        }
        """
    )
    names = list(graph.result_names)
    assert run_pass(PASS, graph)
    assert [node.op for node in graph] == ["layout", "pool2d", "reshape2"]
    assert list(graph.result_names) == names


def pools(more: str) -> str:
    """A pooling with a kernel for each layout, and an op `more` after it."""
    return f"""
        graph main(%x: float32[1,2,8,8]) {{
          %f = const float32[3,1,1,2] random(1) : float32[3,1,1,2] @host/float32/nhwc
          %p = pool2d(X=%x) {{ksize=[2, 2], strides=[2, 2], pooling_type="max"}} @cpu/float32/nhwc
            : float32[1,2,4,4]
          {more}
          return %y
        }}
        """


def test_a_kernel_for_either_layout_takes_that_of_its_neighbours() -> None:
    load_kernels(["pool2d"])
    alone = parse_graph(pools("%y = softmax(X=%p) {axis=1} @host/any/any : float32[1,2,4,4]"))
    assert run_pass(PASS, alone)
    assert [(node.op, node.place and str(node.place.layout)) for node in alone] == [
        ("pool2d", "nchw"),
        ("softmax", "any"),
    ]
    beside = parse_graph(pools("Output=%y = conv2d(Input=%p, Filter=%f) @nhwc/any/nhwc : float32[1,3,4,4]"))
    run_pass(PASS, beside)
    assert [node.op for node in beside] == ["pool2d", "layout", "conv2d", "layout"]
