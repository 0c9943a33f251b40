"""OrtValue and IOBinding."""

from __future__ import annotations

import numpy as np
import pytest

from lite.compat import onnxruntime as ort
from lite.compat.onnxruntime import errors
from tests.lite.compat.onnxruntime.models import sum_with_weight

X = np.ones((2, 3), np.float32)
Y = np.array([[2, 3, 4]] * 2, np.float32)


@pytest.fixture
def session() -> ort.InferenceSession:
    return ort.InferenceSession(sum_with_weight().SerializeToString())


def test_a_value_shares_the_memory_of_an_array() -> None:
    value = ort.OrtValue.ortvalue_from_numpy(X)
    assert (value.shape(), value.data_type(), value.element_type()) == ([2, 3], "tensor(float)", 1)
    assert (value.device_name(), value.tensor_size_in_bytes()) == ("cpu", 24)
    assert value.data_ptr() == X.ctypes.data
    assert (value.is_tensor(), value.is_tensor_sequence(), value.is_sparse_tensor()) == (True, False, False)
    np.testing.assert_array_equal(np.from_dlpack(value), X)
    np.testing.assert_array_equal(ort.OrtValue.from_dlpack(X).numpy(), X)


def test_a_value_with_the_bits_of_an_onnx_type() -> None:
    value = ort.OrtValue.ortvalue_from_numpy_with_onnx_type(np.array([0x3F80], np.uint16), 16)
    assert (value.data_type(), float(value.numpy()[0])) == ("tensor(bfloat16)", 1.0)


def test_update_inplace_needs_the_same_shape() -> None:
    value = ort.OrtValue.ortvalue_from_shape_and_type([2, 3], np.float32)
    value.update_inplace(X)
    np.testing.assert_array_equal(value.numpy(), X)
    with pytest.raises(errors.Fail, match=r"expected float32\[2, 3\], got float32\[3\]"):
        value.update_inplace(X[0])


def test_a_sequence_is_no_tensor() -> None:
    value = ort.OrtValue([X])
    assert (value.data_type(), value.is_tensor_sequence()) == ("seq(tensor(float))", True)
    with pytest.raises(errors.Fail, match="sequence"):
        value.shape()


def test_memory_of_a_gpu_is_refused() -> None:
    with pytest.raises(errors.Fail, match="memory of 'cuda' is not available"):
        ort.OrtValue.ortvalue_from_numpy(X, "cuda", 0)


def test_values_go_in_and_out(session: ort.InferenceSession) -> None:
    (result,) = session.run_with_ort_values(["y"], {"x": ort.OrtValue.ortvalue_from_numpy(X)})
    np.testing.assert_array_equal(result.numpy(), Y)


def test_bound_arrays(session: ort.InferenceSession) -> None:
    binding = session.io_binding()
    binding.bind_cpu_input("x", X)
    binding.bind_output("negated")
    binding.bind_output("y")
    binding.synchronize_inputs()
    session.run_with_iobinding(binding)
    binding.synchronize_outputs()
    negated, y = binding.copy_outputs_to_cpu()
    np.testing.assert_array_equal(y, Y)
    np.testing.assert_array_equal(negated, -Y)
    binding.clear_binding_outputs()
    assert binding.get_outputs() == []


def test_addresses_and_values_are_written(session: ort.InferenceSession) -> None:
    result, value = np.zeros((2, 3), np.float32), ort.OrtValue.ortvalue_from_shape_and_type([2, 3], 1)
    binding = session.io_binding()
    binding.bind_input("x", "cpu", 0, np.float32, X.shape, X.ctypes.data)
    binding.bind_output("y", "cpu", 0, np.float32, result.shape, result.ctypes.data)
    binding.bind_ortvalue_output("negated", value)
    session.run_with_iobinding(binding)
    np.testing.assert_array_equal(result, Y)
    np.testing.assert_array_equal(value.numpy(), -Y)
    assert binding.get_outputs()[1] is value


def test_wrong_names_cannot_be_bound(session: ort.InferenceSession) -> None:
    binding = session.io_binding()
    with pytest.raises(RuntimeError, match="Failed to find input name in the mapping: xy; did you mean 'x'"):
        binding.bind_cpu_input("xy", X)
    with pytest.raises(RuntimeError, match="Failed to find output name in the mapping: z"):
        binding.bind_output("z")
