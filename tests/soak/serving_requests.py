"""``python -m tests.soak.serving_requests``: random HTTP and gRPC bodies against the embedded server.

Every answer must be a client's fault or a correct result, the server must answer a correct request at the
end, and its memory, descriptors and threads must not grow.
"""

from __future__ import annotations

import collections
import json
import random
import socket
import sys
import tempfile
import zlib
from pathlib import Path

import click
import numpy as np

from lite.serving.oip import oip_pb2 as pb
from tests.support.served_models import RunningServer, running_server, write_models

TYPES = ("fp32", "bytes", "int8", "bool", "fp16")
HTTP_ALLOWED = frozenset({200, 400, 401, 403, 404, 405, 413, 415, 429})
GRPC_ALLOWED = frozenset(
    {"OK", "INVALID_ARGUMENT", "NOT_FOUND", "UNIMPLEMENTED", "RESOURCE_EXHAUSTED", "PERMISSION_DENIED"}
)
MOST_GROWTH = 1.2
"""Resident memory at the end, in relation to that after the first quarter."""

_JUNK: tuple[object, ...] = (
    None,
    True,
    -1,
    0,
    1,
    2**31,
    2**63,
    2**64,
    1e308,
    "",
    "x",
    "\0",
    "é" * 50,
    [],
    {},
    [[]],
    [1, [2]],
    "FP32",
)
_METHODS = (
    "ModelInfer",
    "ModelStreamInfer",
    "ModelConfig",
    "ModelMetadata",
    "ModelStatistics",
    "RepositoryIndex",
    "RepositoryModelLoad",
    "SystemSharedMemoryRegister",
    "TraceSetting",
    "LogSettings",
)


def http_request(choices: random.Random) -> tuple[str, str, bytes, dict[str, str]]:
    """Method, path, body and headers of a request with random faults."""
    name = choices.choice(TYPES)
    data = np.arange(6, dtype=np.float32).tobytes()
    entry = {
        "name": "INPUT0",
        "shape": [2, 3],
        "datatype": name.upper(),
        "parameters": {"binary_data_size": len(data)},
    }
    document: object = {"id": "1", "inputs": [entry], "outputs": [{"name": "OUTPUT0"}]}
    if choices.random() < 0.5:
        del entry["parameters"]
        entry["data"] = [1, 2, 3, 4, 5, 6]
        data = b""
    for _ in range(choices.randint(0, 3)):
        document = damaged(document, choices)
    head = json.dumps(document).encode()
    body = head + data
    headers = {"Inference-Header-Content-Length": str(len(head))} if data else {}
    if choices.random() < 0.3:
        body = flipped(body, choices)
    if choices.random() < 0.1:
        headers["Inference-Header-Content-Length"] = str(
            choices.choice([0, -1, 1, 10**20, "x", len(body) + 1])
        )
    if choices.random() < 0.15:
        headers["Content-Encoding"] = choices.choice(["gzip", "deflate", "br", "identity"])
        body = choices.choice([body, zlib.compress(body), zlib.compress(bytes(choices.randint(1, 1 << 22)))])
    path = f"/v2/models/identity_{name}/infer"
    if choices.random() < 0.15:
        path = choices.choice(
            [
                "/v2/models/../../etc/passwd/infer",
                "/v2/models/identity_fp32/versions/9/infer",
                "/v2/repository/models/..%2f..%2fx/load",
                "/v2/repository/index",
                "/v2/systemsharedmemory/region/a/register",
                "/v2/logging",
                "/v2/trace/setting",
                "/v2/" + "a/" * choices.randint(0, 200),
                "/%00%ff",
                "/metrics",
            ]
        )
    method = choice_of(choices, ("POST", 20), ("GET", 1), ("PUT", 1), ("DELETE", 1), ("OPTIONS", 1))
    return method, path, body, headers


def choice_of(choices: random.Random, *weighted: tuple[str, int]) -> str:
    """One of some texts by their weights."""
    return choices.choices([text for text, _ in weighted], [weight for _, weight in weighted])[0]


def damaged(document: object, choices: random.Random) -> object:
    """A document in which one value is replaced, removed or repeated."""
    if choices.random() < 0.2 or not isinstance(document, dict | list) or not document:
        return choices.choice(_JUNK)
    if isinstance(document, dict):
        key = choices.choice(list(document))
        if choices.random() < 0.2:
            return {other: value for other, value in document.items() if other != key}
        return {**document, key: damaged(document[key], choices)}
    number = choices.randrange(len(document))
    if choices.random() < 0.2:
        return document + document
    return [*document[:number], damaged(document[number], choices), *document[number + 1 :]]


def flipped(body: bytes, choices: random.Random) -> bytes:
    """A body with some bytes changed, cut off or added."""
    changed = bytearray(body)
    for _ in range(choices.randint(1, 4)):
        if changed:
            changed[choices.randrange(len(changed))] = choices.randrange(256)
    if choices.random() < 0.3:
        changed = changed[: choices.randrange(len(changed) + 1)]
    return bytes(changed) + choices.randbytes(choices.choice([0, 0, 1, 100]))


def grpc_request(choices: random.Random) -> tuple[str, bytes]:
    """A method and the bytes of a message with random faults."""
    message = pb.ModelInferRequest(model_name=f"identity_{choices.choice(TYPES)}", id="1")
    for _ in range(choices.choice([0, 1, 1, 1, 2])):
        tensor = message.inputs.add(
            name=choices.choice(["INPUT0", "", "x"]),
            datatype=choices.choice(["FP32", "BYTES", "INT8", "BOOL", "FP16", "", "X"]),
        )
        tensor.shape.extend(choices.choice([[2, 3], [], [0], [-1], [2**62, 4], [1] * 40]))
        if choices.random() < 0.3:
            tensor.contents.fp32_contents.extend([1.0] * choices.choice([0, 6]))
        if choices.random() < 0.2:
            tensor.parameters["shared_memory_region"].string_param = "a"
        if choices.random() < 0.7:
            message.raw_input_contents.append(choices.randbytes(choices.choice([0, 6, 24, 100])))
    if choices.random() < 0.2:
        message.parameters["timeout"].int64_param = choices.choice([-1, 0, 10**7, 2**62])
    if choices.random() < 0.2:
        message.outputs.add(name="OUTPUT0").parameters["classification"].int64_param = choices.choice(
            [1, -1, 2**40]
        )
    body = message.SerializeToString()
    if choices.random() < 0.4:
        body = flipped(body, choices)
    return choice_of(choices, *((name, 20 if name == "ModelInfer" else 1) for name in _METHODS)), body


def ask_http(port: int, count: int, choices: random.Random) -> collections.Counter[str]:
    """How often each status came for `count` requests; those that break HTTP itself are counted as closed."""
    import http.client

    answers: collections.Counter[str] = collections.Counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    for number in range(count):
        method, path, body, headers = http_request(choices)
        if number % 50 == 0:
            answers[
                ask_raw(
                    port, flipped(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(), choices)
                )
            ] += 1
            continue
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            response.read()
            answers[str(response.status)] += 1
        except (http.client.HTTPException, OSError):
            # The server may close the connection before it has read a body that it refuses.
            answers["closed"] += 1
            connection.close()
    connection.close()
    return answers


def ask_raw(port: int, data: bytes) -> str:
    """The status of the answer to some bytes, or ``closed``."""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        answer = connection.recv(64)
    return answer.split()[1].decode() if answer.startswith(b"HTTP/") else "closed"


def ask_grpc(port: int, count: int, choices: random.Random) -> collections.Counter[str]:
    """How often each code came for `count` calls."""
    import grpc

    answers: collections.Counter[str] = collections.Counter()
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        for _ in range(count):
            method, body = grpc_request(choices)
            path = f"/inference.GRPCInferenceService/{method}"
            try:
                if method == "ModelStreamInfer":
                    list(channel.stream_stream(path, _same, _same)(iter([body, body]), timeout=10))
                else:
                    channel.unary_unary(path, _same, _same)(body, timeout=10)
                answers["OK"] += 1
            except grpc.RpcError as error:
                code = error.code() if isinstance(error, grpc.Call) else None
                answers["none" if code is None else code.name] += 1
    return answers


def _same(data: bytes) -> bytes:
    return data


def memory_kb(process: int) -> int:
    """Resident memory of a process."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def counts(process: int) -> tuple[int, int]:
    """The descriptors and threads of a process."""
    return tuple(len(list(Path(f"/proc/{process}/{name}").iterdir())) for name in ("fd", "task"))  # type: ignore[return-value]


def problems(server: RunningServer, count: int, seed: int) -> list[str]:
    """What went wrong in `count` HTTP requests and as many gRPC calls, in four parts."""
    choices = random.Random(seed)
    web: collections.Counter[str] = collections.Counter()
    rpc: collections.Counter[str] = collections.Counter()
    sizes: list[int] = []
    states: list[tuple[int, int]] = []
    for _ in range(4):
        web += ask_http(server.port, count // 4, choices)
        rpc += ask_grpc(server.grpc_port, count // 4, choices)
        sizes.append(memory_kb(server.process.pid))
        states.append(counts(server.process.pid))
    click.echo(f"HTTP {dict(web)}\ngRPC {dict(rpc)}\nkB {sizes}; descriptors and threads {states}")
    found = [
        f"HTTP {name}: {web[name]}" for name in web if name != "closed" and int(name) not in HTTP_ALLOWED
    ]
    found += [f"gRPC {name}: {rpc[name]}" for name in rpc if name not in GRPC_ALLOWED]
    if sizes[-1] > MOST_GROWTH * sizes[0]:
        found.append(f"memory grew from {sizes[0]} to {sizes[-1]} kB")
    if any(last > first + 8 for first, last in zip(states[0], states[-1], strict=True)):
        found.append(f"descriptors and threads grew from {states[0]} to {states[-1]}")
    data = [1.0, -2.0]
    answer = server.json(
        "POST",
        "/v2/models/identity_fp32/infer",
        {"inputs": [{"name": "INPUT0", "shape": [2], "datatype": "FP32", "data": data}]},
    )
    if answer["outputs"][0]["data"] != data:
        found.append(f"a correct request got {answer}")
    return found


@click.command()
@click.option("--count", default=10_000, show_default=True, help="HTTP requests, and as many gRPC calls.")
@click.option("--seed", default=0, show_default=True)
def main(count: int, seed: int) -> None:
    """Send random requests; exit status 1 for wrong codes, growth, or a server that does not answer."""
    with tempfile.TemporaryDirectory() as folder:
        write_models(Path(folder), TYPES)
        with running_server(folder, "--model-control", "explicit", "--client-shared-memory") as server:
            found = problems(server, count, seed)
    for problem in found:
        click.echo(problem)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
