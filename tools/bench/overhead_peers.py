"""The runtimes of devices, called without litebridge on the caller's arrays.

OpenVINO and ONNX Runtime read the model's own files.  The other runtimes read no form of these models but the
files that ``litebridge build`` writes for them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import lite
from lite.ir.types import Array
from lite.tools.analysis.device_build import build_regions
from lite.tools.bench.sdk_process import SdkProcess
from lite.tools.demo.ppocr_models import OcrModel

Run = Callable[[], object]

QNN_PROVIDER = "QNNExecutionProvider"


def openvino_peer(model: OcrModel, image: Array, out: Array, threads: int) -> Run:
    """OpenVINO with its own Paddle reader, reshaped to the image, on the caller's arrays.

    Threads are not pinned to cores, as in litebridge: pinned threads of both would share the first core.
    """
    import openvino

    core = openvino.Core()
    network = core.read_model(str(model.paddle / "inference.pdmodel"))
    network.reshape(list(image.shape))
    properties = {
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": "f32",
        "INFERENCE_NUM_THREADS": threads,
        "NUM_STREAMS": 1,
        "ENABLE_CPU_PINNING": False,
    }
    request = core.compile_model(network, "CPU", properties).create_infer_request()
    request.set_input_tensor(0, openvino.Tensor(image, shared_memory=True))
    request.set_output_tensor(0, openvino.Tensor(out, shared_memory=True))
    return lambda: request.infer(share_inputs=True, share_outputs=True)


def onnxruntime_peer(model: OcrModel, image: Array, out: Array, threads: int) -> Run:
    """ONNX Runtime on the ONNX file, bound to the caller's arrays."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(str(model.onnx), options, providers=["CPUExecutionProvider"])
    return _bound(session, image, out)


def qnn_peer(model: OcrModel, image: Array, out: Array, threads: int) -> Run:
    """ONNX Runtime with Qualcomm's provider on the context model, bound to the caller's arrays."""
    import onnxruntime
    import onnxruntime_qnn

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    if not any(each.ep_name == QNN_PROVIDER for each in onnxruntime.get_ep_devices()):
        onnxruntime.register_execution_provider_library(QNN_PROVIDER, onnxruntime_qnn.get_library_path())
    chips = [each for each in onnxruntime.get_ep_devices() if each.ep_name == QNN_PROVIDER]
    options.add_provider_for_devices(chips, {"backend_type": "htp"})
    session = onnxruntime.InferenceSession(_built(model, "qnn", image, threads), options)
    return _bound(session, image, out)


def _bound(session: Any, image: Array, out: Array) -> Run:
    binding = session.io_binding()
    for array, bind, (node,) in (
        (image, binding.bind_input, session.get_inputs()),
        (out, binding.bind_output, session.get_outputs()),
    ):
        bind(node.name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)
    return lambda: session.run_with_iobinding(binding)


def litert_peer(model: OcrModel, image: Array, out: Array, threads: int) -> Run:
    """LiteRT's interpreter."""
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_content=_built(model, "litert", image, threads), num_threads=threads)
    interpreter.allocate_tensors()
    (given,), (result,) = interpreter.get_input_details(), interpreter.get_output_details()

    def run() -> None:
        interpreter.set_tensor(given["index"], image)
        interpreter.invoke()
        np.copyto(out, interpreter.tensor(result["index"])())

    return run


def xla_peer(model: OcrModel, image: Array, out: Array, threads: int) -> Run:
    """JAX's client, which compiles StableHLO; JAX's own functions would add their dispatch."""
    import jax
    from jax.extend.backend import get_backend
    from jaxlib import _jax

    client = get_backend("cpu")
    options = _jax.CompileOptions()
    options.env_option_overrides = [("xla_cpu_multi_thread_eigen", threads > 1)]
    device = client.local_devices()[0]
    executable = client.compile_and_load(
        _built(model, "xla", image, threads), _jax.DeviceList((device,)), options
    )

    def run() -> None:
        (result,) = executable.execute([jax.device_put(image, device)])
        np.copyto(out, np.asarray(result))

    return run


def rknn_peer(model: OcrModel, image: Array, out: Array, threads: int) -> SdkProcess:
    """RKNN-Toolkit2 in its interpreter, on the ONNX model that was built for it."""
    return SdkProcess("rknn", _built(model, "rknn", image, threads, ".onnx"), ".onnx", image, out, threads)


def tpu_peer(model: OcrModel, image: Array, out: Array, threads: int) -> SdkProcess:
    """TPU-MLIR's runtime in its interpreter, on the bmodel."""
    return SdkProcess("tpu", _built(model, "tpu", image, threads), ".bmodel", image, out, threads)


def _built(model: OcrModel, device: str, image: Array, threads: int, suffix: str = "") -> bytes:
    """The only file, with this suffix, of the only region that ``litebridge build`` writes for a device."""
    config = lite.Config(source(model, device), devices=[device], threads=threads, fallback="error")
    predictor = lite.create_predictor(config)
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder, "built")
        build_regions(predictor, {predictor.input_names[0]: image}, built)
        (file,) = (path for path in built.glob(f"region_*/*{suffix}") if path.is_file())
        return file.read_bytes()


def source(model: OcrModel, device: str) -> Path:
    """The file that litebridge reads."""
    return model.onnx if device == "onnxruntime" else model.paddle


PEERS: Mapping[str, Callable[[OcrModel, Array, Array, int], Run | SdkProcess]] = {
    "openvino": openvino_peer,
    "onnxruntime": onnxruntime_peer,
    "litert": litert_peer,
    "qnn": qnn_peer,
    "xla": xla_peer,
    "rknn": rknn_peer,
    "tpu": tpu_peer,
}
"""For a device, makes a run of a model on an input, an output and a number of threads."""
