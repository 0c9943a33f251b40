"""The bridges give TpuLang the same function that the host computes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from lite.ir.types import Array
from tests.bridges.arrays import assert_close
from tests.bridges.region import on_host, reasons
from tests.bridges.tpu.conversion import TPU, converted, numbers


def check(text: str, *inputs: Array) -> list[str]:
    """Assert that the device takes each op, and that the results equal the host's; the calls of TpuLang."""
    assert set(reasons(TPU, text)) == {None}
    recorder = converted(text, *inputs)
    for result, expected in zip(recorder.results, on_host(text, inputs), strict=True):
        assert_close(result.reshape(expected.shape), expected, 1e-5)
    return recorder.numpy_lang.calls


def unary(op: str, shape: Sequence[int], attributes: str = "", slot: str = "X") -> str:
    dims = ",".join(map(str, shape))
    return f"graph main(%x: float32[{dims}]) {{ Out=%y = {op}({slot}=%x) {{{attributes}}} return %y }}"


def constant(name: str, array: Array) -> str:
    dims = ",".join(map(str, array.shape))
    return f"%{name} = const float32[{dims}] {array.reshape(-1).tolist()}\n"


@pytest.mark.parametrize(
    "op",
    [
        "relu",
        "sigmoid",
        "tanh",
        "hard_swish",
        "hard_swish: threshold=5.0, scale=4.0, offset=2.0",
        "hard_sigmoid",
        "leaky_relu: alpha=0.2",
        "relu6",
        "swish: beta=1.5",
        "gelu",
        "gelu: approximate=true",
        "abs",
        "ceil",
        "floor",
        "erf",
        "exp",
        "negative",
        "square",
        "scale: scale=2.0, bias=1.0, bias_after_scale=false",
        "scale: scale=2.0, bias=1.0",
        "clip: min=-0.5, max=0.75",
        "pow: factor=3.0",
        "pow: factor=2.0",
        "softmax: axis=1",
        "softmax: axis=-1",
        "assign",
        "dropout: dropout_prob=0.25, is_test=true",
        'dropout: dropout_prob=0.25, is_test=true, dropout_implementation="upscale_in_train"',
        "reduce_mean: dim=[1], keep_dim=true",
        "reduce_sum: dim=[0, 2]",
        "reduce_max: dim=[-1]",
        "reduce_min: reduce_all=true, keep_dim=true",
        "transpose2: axis=[2, 0, 1]",
        "reshape2: shape=[4, -1]",
        "squeeze2: axes=[]",
        "unsqueeze2: axes=[0, -1]",
        "flatten2: axis=2",
        "flatten_contiguous_range: start_axis=1, stop_axis=2",
        "expand_v2: shape=[2, 2, 3, 4]",
        "tile: repeat_times=[2, 1, 3]",
        'pad_nd: paddings=[1, 2, 0, 3], axes=[0, 2], value=7.0, mode="constant"',
        'pad_nd: paddings=[1, 2], axes=[1], mode="constant"',
        'pad_nd: paddings=[1, 2, 0, 3, 0, 1], mode="constant"',
    ],
)
def test_ops_of_one_tensor(op: str) -> None:
    name, _, attributes = op.partition(": ")
    check(unary(name, (2, 3, 4), attributes), numbers(2, 3, 4))


@pytest.mark.parametrize("op", ["log", "sqrt", "rsqrt", "reciprocal", "pow: factor=-0.5", "pow: factor=0.5"])
def test_functions_of_positive_numbers(op: str) -> None:
    name, _, attributes = op.partition(": ")
    check(unary(name, (2, 3), attributes), numbers(2, 3, low=0.5))


@pytest.mark.parametrize("kind", ["add", "sub", "mul", "div", "max", "min"])
@pytest.mark.parametrize(
    ("y", "axis"), [((2, 3, 4), -1), ((4,), -1), ((3,), 1), ((3, 1), 1), ((2, 1, 4), -1), ((1,), -1)]
)
def test_two_tensors_are_aligned_by_the_axis(kind: str, y: tuple[int, ...], axis: int) -> None:
    dims = ",".join(map(str, y))
    text = (
        f"graph main(%x: float32[2,3,4], %y: float32[{dims}]) "
        f"{{ Out=%z = elementwise_{kind}(X=%x, Y=%y) {{axis={axis}}} return %z }}"
    )
    check(text, numbers(2, 3, 4), numbers(*y, low=1.0))


def test_a_constant_is_aligned_before_it_becomes_a_tensor() -> None:
    text = (
        "graph main(%x: float32[2,3,4]) { "
        + constant("c", numbers(3))
        + "Out=%z = elementwise_add(X=%x, Y=%c) {axis=1} return %z }"
    )
    assert check(text, numbers(2, 3, 4)) == ["add"]


@pytest.mark.parametrize(
    ("attributes", "groups"),
    [
        ("strides=[1, 2], paddings=[1, 0]", 1),
        ("paddings=[1, 0, 2, 1]", 1),
        ("dilations=[2, 1]", 1),
        ('padding_algorithm="SAME", strides=[2, 2]', 1),
        ('padding_algorithm="VALID", paddings=[9, 9]', 1),
        ("groups=2, paddings=[1, 1]", 2),
        ("groups=4, paddings=[1, 1]", 4),
    ],
)
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_convolutions(attributes: str, groups: int, layout: str) -> None:
    shape = (2, 4, 7, 6) if layout == "NCHW" else (2, 7, 6, 4)
    text = (
        f"graph main(%x: float32[{','.join(map(str, shape))}]) {{ "
        + constant("w", numbers(8, 4 // groups, 3, 2))
        + constant("b", numbers(8))
        + "Output=%y = conv2d(Input=%x, Filter=%w, Bias=%b) "
        + f'{{{attributes}, data_format="{layout}"}} return %y }}'
    )
    check(text, numbers(*shape))


@pytest.mark.parametrize(("layout", "shape"), [("NCHW", (2, 3, 34, 52)), ("NHWC", (2, 34, 52, 3))])
def test_patches_larger_than_the_chips_strides_become_channels(layout: str, shape: tuple[int, ...]) -> None:
    text = (
        f"graph main(%x: float32[{','.join(map(str, shape))}]) {{ "
        + constant("w", numbers(5, 3, 16, 17))
        + constant("b", numbers(5))
        + "Output=%y = conv2d(Input=%x, Filter=%w, Bias=%b) "
        + f'{{strides=[16, 17], data_format="{layout}", activation="relu"}} return %y }}'
    )
    assert "conv" in check(text, numbers(*shape))


@pytest.mark.parametrize("exponent", [2.0, 3.0, 0.5, -0.5, -1.0])
@pytest.mark.parametrize("shape", ["", "1"])
def test_a_constant_exponent(exponent: float, shape: str) -> None:
    text = (
        f"graph main(%x: float32[2,3]) {{ %e = const float32[{shape}] [{exponent}]\n"
        "Out=%y = elementwise_pow(X=%x, Y=%e) {} return %y }"
    )
    check(text, numbers(2, 3, low=0.5))


@pytest.mark.parametrize("first", [True, False])
def test_a_constant_without_axes(first: bool) -> None:
    slots = "X=%c, Y=%x" if first else "X=%x, Y=%c"
    text = (
        "graph main(%x: float32[2,3]) { %c = const float32[] [0.25]\n"
        f"Out=%y = elementwise_sub({slots}) {{}} return %y }}"
    )
    assert check(text, numbers(2, 3)) == ["sub"]


@pytest.mark.parametrize(
    ("attributes", "groups"),
    [
        ("strides=[2, 2]", 1),
        ("strides=[2, 3], paddings=[1, 0]", 1),
        ("strides=[2, 2], paddings=[1, 1, 0, 1], output_padding=[1, 0]", 1),
        ("strides=[2, 2], groups=2", 2),
        ("strides=[2, 2], output_size=[10, 8]", 1),
    ],
)
def test_transposed_convolutions(attributes: str, groups: int) -> None:
    text = (
        "graph main(%x: float32[2,4,4,3]) { "
        + constant("w", numbers(4, 6 // groups, 3, 3))
        + f"Output=%y = conv2d_transpose(Input=%x, Filter=%w) {{{attributes}}} return %y }}"
    )
    check(text, numbers(2, 4, 4, 3))


@pytest.mark.parametrize("kind", ["max", "avg"])
@pytest.mark.parametrize(
    "attributes",
    [
        "ksize=[2, 3], strides=[2, 1]",
        "ksize=[3, 3], strides=[2, 2], paddings=[1, 1]",
        "ksize=[3, 3], strides=[2, 2], paddings=[0, 1, 1, 0]",
        "ksize=[3, 2], strides=[2, 2], ceil_mode=true",
        "ksize=[3, 3], strides=[1, 1], paddings=[1, 1], exclusive=false",
        'ksize=[3, 3], strides=[2, 2], padding_algorithm="SAME"',
        "ksize=[2, 2], global_pooling=true",
    ],
)
def test_poolings(kind: str, attributes: str) -> None:
    check(unary("pool2d", (1, 2, 7, 6), f'{attributes}, pooling_type="{kind}"'), numbers(1, 2, 7, 6))


@pytest.mark.parametrize("ksize", ["[1, 1]", "[3, 2]", "[4, 5]"])
def test_adaptive_averages(ksize: str) -> None:
    attributes = f'ksize={ksize}, pooling_type="avg", adaptive=true'
    check(unary("pool2d", (1, 2, 7, 6), attributes), numbers(1, 2, 7, 6))


@pytest.mark.parametrize("kind", ["nearest", "bilinear"])
@pytest.mark.parametrize(
    "attributes",
    [
        "out_h=8, out_w=6",
        "out_h=3, out_w=9, align_corners=false",
        "scale=[2.0, 2.0], align_corners=false",
        "scale=[1.5], align_corners=false, align_mode=0",
        "scale=[0.5, 3.0], align_corners=false, align_mode=1",
        "out_h=1, out_w=1, align_corners=true",
    ],
)
def test_resizing(kind: str, attributes: str) -> None:
    check(unary(f"{kind}_interp_v2", (1, 2, 4, 3), attributes), numbers(1, 2, 4, 3))


def test_a_whole_factor_is_an_upsample() -> None:
    attributes = "scale=[2.0, 2.0], align_corners=false"
    assert check(unary("nearest_interp_v2", (1, 2, 4, 3), attributes), numbers(1, 2, 4, 3)) == ["upsample"]


@pytest.mark.parametrize(("trans_x", "trans_y"), [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("is_constant", [False, True])
def test_products(trans_x: bool, trans_y: bool, is_constant: bool) -> None:
    x = (2, 4, 3) if trans_x else (2, 3, 4)
    y = (2, 5, 4) if trans_y else (2, 4, 5)
    argument = "" if is_constant else f", %y: float32[{','.join(map(str, y))}]"
    text = (
        f"graph main(%x: float32[{','.join(map(str, x))}]{argument}) {{ "
        + (constant("y", numbers(*y)) if is_constant else "")
        + f"Out=%z = matmul_v2(X=%x, Y=%y) {{trans_x={str(trans_x).lower()}, "
        + f"trans_y={str(trans_y).lower()}}} return %z }}"
    )
    check(text, *([numbers(*x)] if is_constant else [numbers(*x), numbers(*y)]))


@pytest.mark.parametrize("rows", [1, 2])
def test_mul_joins_axes(rows: int) -> None:
    inner = 12 if rows == 1 else 4
    text = (
        "graph main(%x: float32[2,3,4]) { "
        + constant("w", numbers(inner, 5))
        + f"Out=%z = mul(X=%x, Y=%w) {{x_num_col_dims={rows}, y_num_col_dims=1}} return %z }}"
    )
    check(text, numbers(2, 3, 4))


def test_fully_connected() -> None:
    text = (
        "graph main(%x: float32[2,3,4]) { "
        + constant("w", numbers(4, 5))
        + constant("b", numbers(5))
        + 'Out=%z = fc(Input=%x, W=%w, Bias=%b) {in_num_col_dims=2, activation="relu"} return %z }'
    )
    check(text, numbers(2, 3, 4))


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_batch_norm(layout: str) -> None:
    text = (
        "graph main(%x: float32[2,3,4,3]) { "
        + constant("s", numbers(3))
        + constant("b", numbers(3))
        + constant("m", numbers(3))
        + constant("v", numbers(3, low=0.5))
        + "Y=%y = batch_norm(X=%x, Scale=%s, Bias=%b, Mean=%m, Variance=%v) "
        + f'{{is_test=true, epsilon=0.001, data_layout="{layout}"}} return %y }}'
    )
    check(text, numbers(2, 3, 4, 3))


@pytest.mark.parametrize("axis", [1, 2])
def test_layer_norm(axis: int) -> None:
    size = 12 if axis == 1 else 4
    text = (
        "graph main(%x: float32[2,3,4]) { "
        + constant("s", numbers(size))
        + constant("b", numbers(size))
        + f"Y=%y = layer_norm(X=%x, Scale=%s, Bias=%b) {{begin_norm_axis={axis}}} return %y }}"
    )
    check(text, numbers(2, 3, 4))


@pytest.mark.parametrize("op", ["Y=%y = instance_norm", "Y=%y = group_norm"])
def test_norms_of_channels(op: str) -> None:
    attributes = "groups=2" if "group" in op else ""
    text = (
        "graph main(%x: float32[2,4,3,3]) { "
        + constant("s", numbers(4))
        + constant("b", numbers(4))
        + f"{op}(X=%x, Scale=%s, Bias=%b) {{{attributes}}} return %y }}"
    )
    check(text, numbers(2, 4, 3, 3))


def test_parts_are_joined_and_split() -> None:
    text = """
    graph main(%x: float32[2,3,4], %y: float32[2,1,4]) {
      %z = concat(X=[%x, %y]) {axis=1}
      Y=%s = stack(X=[%x, %x]) {axis=-1}
      Out=[%a, %b] = split(X=%z) {axis=1, sections=[1, 3]}
      Out=%c = slice(Input=%z) {axes=[1, 2], starts=[-2, 1], ends=[100, 3]}
      Out=%d = slice(Input=%z) {axes=[1], starts=[-1], ends=[0], decrease_axis=[1]}
      return %z, %s, %a, %b, %c, %d
    }
    """
    check(text, numbers(2, 3, 4), numbers(2, 1, 4))


def test_the_results_are_float32() -> None:
    assert converted(unary("relu", (2, 3)), numbers(2, 3)).results[0].dtype == np.float32
