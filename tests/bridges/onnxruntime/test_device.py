"""ONNX Runtime as a device: options, versions, providers, runs, threads, stored models."""

from __future__ import annotations

import threading

import ml_dtypes
import numpy as np
import onnxruntime as ort
import pytest

from lite.bridges.onnxruntime.device import OnnxRuntime, OnnxRuntimeOptions
from lite.errors import CompileError, ConfigError
from lite.ir.types import Array
from lite.plugin.device import Settings
from lite.plugin.device.opening import open_device
from tests.bridges.arrays import floats
from tests.bridges.devices import ONNXRUNTIME

CHAIN = """\
graph main(%x: float32[2,3,8,8]) {
  %w = const float32[1,3,1,1] [0.5, -1.0, 2.0]
  Output=%y = conv2d(Input=%x, Filter=%w)
  %z = relu(X=%y)
  return %z
}
"""


def chain(x: Array) -> Array:
    """The result of `CHAIN`, from the definition."""
    products: Array = np.einsum("nchw,c->nhw", x, np.array([0.5, -1, 2], np.float32))
    return np.maximum(products[:, None], 0)


def test_a_missing_provider_is_a_reason() -> None:
    reason = ONNXRUNTIME.open(provider="NoSuchExecutionProvider").available()

    assert reason is not None
    assert reason.startswith("this onnxruntime has no NoSuchExecutionProvider; it has ")
    assert "CPUExecutionProvider" in reason


def test_version_depends_on_the_options() -> None:
    plain, other = ONNXRUNTIME.open().version(), ONNXRUNTIME.open(optimization="basic").version()

    assert plain.startswith(f"onnxruntime {ort.__version__}, CPUExecutionProvider")
    assert plain != other
    assert plain != ONNXRUNTIME.open(provider_options=("arena=1",)).version()
    assert plain == ONNXRUNTIME.open().version()


def test_a_region_equals_the_host() -> None:
    ONNXRUNTIME.check(CHAIN, floats(2, 3, 8, 8))


@pytest.mark.parametrize("optimization", ["disable", "basic", "extended", "all"])
def test_every_level_of_optimisation_gives_the_same_result(optimization: str) -> None:
    model, x = ONNXRUNTIME.compile(CHAIN, ONNXRUNTIME.open(optimization=optimization)), floats(2, 3, 8, 8)

    np.testing.assert_allclose(model.run([x], [None])[0], chain(x), atol=1e-6)


def test_options_are_read_from_text() -> None:
    device = open_device('onnxruntime{optimization=basic, provider_options=["use_arena=0", "a=b=c"]}')

    assert isinstance(device, OnnxRuntime)
    assert device.options.optimization == "basic"
    assert device.options.provider_settings == {"use_arena": "0", "a": "b=c"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("optimization=most", "option optimization: expected one of disable, basic, extended, all, got most"),
        ("provider_options=[arena]", "provider_options: expected key=value, got 'arena'"),
        ("providers=x", "no option 'providers'; did you mean 'provider'"),
    ],
)
def test_wrong_options_are_errors(options: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        open_device(f"onnxruntime{{{options}}}")


def test_a_run_writes_into_the_output_arrays() -> None:
    model, x, z = ONNXRUNTIME.compile(CHAIN), floats(2, 3, 8, 8), np.empty((2, 1, 8, 8), np.float32)

    (result,) = model.run([x], [z])

    assert result is z
    np.testing.assert_allclose(z, chain(x), atol=1e-6)


def test_an_allocated_output_belongs_to_the_caller() -> None:
    model, x = ONNXRUNTIME.compile(CHAIN), floats(2, 3, 8, 8)
    (first,) = model.run([x], [None])
    copy = first.copy()

    model.run([floats(2, 3, 8, 8, seed=1)], [None])

    assert first.flags.owndata
    np.testing.assert_array_equal(first, copy)


def test_a_bound_input_may_change_and_is_never_written() -> None:
    model, x, z = ONNXRUNTIME.compile(CHAIN), floats(2, 3, 8, 8), np.empty((2, 1, 8, 8), np.float32)
    model.run([x], [z])
    other = floats(2, 3, 8, 8, seed=2)

    # The same arrays with other elements: they stay bound.
    x[...] = other
    model.run([x], [z])

    np.testing.assert_allclose(z, chain(other), atol=1e-6)
    np.testing.assert_array_equal(x, other)


def test_inputs_may_be_read_only() -> None:
    model, x = ONNXRUNTIME.compile(CHAIN), floats(2, 3, 8, 8)
    x.flags.writeable = False

    np.testing.assert_allclose(model.run([x], [None])[0], chain(x), atol=1e-6)


UNKNOWN_SIZE = """\
graph main(%x: bool[4,3]) {
  %y = where_index(Condition=%x)
  return %y
}
"""


def test_outputs_of_dynamic_shape_are_allocated() -> None:
    model = ONNXRUNTIME.compile(UNKNOWN_SIZE)
    for seed in range(3):
        x = np.random.default_rng(seed).random((4, 3)) < 0.4
        (result,) = model.run([x], [None])

        np.testing.assert_array_equal(result, np.argwhere(x))


def test_empty_tensors_and_tensors_of_rank_0_equal_the_host() -> None:
    empty = ONNXRUNTIME.compile("graph main(%x: float32[0,3]) {\n  %y = relu(X=%x)\n  return %y\n}\n")
    single = ONNXRUNTIME.compile("graph main(%x: float32[]) {\n  %y = relu(X=%x)\n  return %y\n}\n")

    assert empty.run([np.empty((0, 3), np.float32)], [None])[0].shape == (0, 3)
    (one,) = single.run([np.array(2, np.float32)], [None])
    assert (one.shape, float(one)) == ((), 2.0)


def test_bfloat16_results_equal_the_host() -> None:
    text = "graph main(%x: float32[3]) {\n  %y = cast(X=%x) {out_dtype=22}\n  return %y\n}\n"
    x = np.array([1, 1.001, -3e30], np.float32)

    (result,) = ONNXRUNTIME.run(text, x)

    assert result.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(result, x.astype(ml_dtypes.bfloat16))


def test_an_argument_may_be_a_result() -> None:
    text = "graph main(%x: float32[2]) {\n  %y = relu(X=%x)\n  return %x, %y\n}\n"
    x = np.array([-1, 2], np.float32)

    first, second = ONNXRUNTIME.compile(text).run([x], [None, None])

    assert (first.tolist(), second.tolist()) == ([-1, 2], [0, 2])


def test_a_loaded_model_equals_the_compiled_one() -> None:
    device, x = ONNXRUNTIME.open(), floats(2, 3, 8, 8)
    model = ONNXRUNTIME.compile(CHAIN, device)

    loaded = device.load(model.serialize())

    np.testing.assert_array_equal(loaded.run([x], [None])[0], model.run([x], [None])[0])
    assert loaded.serialize() == model.serialize()


def test_onnxruntime_reads_the_file_of_a_build() -> None:
    import onnxruntime

    x, model = floats(2, 3, 8, 8), ONNXRUNTIME.compile(CHAIN)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    content = model.files()["region.onnx"]

    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])

    [result] = session.run(None, {session.get_inputs()[0].name: x})
    np.testing.assert_array_equal(result, model.run([x], [None])[0])


def test_a_loaded_model_of_dynamic_shape_equals_the_compiled_one() -> None:
    device, x = ONNXRUNTIME.open(), np.array([[True, False, True]] * 4)

    loaded = device.load(ONNXRUNTIME.compile(UNKNOWN_SIZE, device).serialize())

    np.testing.assert_array_equal(loaded.run([x], [None])[0], np.argwhere(x))


def test_a_damaged_kept_model_is_an_error() -> None:
    device = ONNXRUNTIME.open()
    blob = ONNXRUNTIME.compile(CHAIN, device).serialize()
    for position in range(0, len(blob), max(len(blob) // 40, 1)):
        damaged = bytearray(blob)
        damaged[position] ^= 1
        with pytest.raises(CompileError):
            device.load(bytes(damaged))
    for length in (0, 5, 40, len(blob) - 1):
        with pytest.raises(CompileError):
            device.load(blob[:length])


def test_threads_share_a_model() -> None:
    model = ONNXRUNTIME.compile(CHAIN, ONNXRUNTIME.open(Settings(threads=2)))
    assert model.threads == "shared"
    inputs = [floats(2, 3, 8, 8, seed=seed) for seed in range(4)]
    wrong: list[int] = []

    def many_runs(number: int) -> None:
        for _ in range(50):
            (result,) = model.run([inputs[number]], [None])
            if not np.allclose(result, chain(inputs[number]), atol=1e-6):
                wrong.append(number)

    threads = [threading.Thread(target=many_runs, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_settings_decide_the_threads() -> None:
    for threads in (1, 3):
        options = ONNXRUNTIME.compile(
            CHAIN, ONNXRUNTIME.open(Settings(threads=threads))
        ).session.get_session_options()
        assert (options.intra_op_num_threads, options.inter_op_num_threads) == (threads, 1)


def test_a_provider_that_leaves_ops_to_the_cpu_is_an_error() -> None:
    others = [name for name in ort.get_available_providers() if name == "AzureExecutionProvider"]
    if not others:
        pytest.skip("needs a provider that takes no op: AzureExecutionProvider is not in this onnxruntime")
    device = OnnxRuntime(OnnxRuntimeOptions(provider=others[0]), Settings())
    assert device.available() is None

    with pytest.raises(CompileError, match="fallback to CPU EP has been explicitly disabled"):
        ONNXRUNTIME.compile(CHAIN, device)
