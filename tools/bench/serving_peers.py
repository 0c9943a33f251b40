"""The peers of `lite.tools.bench.serving`: other servers, each with ONNX Runtime on one thread for a request.

Each has an interpreter of its own, with its package and onnxruntime.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from lite.tools.demo.ppocr_models import OcrModel

_START_SECONDS = 60

FASTAPI = '''\
"""A bare server: FastAPI, uvicorn and ONNX Runtime."""

import socket
import sys

import numpy as np
import onnxruntime
import uvicorn
from fastapi import FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
[given] = session.get_inputs()
app = FastAPI()


@app.post("/infer")
async def infer(request: Request):
    shape = [int(size) for size in request.headers["x-shape"].split(",")]
    x = np.frombuffer(await request.body(), np.float32).reshape(shape)
    [y] = await run_in_threadpool(session.run, None, {given.name: x})
    return Response(y.tobytes(), media_type="application/octet-stream")


listener = socket.create_server(("127.0.0.1", 0))
print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
config = uvicorn.Config(app, log_level="warning", access_log=False)
uvicorn.Server(config).run([listener])
'''
"""One endpoint that takes a float32 tensor as bytes, with its shape in a header."""

NO_MODEL = '''\
"""The two libraries of the server alone: they take bytes, and answer as many as the model would."""

import asyncio
import socket
import sys

import grpc
import uvicorn
import uvloop

answer = bytes(int(sys.argv[1]))


async def app(scope, receive, send):
    while (await receive()).get("more_body"):
        pass
    headers = [(b"content-length", str(len(answer)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})


async def infer(request, context):
    return answer


async def main():
    server = grpc.aio.server(options=[("grpc.max_receive_message_length", -1)])
    handlers = {"ModelInfer": grpc.unary_unary_rpc_method_handler(infer)}
    service = grpc.method_handlers_generic_handler("inference.GRPCInferenceService", handlers)
    server.add_generic_rpc_handlers((service,))
    listener = socket.create_server(("127.0.0.1", 0))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"http://127.0.0.1:{listener.getsockname()[1]}\\n127.0.0.1:{port}", flush=True)
    config = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off")
    await uvicorn.Server(config).serve([listener])


uvloop.run(main())
'''
"""What a server costs that does nothing."""

_TRITON_MODEL = """\
import json

import onnxruntime
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        path = json.loads(args["model_config"])["parameters"]["model"]["string_value"]
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.name = self.session.get_inputs()[0].name

    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
        [y] = self.session.run(None, {self.name: x})
        return pb_utils.InferenceResponse(output_tensors=[pb_utils.Tensor("y", y)])
"""

_MLSERVER_MODEL = """\
import onnxruntime
from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceResponse


class Model(MLModel):
    async def load(self):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        path = self.settings.parameters.uri
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.x = self.session.get_inputs()[0].name
        return True

    async def predict(self, payload):
        [y] = self.session.run(None, {self.x: NumpyCodec.decode_input(payload.inputs[0])})
        return InferenceResponse(model_name=self.name, outputs=[NumpyCodec.encode_output("y", y)])
"""


@contextmanager
def running(
    command: Sequence[str], stdout: int = subprocess.PIPE, env: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A process, which is ended afterwards; by default, `line` reads what it prints."""
    process = subprocess.Popen(command, stdout=stdout, text=True, env=env)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate()


def line(process: subprocess.Popen[str]) -> str:
    """The next line that a server prints."""
    text = "" if process.stdout is None else process.stdout.readline()
    if not text:
        raise click.ClickException("a server did not start; its message is above")
    return text


def port(process: subprocess.Popen[str]) -> int:
    """The port at the end of the next line."""
    return int(line(process).rpartition(":")[2])


@contextmanager
def fastapi(model: OcrModel, python: str) -> Iterator[tuple[int, int]]:
    """The process and the port of the FastAPI server."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "server.py")
        path.write_text(FASTAPI)
        with running([python, str(path), str(model.onnx)]) as process:
            yield process.pid, port(process)


@contextmanager
def no_model(size: int) -> Iterator[tuple[int, int, int]]:
    """The process and the ports for HTTP and gRPC of a server that answers `size` bytes, without a model."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "server.py")
        path.write_text(NO_MODEL)
        with running([sys.executable, str(path), str(size)]) as process:
            yield process.pid, port(process), port(process)


@contextmanager
def triton(model: OcrModel, python: str, instances: int) -> Iterator[tuple[int, int]]:
    """The ports for HTTP and gRPC of Triton with its Python backend, from the package nvidia-pytriton."""
    package = _printed(python, "import pytriton, pathlib; print(pathlib.Path(pytriton.__file__).parent)")
    version = _printed(python, "import sys; print('%d.%d' % sys.version_info[:2])")
    library = _printed(python, "import sysconfig; print(sysconfig.get_config_var('LIBDIR'))")
    packages = str(Path(package).parent)
    server = Path(package, "tritonserver")
    with tempfile.TemporaryDirectory() as folder:
        backend = Path(folder, "backends", "python")
        backend.mkdir(parents=True)
        stub = server / "python_backend_stubs" / version / "triton_python_backend_stub"
        for source in (*(server / "backends" / "python").iterdir(), stub):
            (backend / source.name).symlink_to(source)
        repository = Path(folder, "models", model.name)
        Path(repository, "1").mkdir(parents=True)
        Path(repository, "1", "model.py").write_text(_TRITON_MODEL)
        sizes = ", ".join(str(size) for size in model.shape)
        Path(repository, "config.pbtxt").write_text(
            f'backend: "python" max_batch_size: 0 input [{{name: "x" data_type: TYPE_FP32 dims: [{sizes}]}}]'
            f' output [{{name: "y" data_type: TYPE_FP32 dims: [{", ".join(["-1"] * _rank(model))}]}}]'
            f' parameters {{key: "model" value: {{string_value: "{model.onnx}"}}}}'
            f" instance_group [{{kind: KIND_CPU count: {instances}}}]"
        )
        http, grpc = free_port(), free_port()
        command = [
            str(server / "bin" / "tritonserver"), "--model-repository", str(repository.parent),
            "--backend-directory", str(backend.parent), "--allow-metrics=false", "--http-address=127.0.0.1",
            "--grpc-address=127.0.0.1", f"--http-port={http}", f"--grpc-port={grpc}", "--log-info=false",
        ]  # fmt: skip
        libraries = f"{server / 'external_libs'}:{library}"
        environment = {**os.environ, "LD_LIBRARY_PATH": libraries, "PYTHONPATH": packages}
        with running(command, subprocess.DEVNULL, environment):
            _wait(f"http://127.0.0.1:{http}/v2/health/ready")
            yield http, grpc


@contextmanager
def mlserver(model: OcrModel, python: str) -> Iterator[int]:
    """The port for gRPC of MLServer; it does not take binary tensors by HTTP."""
    with tempfile.TemporaryDirectory() as folder:
        http, grpc, metrics = free_port(), free_port(), free_port()
        Path(folder, "model.py").write_text(_MLSERVER_MODEL)
        described = {
            "name": model.name,
            "implementation": "model.Model",
            "parameters": {"uri": str(model.onnx)},
        }
        Path(folder, "model-settings.json").write_text(json.dumps(described))
        ports = {"http_port": http, "grpc_port": grpc, "metrics_port": metrics}
        settings = {"host": "127.0.0.1", "parallel_workers": 0, "debug": False, **ports}
        Path(folder, "settings.json").write_text(json.dumps(settings))
        command = [str(Path(python).parent / "mlserver"), "start", folder]
        with running(command, subprocess.DEVNULL, {**os.environ, "PYTHONPATH": folder}):
            _wait(f"http://127.0.0.1:{http}/v2/models/{model.name}/ready")
            yield grpc


def _rank(model: OcrModel) -> int:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(model.onnx), providers=["CPUExecutionProvider"])
    return len(session.get_outputs()[0].shape)


def _printed(python: str, program: str) -> str:
    return subprocess.run([python, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


def free_port() -> int:
    """A port that was free a moment ago, for servers that cannot choose one."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _wait(address: str) -> None:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise click.ClickException(f"nothing answers at {address} after {_START_SECONDS} s")
