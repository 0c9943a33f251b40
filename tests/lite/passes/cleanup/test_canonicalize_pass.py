"""One spelling per meaning."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import PassError
from lite.ir.program import AttrValue
from lite.ir.text import parse_graph
from lite.ops import get_schema
from tests.lite.passes.check import check, check_unchanged, run_pass
from tests.support.interpreter.tensors import run_graph

PASS = "canonicalize_pass"
FUSED = ", ".join(
    f"fused_{what}_{slot}=[]" for what in ("reshape", "transpose") for slot in ("X", "Y", "Out")
)


def test_an_old_spelling_with_a_constant_shape_becomes_the_new_one_with_an_attribute() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[6]) {
          %shape = const int32[2] [2, 3]
          %y = reshape(X=%x, Shape=%shape) {shape=[6]} : float32[2,3]
          return %y
        }
        """,
        """
        graph main(%x: float32[6]) {
          %y = reshape2(X=%x) {shape=[2, 3]} : float32[2,3]
          return %y
        }
        """,
    )


def test_a_computed_shape_remains_an_input() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[6], %s: int32[1]) {
          %three = const int32[1] [3]
          %y, XShape=%xs = reshape2(X=%x, ShapeTensor=[%s, %three]) {shape=[-1, 3], use_quantizer=false}
          return %y
        }
        """,
        """
        graph main(%x: float32[6], %s: int32[1]) {
          %three = const int32[1] [3]
          %y = reshape2(X=%x, ShapeTensor=[%s, %three]) {shape=[-1, 3]}
          return %y
        }
        """,
    )


def test_a_list_of_constants_becomes_one_attribute() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[6]) {
          %two = const int32[1] [2]
          %three = const int32[1] [3]
          %y = reshape2(X=%x, ShapeTensor=[%two, %three]) {shape=[0]}
          return %y
        }
        """,
        """
        graph main(%x: float32[6]) {
          %y = reshape2(X=%x) {shape=[2, 3]}
          return %y
        }
        """,
    )


def test_two_slots_for_one_attribute_remain_inputs() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%x: float32[6]) {
          %a = const int32[2] [2, 3]
          %b = const int32[1] [6]
          %y = reshape2(X=%x, Shape=%a, ShapeTensor=%b) {shape=[0]}
          return %y
        }
        """,
    )


def test_a_single_attribute_takes_one_number_only() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2,2]) {
          %axis = const int32[1] [1]
          %two = const int32[2] [0, 1]
          %y = concat(X=[%x, %x], AxisTensor=%axis) {axis=0}
          %z = concat(X=[%x, %x], AxisTensor=%two) {axis=0}
          return %y, %z
        }
        """,
        """
        graph main(%x: float32[2,2]) {
          %two = const int32[2] [0, 1]
          %y = concat(X=[%x, %x]) {axis=1}
          %z = concat(X=[%x, %x], AxisTensor=%two) {axis=0}
          return %y, %z
        }
        """,
    )


def test_optional_outputs_are_kept_while_they_are_read() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%x: float32[6]) {
          %y, XShape=%s = reshape2(X=%x) {shape=[2, 3]}
          return %y, %s
        }
        """,
    )


def test_attributes_are_those_of_the_schema_with_defaults_and_types() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[6]) {
          %a = relu6(X=%x) {use_mkldnn=false}
          %y = leaky_relu(X=%a) {alpha=1}
          return %y
        }
        """,
        """
        graph main(%x: float32[6]) {
          %a = relu6(X=%x) {threshold=6.0}
          %y = leaky_relu(X=%a) {alpha=1.0}
          return %y
        }
        """,
    )


def test_ops_without_schema_are_not_changed() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%x: float32[6]) {
          %y = no_such_op(X=%x) {some=1}
          return %y
        }
        """,
    )


def test_attributes_of_a_wrong_type_are_refused() -> None:
    graph = parse_graph('graph main(%x: float32[6]) { %y = relu6(X=%x) {threshold="high"} return %y }')

    with pytest.raises(PassError, match="relu6: attribute threshold: expected FLOAT, got 'high'"):
        run_pass(PASS, graph)


def test_effects_are_marked_through_levels() -> None:
    graph = parse_graph(
        """
        graph main(%c: bool[1], %x: float32[2]) {
          %y = relu(X=%x) effect
          conditional_block(Cond=%c, Input=%x) {carried=0}
            graph block1(%x: float32[2]) {
              %p = print(In=%x)
              return
            }
          return %y
        }
        """
    )

    assert run_pass(PASS, graph)

    assert [(node.op, node.effect) for each in graph.walk() for node in each] == [
        ("relu", False),
        ("conditional_block", True),
        ("print", True),
    ]


def test_matmul_becomes_matmul_v2() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2,3], %y: float32[2,3]) {
          %z = matmul(X=%x, Y=%y) {transpose_X=false, transpose_Y=true, alpha=1.0}
          return %z
        }
        """,
        f"""
        graph main(%x: float32[2,3], %y: float32[2,3]) {{
          %z = matmul_v2(X=%x, Y=%y) {{trans_x=false, trans_y=true, {FUSED}}}
          return %z
        }}
        """,
    )


def test_alpha_of_matmul_becomes_a_scale() -> None:
    text = """
        graph main(%x: float32[3,2], %y: float32[3,4]) {
          %z = matmul(X=%x, Y=%y) {transpose_X=true, alpha=0.5} : float32[2,4]
          return %z
        }
        """
    graph = parse_graph(text)
    feeds = {"x": np.arange(6, dtype=np.float32).reshape(3, 2), "y": np.ones((3, 4), np.float32)}

    assert run_pass(PASS, graph)

    assert [node.op for node in graph] == ["matmul_v2", "scale"]
    np.testing.assert_allclose(run_graph(graph, feeds)["z"], feeds["x"].T @ feeds["y"] * 0.5)


@pytest.mark.parametrize("shape", ["float32[3]", "float32[*]"])
def test_matmul_of_vectors_is_not_changed(shape: str) -> None:
    graph = parse_graph(f"graph main(%x: {shape}, %y: float32[3,4]) {{ %z = matmul(X=%x, Y=%y) return %z }}")

    run_pass(PASS, graph)

    assert [node.op for node in graph] == ["matmul"]


def test_a_condition_keeps_all_its_outputs() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%c: bool[1], %x: float32[2]) {
          %x#1 = conditional_block(Cond=%c, Input=%x) {carried=1}
            graph block1(%x: float32[2]) {
              %x#1 = relu(X=%x)
              return %x#1
            }
          return %c
        }
        """,
    )


def conv_attrs(spelled: str, op: str = "conv2d") -> tuple[AttrValue, AttrValue, set[str]]:
    """The activation, its parameters, and the names of all attributes of a canonical convolution."""
    graph = parse_graph(f"""
        graph main(%x: float32[1,4,3,3]) {{
          %w = const float32[4,1,1,1] random(1)
          Output=%y = {op}(Input=%x, Filter=%w) {{groups=4, {spelled}}} : float32[1,4,3,3]
          return %y
        }}
        """)
    run_pass(PASS, graph)
    [node] = graph
    assert node.op == op.removeprefix("depthwise_")
    return node.attrs["activation"], node.attrs["activation_params"], set(node.attrs)


@pytest.mark.parametrize(
    "op", ["conv2d", "depthwise_conv2d", "conv2d_transpose", "depthwise_conv2d_transpose"]
)
@pytest.mark.parametrize(
    ("spelled", "activation", "params"),
    [
        ('activation=""', "", []),
        ('activation="relu6", activation_params=[3.0]', "relu6", [3.0]),
        ('activation="tanh", fuse_relu=true', "tanh", []),
        ("fuse_relu=false", "", []),
        ("fuse_relu=true", "relu", []),
        ('fuse_activation="hard_swish", fuse_relu=true', "hard_swish", []),
        ("fuse_brelu=true", "relu6", [6.0]),
        ("fuse_brelu=true, fuse_brelu_threshold=3.0", "relu6", [3.0]),
        ('with_act=false, act_type="relu"', "", []),
        ('with_act=true, act_type="relu", fuse_relu=true', "relu", []),
        ('with_act=true, act_type="relu6", fuse_brelu_threshold=2.0', "relu6", [2.0]),
        ('with_act=true, act_type="leaky_relu", leaky_relu_alpha=0.25', "leaky_relu", [0.25]),
        ('with_act=true, act_type="hard_swish", hard_swish_offset=2.0', "hard_swish", [6.0, 6.0, 2.0]),
        ('with_act=true, act_type="hard_sigmoid", slope=0.5', "hard_sigmoid", [0.5, 0.5]),
        ('activation="silu"', "swish", [1.0]),
    ],
)
def test_the_activation_of_a_convolution_has_one_spelling(
    op: str, spelled: str, activation: str, params: list[float]
) -> None:
    attrs = conv_attrs(spelled, op)

    assert attrs[:2] == (activation, params)
    assert attrs[2] == set(get_schema(op).attrs)


@pytest.mark.parametrize(
    ("spelled", "message"),
    [
        ('with_act=true, act_type="prelu"', "conv2d: attribute act_type: expected one of .*, got 'prelu'"),
        ('fuse_activation="gelu"', "conv2d: attribute fuse_activation: expected one of .*, got 'gelu'"),
    ],
)
def test_an_unknown_activation_of_a_convolution_is_refused(spelled: str, message: str) -> None:
    with pytest.raises(PassError, match=message):
        conv_attrs(spelled)


def test_the_activation_of_fc_and_of_arithmetic_has_one_spelling() -> None:
    graph = parse_graph("""
        graph main(%x: float32[2,3]) {
          %w = const float32[3,4] random(1)
          %a = fc(Input=%x, W=%w) {activation_type="relu"} : float32[2,4]
          %y = fusion_elementwise_add_activation(X=%a, Y=%a) {act_type="silu"} : float32[2,4]
          return %y
        }
        """)
    run_pass(PASS, graph)

    fc, add = graph
    assert (fc.attrs["activation"], fc.attrs["activation_params"]) == ("relu", [])
    assert (add.attrs["activation"], add.attrs["activation_params"]) == ("swish", [1.0])
    assert not {"activation_type", "act_type"} & {*fc.attrs, *add.attrs}


def test_silu_becomes_swish() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2]) {
          %y = silu(X=%x) : float32[2]
          return %y
        }
        """,
        """
        graph main(%x: float32[2]) {
          %y = swish(X=%x) {beta=1.0} : float32[2]
          return %y
        }
        """,
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("%y = index_select(X=%x, Index=%i) {dim=1}", "%y = gather(X=%x, Index=%i) {axis=1}"),
        ("Out=[%y] = unbind(X=%x) {axis=0}", "Y=[%y] = unstack(X=%x) {axis=0, num=0}"),
        ("%y = share_data(X=%x)", "%y = assign(X=%x)"),
    ],
)
def test_an_op_with_another_name_is_renamed(old: str, new: str) -> None:
    text = "graph main(%x: float32[1,3], %i: int32[2]) {{\n{} : float32[*]\nreturn %y\n}}"

    check(PASS, text.format(old), text.format(new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("%y = lookup_table(W=%w, Ids=%i) {padding_idx=2}", "lookup_table_v2"),
        ("%y = one_hot(X=%i) {depth=4}", "one_hot_v2"),
    ],
)
def test_a_column_of_indices_is_squeezed(old: str, new: str) -> None:
    graph = parse_graph(f"""
        graph main(%i: int64[?,3,1]) {{
          %w = const float32[4,2] random(1)
          {old} : float32[*]
          return %y
        }}
        """)
    indices = np.array([[[3], [2], [0]], [[1], [1], [2]]])
    expected = np.eye(4, dtype=np.float32)[indices[..., 0]]
    if new == "lookup_table_v2":
        weight = graph.constants["w"].data
        assert weight is not None
        expected = np.where(indices == 2, 0, weight[indices[..., 0]])
    run_pass(PASS, graph)

    assert [node.op for node in graph] == ["squeeze2", new]
    np.testing.assert_array_equal(run_graph(graph, {"i": indices})["y"], expected)
