"""Runs on the caller's arrays: nothing is copied, nothing stale is read, threads do not meet."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from lite.errors import ExecutionError
from lite.ir.types import Array
from tests.bridges.arrays import floats
from tests.bridges.devices import OPENVINO

RELU = "graph main(%x: float32[8,32]) { Out=%y = relu(X=%x) {} return %y }"
BOTH = """graph main(%x: float32[4], %n: int64[4]) {
    Out=%y = relu(X=%x) {} Out=%m = negative(X=%n) {} return %y, %x, %y, %m, %n }"""
WHERE = "graph main(%x: float32[6]) { Out=%y = where_index(Condition=%x) {} return %y }"


def request_of(text: str) -> tuple[object, Array, Array, Array]:
    """An infer request after a run, its input and output arrays, and the result."""
    model, x, out = OPENVINO.compile(text), floats(8, 32), np.zeros((8, 32), np.float32)
    (result,) = model.run([x], [out])
    return model._requests.request._request, x, out, result  # the request of OpenVINO itself


def test_inputs_and_outputs_are_shared() -> None:
    request, x, out, result = request_of(RELU)

    assert result is out
    np.testing.assert_array_equal(out, np.maximum(x, 0))
    assert np.shares_memory(request.get_input_tensor(0).data, x)  # type: ignore[attr-defined]
    assert np.shares_memory(request.get_output_tensor(0).data, out)  # type: ignore[attr-defined]


def test_a_read_only_input_is_shared() -> None:
    model, x = OPENVINO.compile(RELU), floats(8, 32)
    x.flags.writeable = False

    (result,) = model.run([x], [None])

    np.testing.assert_array_equal(result, np.maximum(x, 0))
    assert np.shares_memory(model._requests.request._request.get_input_tensor(0).data, x)


def test_an_output_without_an_array_is_allocated_for_each_run() -> None:
    model, x = OPENVINO.compile(RELU), floats(8, 32)

    (first,) = model.run([x], [None])
    (second,) = model.run([-x], [None])

    assert not np.shares_memory(first, second)
    np.testing.assert_array_equal(first, np.maximum(x, 0))
    np.testing.assert_array_equal(second, np.maximum(-x, 0))


def test_arrays_may_be_replaced_and_freed() -> None:
    model = OPENVINO.compile(RELU)
    for n in range(50):
        x = floats(8, 32, seed=n)
        out = np.empty((8, 32), np.float32) if n % 3 else None
        np.testing.assert_array_equal(model.run([x], [out])[0], np.maximum(x, 0))
        del x, out


def test_an_array_may_change_between_runs() -> None:
    model, x, out = OPENVINO.compile(RELU), floats(8, 32), np.empty((8, 32), np.float32)
    for _ in range(3):
        x *= -1
        model.run([x], [out])
        np.testing.assert_array_equal(out, np.maximum(x, 0))


def test_an_input_and_a_value_can_be_returned_twice() -> None:
    x, n = floats(4), np.arange(4)
    for outputs in ([None] * 5, [np.zeros_like(a) for a in (x, x, x, n, n)]):
        y, x_result, y_again, m, n_result = OPENVINO.compile(BOTH).run([x, n], outputs)

        for result, expected in (
            (y, np.maximum(x, 0)),
            (x_result, x),
            (y_again, np.maximum(x, 0)),
            (m, -n),
            (n_result, n),
        ):
            np.testing.assert_array_equal(result, expected)
    assert not np.shares_memory(x_result, x)


def test_a_constant_is_a_result() -> None:
    text = """graph main(%x: float32[4]) {
        %c = const float32[2,3] random(1) Out=%y = relu(X=%x) {} Out=%z = relu(X=%c) {} return %z, %y }"""
    first = OPENVINO.compile(text).run([floats(4)], [None, None])
    again = OPENVINO.compile(text).run([floats(4)], [np.empty((2, 3), np.float32), None])

    np.testing.assert_array_equal(first[0], again[0])
    assert first[0].shape == (2, 3)


def test_outputs_of_unknown_size_are_copied() -> None:
    model, x = OPENVINO.compile(WHERE), np.array([0, 1, 0, 2, 3, 0], np.float32)

    (three,) = model.run([x], [None])
    (none,) = model.run([np.zeros(6, np.float32)], [None])
    output = np.zeros((3, 1), np.int64)
    (written,) = model.run([x], [output])

    assert three.tolist() == [[1], [3], [4]]
    assert none.shape == (0, 1)
    assert written is output
    assert output.tolist() == [[1], [3], [4]]
    with pytest.raises(ExecutionError, match=r"output 0 is int64\[3, 1\], expected int64\[2, 1\]"):
        model.run([x], [np.zeros((2, 1), np.int64)])


def test_arrays_of_another_shape_are_errors() -> None:
    with pytest.raises(
        ExecutionError, match=r"output 0: expected an array float32\[8, 32\], got float32\[8\]"
    ):
        OPENVINO.compile(RELU).run([floats(8, 32)], [np.zeros(8, np.float32)])
    with pytest.raises(ExecutionError, match=r"openvino: the run failed: [\s\S]*incompatible"):
        OPENVINO.compile(RELU).run([floats(3, 32)], [None])


def test_a_request_that_failed_is_not_used_again() -> None:
    model, x = OPENVINO.compile(RELU), floats(8, 32)
    model.run([x], [None])
    before = model._requests.request
    with pytest.raises(ExecutionError, match="the run failed"):
        model.run([floats(3, 32)], [None])

    np.testing.assert_array_equal(model.run([x], [None])[0], np.maximum(x, 0))
    assert model._requests.request is not before


@pytest.mark.parametrize("number", [2**24 + 1, -(2**24) - 1, 2**40])
def test_integers_that_openvino_rounds_are_an_error(number: int) -> None:
    model = OPENVINO.compile("graph main(%x: int64[3]) { Out=%y = negative(X=%x) {} return %y }")

    assert model.run([np.array([2**24, -(2**24), 0])], [None])[0].tolist() == [-(2**24), 2**24, 0]
    with pytest.raises(ExecutionError, match="input 0 has integers beyond 16777216, which it rounds"):
        model.run([np.array([0, number, 1])], [None])


@pytest.mark.parametrize("loaded", [False, True])
def test_threads_share_a_model(loaded: bool) -> None:
    model = OPENVINO.compile(RELU)
    if loaded:
        model = OPENVINO.open().load(model.serialize() or b"")
    assert model.threads == "shared"
    wrong: list[int] = []

    def work(seed: int) -> None:
        x, out = floats(8, 32, seed=seed), np.empty((8, 32), np.float32)
        for _ in range(200):
            out[...] = -1
            model.run([x], [out])
            if not np.array_equal(out, np.maximum(x, 0)):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_hard_sigmoid_without_an_offset_is_not_shifted() -> None:
    """OpenVINO's own HardSigmoid adds 0.5 in place of an offset of 0."""
    text = (
        "graph main(%x: float32[4,8]) { Out=%y = hard_sigmoid(X=%x) {slope = 0.5, offset = 0.0} return %y }"
    )
    x = floats(4, 8) * 3
    (y,) = OPENVINO.compile(text).run([x], [None])
    np.testing.assert_allclose(y, np.clip(0.5 * x, 0, 1), rtol=1e-6, atol=1e-7)


def test_integers_of_numpys_other_type_of_64_bits_are_taken() -> None:
    text = "graph main(%n: int64[3]) { Out=%m = cast(X=%n) {in_dtype=3, out_dtype=5} return %m }"
    numbers = np.array([1, -2, 3], np.longlong)

    (result,) = OPENVINO.compile(text).run([numbers], [None])

    np.testing.assert_array_equal(result, np.array([1, -2, 3], np.float32))
