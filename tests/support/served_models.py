"""A model repository of small models, and a server of it in a process of its own."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx
from onnx import TensorProto, helper

ROOT = Path(__file__).resolve().parents[2]

ELEMENT_TYPES = {
    "bool": TensorProto.BOOL,
    "uint8": TensorProto.UINT8,
    "uint16": TensorProto.UINT16,
    "uint32": TensorProto.UINT32,
    "uint64": TensorProto.UINT64,
    "int8": TensorProto.INT8,
    "int16": TensorProto.INT16,
    "int32": TensorProto.INT32,
    "int64": TensorProto.INT64,
    "fp16": TensorProto.FLOAT16,
    "fp32": TensorProto.FLOAT,
    "fp64": TensorProto.DOUBLE,
    "bytes": TensorProto.STRING,
    "bf16": TensorProto.BFLOAT16,
}
"""ONNX's types of the models ``identity_…``."""


def save_model(
    folder: Path,
    nodes: Sequence[onnx.NodeProto],
    inputs: Mapping[str, tuple[int, Sequence[int | str] | None]],
    outputs: Mapping[str, tuple[int, Sequence[int | str] | None]],
) -> None:
    """Write model.onnx to a folder."""
    given, results = (
        [helper.make_tensor_value_info(name, *spec) for name, spec in tensors.items()]
        for tensors in (inputs, outputs)
    )
    graph = helper.make_graph(nodes, "g", given, results)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    folder.mkdir(parents=True)
    onnx.save(model, folder / "model.onnx")


def write_models(root: Path, types: Sequence[str] = tuple(ELEMENT_TYPES)) -> None:
    """Write ``simple`` (sum and difference of INT32[1, 16]), and an ``identity_…`` for each type."""
    for name in types:
        kind = ELEMENT_TYPES[name]
        node = helper.make_node("Identity", ["INPUT0"], ["OUTPUT0"])
        save_model(
            root / f"identity_{name}" / "1", [node], {"INPUT0": (kind, None)}, {"OUTPUT0": (kind, None)}
        )
    pair = (TensorProto.INT32, [1, 16])
    save_model(
        root / "simple" / "1",
        [
            helper.make_node("Add", ["INPUT0", "INPUT1"], ["OUTPUT0"]),
            helper.make_node("Sub", ["INPUT0", "INPUT1"], ["OUTPUT1"]),
        ],
        {"INPUT0": pair, "INPUT1": pair},
        {"OUTPUT0": pair, "OUTPUT1": pair},
    )


@dataclass(frozen=True)
class RunningServer:
    """The ports and the process of a server."""

    port: int
    grpc_port: int
    process: subprocess.Popen[str]

    def ask(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
        *,
        seconds: float = 60,
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            connection.request(method, path, body, dict(headers or {}))
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()
        finally:
            connection.close()

    def json(self, method: str, path: str, document: object = None) -> Any:
        """The JSON document of an answer, which must have the status 200."""
        body = b"" if document is None else json.dumps(document).encode()
        status, _, answer = self.ask(method, path, body)
        assert status == 200, answer
        return json.loads(answer)


@contextmanager
def running_server(*arguments: str) -> Iterator[RunningServer]:
    """``litebridge serve ARGUMENTS`` on free ports; it must end with status 0 after SIGTERM."""
    command = [sys.executable, "-m", "lite.tools.cli", "serve", *arguments, "--port", "0", "--grpc-port", "0"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        assert process.stdout is not None
        port, grpc_port = (int(process.stdout.readline().rpartition(":")[2]) for _ in range(2))
        assert process.stdout.readline().startswith("ready")
        yield RunningServer(port, grpc_port, process)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.communicate()
