"""Ops that only ONNX models have, compared with the host: the conformance kit has no cases of them."""

from __future__ import annotations

import pytest

from tests.bridges.arrays import floats
from tests.bridges.devices import OPENVINO

IMAGE, VECTOR, VOLUME = (2, 3, 9, 8), (2, 3, 9), (1, 2, 5, 6, 4)


@pytest.mark.parametrize(
    ("shape", "attributes"),
    [
        (IMAGE, 'pooling_type="max", ksize=[3, 2], strides=[2, 1], paddings=[1, 0, 0, 1], dilations=[1, 1]'),
        (IMAGE, 'pooling_type="max", ksize=[2, 2], strides=[1, 1], paddings=[0, 0, 0, 0], dilations=[2, 3]'),
        (
            IMAGE,
            (
                'pooling_type="max", ksize=[3, 3], strides=[2, 2], paddings=[0, 0, 0, 0], ceil_mode=true, '
                "dilations=[1, 1]"
            ),
        ),
        (IMAGE, 'pooling_type="avg", ksize=[3, 3], strides=[1, 2], paddings=[1, 1, 1, 1], dilations=[1, 1]'),
        (
            IMAGE,
            (
                'pooling_type="avg", ksize=[3, 3], strides=[1, 2], paddings=[1, 1, 1, 1], dilations=[1, 1], '
                "exclusive=false"
            ),
        ),
        (
            IMAGE,
            (
                'pooling_type="max", ksize=[3, 3], strides=[2, 2], paddings=[0, 0, 0, 0], dilations=[1, 1], '
                'padding_algorithm="SAME"'
            ),
        ),
        (VECTOR, 'pooling_type="max", ksize=[3], strides=[2], paddings=[1, 1], dilations=[1]'),
        (
            VOLUME,
            (
                'pooling_type="avg", ksize=[2, 2, 2], strides=[2, 2, 2], paddings=[0, 0, 0, 0, 0, 0], '
                "dilations=[1, 1, 1]"
            ),
        ),
    ],
)
def test_pool_nd_equals_the_host(shape: tuple[int, ...], attributes: str) -> None:
    sizes = ",".join(map(str, shape))
    text = f"graph main(%x: float32[{sizes}]) {{ Out=%y = pool_nd(X=%x) {{{attributes}}} return %y }}"

    OPENVINO.check(text, floats(*shape))


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("coordinates", ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"])
@pytest.mark.parametrize("how", ["Sizes", "Scales"])
def test_resize_equals_the_host(mode: str, coordinates: str, how: str) -> None:
    constant = "int64[4] [1, 2, 9, 4]" if how == "Sizes" else "float32[4] [1, 1, 1.5, 0.6]"
    if how == "Scales" and coordinates == "align_corners":
        constant = "float32[4] [1, 1, 1.5, 2]"
    attributes = f'mode="{mode}", coordinate_transformation_mode="{coordinates}"'
    text = f"""graph main(%x: float32[1,2,6,7]) {{
        %s = const {constant}
        Out=%y = resize(X=%x, {how}=%s) {{{attributes}}} return %y }}"""

    OPENVINO.check(text, floats(1, 2, 6, 7))


@pytest.mark.parametrize("align", ["true", "false"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["linear", "nearest"])
def test_grid_sample_equals_the_host(mode: str, padding: str, align: str) -> None:
    text = f"""graph main(%x: float32[2,3,5,6], %g: float32[2,4,3,2]) {{
        Out=%y = grid_sample(X=%x, Grid=%g) {{mode="{mode}", padding_mode="{padding}", align_corners={align}}}
        return %y }}"""

    OPENVINO.check(text, floats(2, 3, 5, 6), 1.3 * floats(2, 4, 3, 2, seed=1))


@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize(("op", "gates"), [("lstm_sequence", 4), ("gru_sequence", 3), ("rnn_sequence", 1)])
@pytest.mark.parametrize("with_state", [False, True])
def test_recurrent_layers_equal_the_host(
    op: str, gates: int, direction: str, layout: int, with_state: bool
) -> None:
    d, h, i, t, n = 2 if direction == "bidirectional" else 1, 3, 4, 5, 2
    state = f"{n},{d},{h}" if layout else f"{d},{n},{h}"
    more = f"%b = const float32[{d},{2 * gates * h}] random(3) %h = const float32[{state}] random(4)"
    slots = ", B=%b, H0=%h" if with_state else ""
    outputs = "Out=%y, H=%u, C=%v" if op == "lstm_sequence" else "Out=%y, H=%u"
    reset = ", linear_before_reset=true" if op == "gru_sequence" and with_state else ""
    x = (n, t, i) if layout else (t, n, i)
    text = f"""graph main(%x: float32[{",".join(map(str, x))}]) {{
        %w = const float32[{d},{gates * h},{i}] random(1) %r = const float32[{d},{gates * h},{h}] random(2)
        {more if with_state else ""}
        {outputs} = {op}(X=%x, W=%w, R=%r{slots}) {{direction="{direction}", layout={layout}{reset}}}
        return %y, %u }}"""

    OPENVINO.check(text, floats(*x))


@pytest.mark.parametrize(
    ("op", "shape", "attributes"),
    [
        ("depth_to_space", (1, 8, 3, 2), "blocksize=2"),
        ("space_to_depth", (1, 2, 6, 4), "blocksize=2"),
        ("space_to_depth", (1, 2, 6, 4), "blocksize=2, channels_first=true"),
        ("rms_norm", (2, 3, 8), "begin_norm_axis=2"),
        ("rms_norm", (2, 3, 8), "begin_norm_axis=1, epsilon=0.1"),
    ],
)
def test_pixel_shuffles_and_rms_norm_equal_the_host(op: str, shape: tuple[int, ...], attributes: str) -> None:
    output = "Y" if op == "rms_norm" else "Out"
    sizes = ",".join(map(str, shape))
    text = f"graph main(%x: float32[{sizes}]) {{ {output}=%y = {op}(X=%x) {{{attributes}}} return %y }}"

    OPENVINO.check(text, floats(*shape))


def test_fmod_equals_the_host() -> None:
    text = "graph main(%x: float32[6], %y: float32[6]) { Out=%z = fmod(X=%x, Y=%y) {} return %z }"

    OPENVINO.check(text, 5 * floats(6), floats(6, seed=1))


@pytest.mark.parametrize("attributes", ["", "strides=[2, 1, 2], paddings=[1, 0, 1]", "groups=2"])
def test_conv3d_equals_the_host(attributes: str) -> None:
    groups = 2 if "groups" in attributes else 1
    text = f"""graph main(%x: float32[1,4,5,6,7]) {{
        %w = const float32[6,{4 // groups},3,2,3] random(1) %b = const float32[6] random(2)
        Output=%y = conv3d(Input=%x, Filter=%w, Bias=%b) {{{attributes}}} return %y }}"""

    OPENVINO.check(text, floats(1, 4, 5, 6, 7))


@pytest.mark.parametrize(
    "attributes", ["", "strides=[2, 1, 2], paddings=[1, 0, 1]", "strides=[2, 2, 2], output_padding=[1, 0, 1]"]
)
def test_conv3d_transpose_equals_the_host(attributes: str) -> None:
    text = f"""graph main(%x: float32[1,4,3,4,3]) {{
        %w = const float32[4,2,3,2,3] random(1)
        Output=%y = conv3d_transpose(Input=%x, Filter=%w) {{{attributes}}} return %y }}"""

    OPENVINO.check(text, floats(1, 4, 3, 4, 3))


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        ('pooling_type="lp"', "it computes Lp averages (pooling_type='lp')"),
        ('pooling_type="avg", dilations=[2, 1]', "dilations are [2, 1]; OpenVINO's averages have none"),
    ],
)
def test_lp_and_dilated_averages_are_declined(attributes: str, why: str) -> None:
    more = "ksize=[2, 2], strides=[1, 1], paddings=[0, 0, 0, 0]"
    dilations = "" if "dilations" in attributes else ", dilations=[1, 1]"
    text = f"""graph main(%x: float32[1,2,6,6]) {{
        Out=%y = pool_nd(X=%x) {{{attributes}, {more}{dilations}}} return %y }}"""

    assert OPENVINO.why_not(text) == why


def test_aligned_corners_of_fractional_sizes_are_declined() -> None:
    text = """graph main(%x: float32[1,2,6,7]) {
        %s = const float32[4] [1, 1, 1.5, 0.5]
        Out=%y = resize(X=%x, Scales=%s) {coordinate_transformation_mode="align_corners"} return %y }"""

    assert OPENVINO.why_not(text) == (
        "corners are aligned with scales [1.5, 0.5] of sizes [6, 7], which give fractional sizes"
    )


@pytest.mark.parametrize("keep", ["true", "false"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_reductions_of_three_axes_before_constants_of_one(axis: int, keep: str) -> None:
    """OpenVINO 2026.4 joins them, with the wrong elements for the first and the last axis."""
    sizes = [4, 3, 5]
    sizes[axis : axis + 1] = [1] if keep == "true" else []
    # One element for each of the second axis, or of the third where the second one is gone.
    weights = "5" if axis == 1 else "3" if axis == 2 and keep == "false" else "3,1"
    shape = ",".join(map(str, sizes))
    text = f"""
graph main(%x: float32[4,3,5]) {{
  %w = const float32[{weights}] random(1) : float32[{weights}]
  %r = reduce_mean(X=%x) {{dim=[{axis}], keep_dim={keep}}} : float32[{shape}]
  %y = elementwise_mul(X=%r, Y=%w) {{axis=-1}} : float32[{shape}]
  return %y
}}
"""
    OPENVINO.check(text, floats(4, 3, 5))


def test_normalisation_of_averages_along_time() -> None:
    text = """
graph main(%x: float32[2,8,12], %v: float32[8]) {
  %s = const float32[8] random(1) : float32[8]
  %b = const float32[8] random(2) : float32[8]
  %m = const float32[8] random(3) : float32[8]
  %r = reduce_mean(X=%x) {dim=[2], keep_dim=true} : float32[2,8,1]
  Y=%y = batch_norm(X=%r, Scale=%s, Bias=%b, Mean=%m, Variance=%v) {is_test=true} : float32[2,8,1]
  return %y
}
"""
    OPENVINO.check(text, floats(2, 8, 12), abs(floats(8)) + 1)
