"""Execution providers as devices."""

from __future__ import annotations

import numpy as np
import pytest

from lite.compat import onnxruntime as ort
from lite.compat.onnxruntime import errors, providers
from lite.compat.onnxruntime.environment import use_settings
from tests.lite.compat.onnxruntime.models import sum_with_weight

CPU = "CPUExecutionProvider"
OPENVINO = "OpenVINOExecutionProvider"


@pytest.fixture
def openvino(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the device openvino can be used."""

    def why_not(device: str) -> str | None:
        return None if device == "openvino" else "it is not here"

    monkeypatch.setattr(providers, "_device_why_not", why_not)


def test_without_providers_the_cpu_runs_the_model() -> None:
    session = ort.InferenceSession(sum_with_weight().SerializeToString())
    assert (session.get_providers(), session.get_provider_options()) == ([CPU], {CPU: {}})
    assert session._config(()).devices == ()


def test_a_provider_is_a_device_with_its_options(openvino: None) -> None:
    choices = providers.chosen([(OPENVINO, {"device_type": "CPU", "precision": "FP32"}), CPU], None)
    assert choices == [(OPENVINO, {"device_type": "CPU", "precision": "FP32"}), (CPU, {})]
    assert providers.device_texts(choices) == ("openvino{device=CPU,precision=f32}",)
    assert providers.chosen([OPENVINO], [{"device_type": "CPU"}]) == [
        (OPENVINO, {"device_type": "CPU"}),
        (CPU, {}),
    ]


def test_a_model_runs_on_the_device_of_a_provider() -> None:
    pytest.importorskip("openvino")
    session = ort.InferenceSession(sum_with_weight().SerializeToString(), providers=[OPENVINO, CPU])
    (y,) = session.run(["y"], {"x": np.zeros((1, 3), np.float32)})
    np.testing.assert_array_equal(y, [[1, 2, 3]])
    assert session.get_providers() == [OPENVINO, CPU]
    (placed,) = session._pool(())._first.report().regions
    assert placed.device == "openvino"


def test_unknown_and_absent_providers_warn_and_leave_the_cpu(openvino: None) -> None:
    with pytest.warns(
        UserWarning, match=r"'CUDAExecutionProvider' is not in available provider names: no device"
    ):
        assert providers.chosen(["CUDAExecutionProvider"], None) == [(CPU, {})]
    with pytest.warns(UserWarning, match="device qnn: it is not here"):
        assert providers.chosen(["QNNExecutionProvider", CPU], None) == [(CPU, {})]


def test_available_providers_are_those_of_install(openvino: None) -> None:
    assert providers.get_available_providers() == [CPU]
    use_settings(["openvino{device=CPU}", "sim_npu"])
    assert providers.get_available_providers() == [OPENVINO, CPU]


def test_devices_of_install_follow_those_of_providers(openvino: None) -> None:
    use_settings(["openvino", "sim_npu"])
    assert providers.device_texts([(OPENVINO, {"device_type": "GPU"}), (CPU, {})]) == (
        "openvino{device=GPU}",
        "sim_npu",
    )


def test_devices_with_the_real_package_run_in_processes_of_their_own() -> None:
    assert providers.needs_processes(["qnn{soc_model=1}"])
    assert not providers.needs_processes(["openvino"])


def test_wrong_forms_are_refused() -> None:
    with pytest.raises(errors.InvalidArgument, match=r"write \['CPUExecutionProvider'\]"):
        providers.chosen(CPU, None)
    with pytest.raises(errors.InvalidArgument, match="must have equal length, got 1 and 2"):
        providers.chosen([CPU], [{}, {}])


def test_an_option_without_a_counterpart_is_logged(openvino: None, caplog: pytest.LogCaptureFixture) -> None:
    assert providers.device_texts([(OPENVINO, {"foo": "1"})]) == ("openvino",)
    assert "the provider option 'foo' has no effect" in caplog.text


def test_set_providers_plans_the_model_again(openvino: None) -> None:
    session = ort.InferenceSession(sum_with_weight().SerializeToString())
    session.set_providers([CPU])
    np.testing.assert_array_equal(session.run(["y"], {"x": np.zeros((1, 3), np.float32)})[0], [[1, 2, 3]])
