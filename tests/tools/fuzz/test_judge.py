"""What counts as a difference: not what the reference itself loses by rounding, nor what has no result."""

from __future__ import annotations

import numpy as np
import onnx.parser
import pytest
from onnx import helper

from lite.ir.types import Array
from lite.tools.fuzz.evaluate import run_model
from lite.tools.fuzz.judge import difference, is_disputed, is_unstable
from lite.tools.fuzz.no_answer import has_no_answer, is_undefined

HEADER = '<ir_version: 10, opset_import: ["" : 14]>'
TOLERANCE = 1e-4
MAXIMA = """s = Constant <value_float = 0.5> () i = Constant <value_ints = [1, 1, -1]> () r = Reshape (b, i)
            p, y = MaxPool <kernel_shape = [2]> (r)"""


def test_nan_that_rounding_makes_a_number_is_unstable() -> None:
    """The engine divides the differences from the mean, all of them 0, by their deviation."""
    pytest.importorskip("onnxruntime")
    model = onnx.parser.parse_model(
        f"""{HEADER} equal (float[2,4] x) => (float[1,4] y) {{
            a, b = Split <axis = 0> (x)
            c = Shrink <lambd = 0.5> (b)
            y = MeanVarianceNormalization <axes = [1]> (c)
        }}"""
    )
    feeds: dict[str, Array] = {"x": np.full((2, 4), 0.25, np.float32)}
    nan = run_model(model, feeds)

    assert np.isnan(nan[0]).all()
    assert is_unstable(model, feeds, {"y": nan[0]}, TOLERANCE)


def test_a_quotient_between_two_codes_is_unstable_also_next_to_a_resize() -> None:
    """The reference refuses a scale of 1 that was moved."""
    pytest.importorskip("onnxruntime")
    model = onnx.parser.parse_model(
        """<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
        tie (int8[4] q, float[1,1,2,2] x) => (int8[4] y, float[1,1,4,2] z)
            <float s = {0.5}, float t = {0.5}, int8 zero = {0}, float[4] scales = {1, 1, 2, 1}> {
            y = com.microsoft.QLinearLeakyRelu <alpha = 0.25> (q, s, zero, t, zero)
            z = Resize <mode = "cubic"> (x, , scales)
        }"""
    )
    x = np.ones((1, 1, 2, 2), np.float32)
    feeds: dict[str, Array] = {"q": np.array([-2, -6, -10, -14], np.int8), "x": x}
    expected = dict(zip("yz", run_model(model, feeds), strict=True))

    assert expected["y"].tolist() == [0, -2, -2, -4]
    assert is_unstable(model, feeds, expected, TOLERANCE)


def test_a_power_of_the_end_of_a_window_is_unstable() -> None:
    """The end is a sum of cosines that is 0 but for rounding, and no real number is read."""
    pytest.importorskip("onnxruntime")
    model = onnx.parser.parse_model(
        """<ir_version: 10, opset_import: ["" : 20]> end (int64 n) => (float[3] y) <float e = {3.5}> {
            w = BlackmanWindow <periodic = 0> (n)
            y = Pow (w, e)
        }"""
    )
    feeds: dict[str, Array] = {"n": np.array(3)}
    [power] = run_model(model, feeds)

    assert is_unstable(model, feeds, {"y": power}, TOLERANCE)


def test_a_plain_sum_is_stable() -> None:
    pytest.importorskip("onnxruntime")
    model = onnx.parser.parse_model(f"{HEADER} sum (float[4] x) => (float[4] y) {{ y = Add (x, x) }}")
    x = np.arange(4, dtype=np.float32)

    assert not is_unstable(model, {"x": x}, {"y": x + x}, TOLERANCE)


@pytest.mark.parametrize(
    ("nodes", "second", "expected"),
    [
        pytest.param("y, s, z = DynamicQuantizeLinear (a)", (2, 3), True, id="the scale of zeros"),
        pytest.param("y, s, z = DynamicQuantizeLinear (c)", (2, 3), False, id="the scale of numbers"),
        pytest.param("y = ReduceMean <axes = [1]> (a)", (2, 0), True, id="the mean of no elements"),
        pytest.param("y = ReduceMean <axes = [1]> (a)", (2, 3), False, id="the mean of some"),
        pytest.param("y = Concat <axis = 0> (a, b)", (0, 3), False, id="nothing to add"),
        pytest.param(f"{MAXIMA} q = QuantizeLinear (p, s)", (2, 3), True, id="quantised maxima"),
        pytest.param(MAXIMA, (2, 3), False, id="maxima"),
    ],
)
def test_what_has_no_answer(nodes: str, second: tuple[int, int], expected: bool) -> None:
    pytest.importorskip("onnxruntime")
    model = onnx.parser.parse_model(
        f"{HEADER} g (float[n,m] a, float[k,l] b) => (float y) {{ c = Exp (a) {nodes} }}"
    )
    feeds: dict[str, Array] = {"a": np.zeros(second, np.float32), "b": np.zeros((2, 3), np.float32)}

    assert has_no_answer(model, feeds) is expected


@pytest.mark.parametrize(
    ("mask", "expected"),
    [((1, 3), False), ((2, 3), False), ((2, 2), False), ((4, 3), True), ((2, 7), True)],
)
def test_a_mask_fits_queries_and_keys(mask: tuple[int, int], expected: bool) -> None:
    node = helper.make_node("Attention", ["q", "k", "v", "m"], ["y"])
    keys = np.zeros((1, 2, 3, 4), np.float32)

    assert (
        is_undefined(node, [np.zeros((1, 2, 2, 4), np.float32), keys, keys, np.ones(mask, bool)]) is expected
    )


@pytest.mark.parametrize(("size", "expected"), [(4, False), (1, True)])
def test_keys_are_as_long_as_queries(size: int, expected: bool) -> None:
    node = helper.make_node("Attention", ["q", "k", "v"], ["y"])
    queries, keys = (np.zeros((1, 2, 3, each), np.float32) for each in (4, size))

    assert is_undefined(node, [queries, keys, keys]) is expected


@pytest.mark.parametrize(("shape", "expected"), [([1, 1, 6, 4], False), ([1, 1, 7, 5], True), (None, False)])
def test_an_unpooled_image_has_the_size_of_its_windows(shape: list[int] | None, expected: bool) -> None:
    node = helper.make_node("MaxUnpool", ["x", "i", "s"], ["y"], kernel_shape=[2, 2], strides=[2, 2])
    arrays: list[Array] = [np.zeros((1, 1, 3, 2), np.float32), np.zeros((1, 1, 3, 2), np.int64)]
    if shape is not None:
        arrays.append(np.array(shape))

    assert is_undefined(node, arrays) is expected


def test_a_dispute_is_found_beside_functions_that_the_evaluator_does_not_know() -> None:
    """Of an empty string ONNX Runtime counts no part, ONNX's evaluator one."""
    model = onnx.parser.parse_model(
        """<ir_version: 10, opset_import: ["" : 20, "own" : 1]>
        g (string[n] x) => (string[n, k] p, int64[n] y) { p, y = StringSplit <delimiter = "b"> (x) }
        <domain: "own", opset_import: ["" : 20]> F (a) => (r) { r = com.acme.Unknown(a) }"""
    )
    feeds = {"x": np.array(["", "abc"], object)}

    assert is_disputed(model, feeds, "y", np.array([1, 2]), 0)
    assert not is_disputed(model, feeds, "y", np.array([1, 3]), 0)


def test_strings_are_equal_whatever_numpy_knows_of_their_length() -> None:
    labels = np.array(["a", "bc"], object)

    assert difference({"y": labels}, {"y": labels.astype(str)}, TOLERANCE) is None
    assert difference({"y": labels}, {"y": np.array(["a", "b"])}, TOLERANCE) is not None


@pytest.mark.parametrize(
    ("sizes", "pads", "expected"),
    [((1, 3), [0] * 4, True), ((1, 3), [1, 0, 0, 0], False), ((2, 3), [0] * 4, False)],
)
def test_a_window_fits_into_an_image(sizes: tuple[int, int], pads: list[int], expected: bool) -> None:
    node = helper.make_node("AveragePool", ["x"], ["y"], kernel_shape=[2, 2], strides=[2, 2], pads=pads)

    assert is_undefined(node, [np.zeros((1, 7, *sizes), np.float32)]) is expected


@pytest.mark.parametrize(
    ("data", "axis", "expected"),
    [
        (np.array([["a", "b"], ["c", "d"]], object), 0, True),
        (np.array([["a", "b"], ["c", "d"]], object), -1, False),
        (np.array(["a", "b"], object), 0, False),
        (np.zeros((2, 2), np.int64), 0, False),
    ],
)
def test_gathered_rows_of_strings_have_no_answer(data: Array, axis: int, expected: bool) -> None:
    node = helper.make_node("Gather", ["x", "i"], ["y"], axis=axis)

    assert is_undefined(node, [data, np.array([0])]) is expected
