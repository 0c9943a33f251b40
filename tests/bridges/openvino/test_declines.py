"""The sentences of declined ops, and ops that are accepted before their sizes are known."""

from __future__ import annotations

import pytest

from tests.bridges.devices import OPENVINO


def unary(op: str, x: str, attributes: str = "", output: str = "Out", slot: str = "X") -> str:
    return f"graph main(%x: {x}) {{ {output}=%y = {op}({slot}=%x) {{{attributes}}} return %y }}"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (unary("relu", "float64[3]"), "X is float64[3]: expected float16, float32"),
        (unary("relu", "float32[*]"), "X is float32[*]: its rank is not known"),
        (unary("relu", "float32[0,3]"), "X is float32[0,3]: the host runs ops on empty tensors"),
        (
            unary("cast", "float32[3]", "out_dtype=6"),
            "Out is float64[3]: expected bool, float16, float32, int32, int64, int8, uint8",
        ),
        (unary("square", "int64[3]"), "X is int64[3]: expected float16, float32, int32"),
        (unary("reduce_sum", "int64[3]"), "X is int64[3]: expected float16, float32"),
        (
            unary("scale", "int32[3]", "scale=3.0"),
            "X is int32[3]: OpenVINO rounds integers beyond 16777216, and scale is 3.0",
        ),
        (
            unary("relu6", "float32[3]", "threshold=-1.0"),
            "its bounds are 0.0 and -1.0, OpenVINO's Clamp takes them in order",
        ),
        (
            unary("pool2d", "float32[1,1,4,4]", 'pooling_type="max", ksize=[2, 2], adaptive=true'),
            "it is an adaptive maximum, which Paddle takes of windows and OpenVINO of bins",
        ),
        (
            unary("pool2d", "float32[1,1,4,4]", "ksize=[2, 2], paddings=[2, 2]"),
            "a window of 2 may lie outside of the image of 4",
        ),
        (unary("lrn", "float32[1,4,2,2]", "n=4"), "n is 4, expected an odd number"),
        (
            unary("pad_nd", "float32[1,1,3,3]", 'paddings=[3, 0], axes=[2], mode="reflect"'),
            "paddings are [3, 0]: a reflection is smaller than axis 2 of X, float32[1,1,3,3]",
        ),
        (
            ("graph main(%x: float32[3], %v: float32[]) "
            "{ Out=%y = pad_nd(X=%x, Value=%v) {paddings=[1, 0], axes=[0]} return %y }"),
            "Value is computed; OpenVINO's CPU plug-in pads with 0 instead",
        ),
        (
            ("graph main(%x: float32[3]) { %v = const float32[] [7.0] "
            "Out=%y = pad_nd(X=%x, Value=%v) {paddings=[1, 0], axes=[0]} return %y }"),
            None,
        ),
        (
            unary("pool_nd", "float32[1,2,5,5]", 'pooling_type="max", ksize=[2, 2], strides=[1, 1], '
            'dilations=[1, 1], paddings=[0, 0], padding_algorithm="SAME_LOWER"'),
            "its padding_algorithm is SAME_LOWER",
        ),
        (
            unary("arg_max", "float32[3]", "select_last_index=true"),
            "it takes the last of equal elements (select_last_index=true), OpenVINO the first",
        ),
        (unary("softmax", "float32[]"), "X has no axes"),
        (unary("strided_slice", "float32[4]", "axes=[0, 0], starts=[1, 0], ends=[3, 1], strides=[1, 1]",
               slot="Input"), "axes are [0, 0]; OpenVINO slices an axis once"),
        (
            ("graph main(%x: float32[1,2,4,4], %w: float32[?,2,3,3]) "
            "{ Output=%y = conv2d(Input=%x, Filter=%w) {} return %y }"),
            "Filter is float32[?,2,3,3]: its sizes must be known",
        ),
        (
            "graph main(%x: float32[3], %y: int32[3]) { Out=%z = elementwise_add(X=%x, Y=%y) {} return %z }",
            "inputs are of types float32 and int32; OpenVINO takes inputs of one type",
        ),
        (
            ("graph main(%x: int64[3]) { %c = const int64[3] [1, 16777217, 0] "
            "Out=%y = elementwise_add(X=%x, Y=%c) {} return %y }"),
            "Y is int64[3]: it has integers beyond 16777216, which OpenVINO rounds",
        ),
        (
            "graph main(%x: float32[3,4]) { Out=%y, Indices=%i = argsort(X=%x) {} return %i }",
            None,
        ),
        (
            ("graph main(%x: float32[2,3]) { %w = const int8[3,2] [1, 2, 3, 4, 5, 6] : float32[3,2] "
            "quant([0.1], [0], -1, int8) "
            'Out=%y = einsum(Operands=[%x, %w]) {equation="ij,jk->ik"} return %y }'),
            "an operand is a quantised constant, whose products OpenVINO computes wrongly",
        ),
        (
            "graph main(%x: float32[2,3]) { Y=%y, Mean=%m = layer_norm(X=%x) {} return %m }",
            "output Mean is read, and OpenVINO only computes Y",
        ),
    ],
)  # fmt: skip
def test_declined_ops_have_a_sentence(text: str, why: str | None) -> None:
    assert OPENVINO.why_not(text) == why


@pytest.mark.parametrize(
    "text",
    [
        unary("pool2d", 'float32["n",3,"h","w"]', "ksize=[3, 3], ceil_mode=true"),
        unary("squeeze2", 'float32["n",1,"h"]', "axes=[1]"),
        unary("flatten2", 'float32["n","c","h"]', "axis=2"),
        unary("bilinear_interp_v2", 'float32["n",3,"h","w"]', "scale=[2.0]"),
        unary("softmax", 'float32["n","t"]'),
        unary("slice", 'float32["n","t"]', "axes=[1], starts=[0], ends=[-1]", slot="Input"),
        unary("shape", 'float32["n",?]', slot="Input"),
    ],
)
def test_unknown_sizes_are_accepted(text: str) -> None:
    assert OPENVINO.why_not(text) is None


@pytest.mark.parametrize(
    ("op", "image", "attributes", "why"),
    [
        ("bilinear", "1,2,3,3", "scale=[1.33, 2.3]", "a scale of 1.33 makes 3 of 3"),
        ("nearest", '1,2,"h",4', "scale=[1.5, 2.0]", "a scale of 1.5 makes ? of h"),
        ("nearest", '1,2,7,"w"', "scale=[0.67, 2.0], ratio_from_sizes=true", "a scale of 0.67 makes 4 of 7"),
        ("bicubic", "1,2,8,8", "out_h=1, out_w=7", "its result has a single row or column, float32[1,2,1,7]"),
        ("nearest", '1,2,"h","w"', "scale=[2.0, 3.0]", None),
        ("bilinear", "1,2,4,5", "scale=[0.6, 0.6]", None),
    ],
)
def test_scales_that_openvino_resizes_differently_are_declined(
    op: str, image: str, attributes: str, why: str | None
) -> None:
    text = unary(f"{op}_interp_v2", f"float32[{image}]", f"{attributes}, align_corners=false")

    assert OPENVINO.why_not(text) == why


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        (
            "ksize=[4, 3], paddings=[1, 0], strides=[1, 3], ceil_mode=true, exclusive=false",
            "a window of 3 may reach beyond the padding, which averages include",
        ),
        ("ksize=[2, 2], paddings=[0, 0, 2, 0]", "a window of 2 may lie outside of the image of 11"),
        ("ksize=[3, 3], paddings=[1, 1], exclusive=false", None),
        ("ksize=[3, 3], paddings=[1, 1], strides=[2, 2], ceil_mode=true", None),
    ],
)
def test_windows_that_openvino_averages_differently_are_declined(attributes: str, why: str | None) -> None:
    text = unary("pool2d", "float32[1,2,12,11]", f'pooling_type="avg", {attributes}')

    assert OPENVINO.why_not(text) == why


@pytest.mark.parametrize(
    ("outer", "inner", "factor"),
    [
        (0.79788456, 0.044715, None),
        (0.79, 0.044715, "0.79 for 0.797885"),
        (0.79788456, 0.045, "0.045 for 0.044715"),
        (0.79788456, 0.06, None),
        (0.7, 0.045, None),
    ],
)
def test_a_tanh_that_openvino_takes_for_gelus_is_declined(
    outer: float, inner: float, factor: str | None
) -> None:
    reasons = OPENVINO.reasons(
        f"""graph main(%x: float32[4], %c: float32[4]) {{
          %i = const float32[1] [{inner}]
          %a = elementwise_mul(X=%c, Y=%i)
          %s = elementwise_add(X=%x, Y=%a)
          %b = scale(X=%s) {{scale={outer}}}
          %y = tanh(X=%b)
          return %y
        }}"""
    )

    why = None if factor is None else f"OpenVINO would take its input's factor {factor}, gelu's"
    assert reasons == [None, None, None, why]


@pytest.mark.parametrize(("sizes", "is_declined"), [("2,3,2,2", True), ("3,2,2", False)])
def test_many_computed_repetitions_are_declined(sizes: str, is_declined: bool) -> None:
    count = sizes.count(",") + 1
    text = (
        f"graph main(%x: float32[{sizes}], %t: int64[{count}]) "
        "{ Out=%y = tile(X=%x, RepeatTimes=%t) {} return %y }"
    )

    why = OPENVINO.why_not(text)

    assert (why is not None) == is_declined
    assert why is None or why.startswith("its numbers of repetitions are computed, and Out is float32[")
