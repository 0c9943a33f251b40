"""Measures servers under load: latency, throughput and CPU time; writes docs/benchmarks/serving.md.

python -m lite.tools.bench.serving --out docs/benchmarks/serving.md
python -m lite.tools.bench.serving --fastapi PYTHON      # an interpreter with fastapi and onnxruntime
python -m lite.tools.bench.serving --perf-analyzer perf_analyzer
python -m lite.tools.bench.serving --ray PYTHON          # an interpreter with litebridge[serve,ray]

One process sends the load over several connections; each connection has one request under way at a time.
perf_analyzer sends it to litebridge in addition, where it is given.
"""

from __future__ import annotations

import asyncio
import math
import os
import platform
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import click
import numpy as np

import lite
from lite.cores import usable_cores
from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.serving.oip import oip_pb2 as pb
from lite.serving.protocol.http_response import encode_json
from lite.tools.bench.perf_analyzer import load
from lite.tools.bench.processor import processor
from lite.tools.bench.serving_peers import fastapi, free_port, line, mlserver, no_model, port, running, triton
from lite.tools.demo.ppocr_models import OcrModel, ocr_models
from lite.tools.options.output import page_option, print_or_write

CONCURRENCY = (1, 8, 32)
_MODELS = ("cls", "rec")
Send = Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class Row:
    """A server under a load of `concurrency` connections.

    `throughput` is in requests per second; `p50` and `p99` are percentiles of the latency in milliseconds;
    `cpu` is the CPU time of the server in milliseconds per request.
    """

    model: str
    server: str
    concurrency: int
    throughput: float
    p50: float
    p99: float
    cpu: float


@dataclass(frozen=True)
class Peers:
    """The interpreters of other servers, and how to call perf_analyzer; None to leave one out."""

    fastapi: str
    triton: str | None
    mlserver: str | None
    ray: str | None
    perf_analyzer: str | None


@dataclass(frozen=True)
class Endpoint:
    """A server's process and port, and the request to send; `path` and `headers` are empty for gRPC.

    The process is 0 where the CPU time of a server is not known, as it has several processes.
    """

    name: str
    process: int
    port: int
    path: str
    body: bytes
    headers: str


@click.command(help=__doc__)
@click.option("--seconds", default=4.0, show_default=True, help="Seconds of each measurement.")
@click.option(
    "--fastapi", default=sys.executable, metavar="PYTHON", help="The Python that runs the FastAPI server."
)
@click.option("--triton", metavar="PYTHON", help="A Python with nvidia-pytriton and onnxruntime.")
@click.option("--mlserver", metavar="PYTHON", help="A Python with mlserver and onnxruntime.")
@click.option("--ray", metavar="PYTHON", help="A Python with litebridge[serve,ray].")
@click.option("--perf-analyzer", metavar="COMMAND", help="How to call perf_analyzer, to measure by it, too.")
@page_option
def main(
    seconds: float,
    fastapi: str,
    triton: str | None,
    mlserver: str | None,
    ray: str | None,
    perf_analyzer: str | None,
    out: Path | None,
) -> None:
    """Measure all servers, and print or write the page."""
    peers = Peers(fastapi, triton, mlserver, ray, perf_analyzer)
    others = os.getloadavg()[0]
    rows: list[Row] = []
    for model in ocr_models():
        if model.name in _MODELS:
            rows += _rows_of(model, seconds, peers)
    print_or_write(_page(rows, seconds, others), out)


def _rows_of(model: OcrModel, seconds: float, peers: Peers) -> list[Row]:
    image = model.image()
    predictor = lite.create_predictor(lite.Config(model.paddle, compilation="wait"))
    [answer, *_] = predictor.run([image]).values()
    rows = [_direct(model.name, predictor, image, count, seconds) for count in CONCURRENCY]
    body, headers = _http_request(predictor.input_names[0], image)
    path, message = f"/v2/models/{model.name}/infer", _grpc_request(model, predictor, image)
    with _litebridge(model) as (process, port, grpc_port):
        own = Endpoint("embedded, HTTP", process, port, path, body, headers)
        rpc = Endpoint("embedded, gRPC", process, grpc_port, "", message, "")
        rows += _by_both(model, own, rpc, seconds, peers.perf_analyzer)
    with no_model(answer.nbytes) as (process, port, grpc_port):
        bare = Endpoint("no model, HTTP", process, port, path, body, "")
        rpc = Endpoint("no model, gRPC", process, grpc_port, "", message, "")
        for count in CONCURRENCY:
            rows.append(asyncio.run(_http_load(model.name, bare, count, seconds)))
            rows.append(asyncio.run(_grpc_load(model.name, rpc, count, seconds)))
    if peers.ray is not None:
        with _on_ray(model, peers.ray) as ports:
            own = Endpoint("Ray with HAProxy, HTTP", 0, ports[0], path, body, headers)
            rpc = Endpoint("Ray with HAProxy, gRPC", 0, ports[1], "", message, "")
            rows += _by_both(model, own, rpc, seconds, peers.perf_analyzer)
    with fastapi(model, peers.fastapi) as (process, http):
        shape = f"x-shape: {','.join(map(str, image.shape))}\r\n"
        peer = Endpoint("FastAPI + ONNX Runtime", process, http, "/infer", image.tobytes(), shape)
        for count in CONCURRENCY:
            rows.append(asyncio.run(_http_load(model.name, peer, count, seconds)))
    if peers.triton is not None:
        with triton(model, peers.triton, usable_cores()) as ports:
            own = Endpoint("Triton + ONNX Runtime, HTTP", 0, ports[0], path, body, headers)
            rpc = Endpoint("Triton + ONNX Runtime, gRPC", 0, ports[1], "", message, "")
            rows += _by_both(model, own, rpc, seconds, peers.perf_analyzer)
    if peers.mlserver is not None:
        with mlserver(model, peers.mlserver) as grpc_port:
            rpc = Endpoint("MLServer + ONNX Runtime, gRPC", 0, grpc_port, "", message, "")
            rows += [asyncio.run(_grpc_load(model.name, rpc, count, seconds)) for count in CONCURRENCY]
    return rows


def _by_both(
    model: OcrModel, own: Endpoint, rpc: Endpoint, seconds: float, perf_analyzer: str | None
) -> list[Row]:
    """A server of the protocol under the load of this program, and of perf_analyzer."""
    rows = []
    for count in CONCURRENCY:
        rows.append(asyncio.run(_http_load(model.name, own, count, seconds)))
        rows.append(asyncio.run(_grpc_load(model.name, rpc, count, seconds)))
        if perf_analyzer is not None:
            rows += [_analyzed(perf_analyzer, each, model, count) for each in (own, rpc)]
    return rows


def _direct(name: str, predictor: lite.Predictor, image: Array, count: int, seconds: float) -> Row:
    """The predictor's own time, without a server: clones on as many threads as there are cores."""
    cores = min(count, usable_cores())
    begin, times, cpu = time.perf_counter(), list[float](), time.process_time()

    def work() -> None:
        clone = predictor.clone()
        clone.run([image])
        while time.perf_counter() - begin < seconds:
            start = time.perf_counter()
            clone.run([image])
            times.append(1e3 * (time.perf_counter() - start))

    with ThreadPoolExecutor(cores) as pool:
        for future in [pool.submit(work) for _ in range(cores)]:
            future.result()
    elapsed = time.perf_counter() - begin
    cpu = time.process_time() - cpu
    return _row(name, "direct calls", count, times, elapsed, cpu)


def _http_request(name: str, image: Array) -> tuple[bytes, str]:
    entry = {
        "name": name,
        "shape": image.shape,
        "datatype": "FP32",
        "parameters": {"binary_data_size": image.nbytes},
    }
    head = encode_json({"inputs": [entry], "parameters": {"binary_data_output": True}})
    return head + image.tobytes(), f"Inference-Header-Content-Length: {len(head)}\r\n"


async def _http_load(model: str, to: Endpoint, count: int, seconds: float) -> Row:
    head = (
        f"POST {to.path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(to.body)}\r\n{to.headers}\r\n"
    ).encode()

    async def client() -> Send:
        reader, writer = await asyncio.open_connection("127.0.0.1", to.port)

        async def send() -> None:
            writer.write(head)
            writer.write(to.body)
            answer = await reader.readuntil(b"\r\n\r\n")
            if not answer.startswith(b"HTTP/1.1 200"):
                raise click.ClickException(f"{to.name}: {answer!r}")
            lines = answer.lower().split(b"\r\n")
            [length] = [int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length:")]
            await reader.readexactly(length)

        return send

    return await _load(model, to, [await client() for _ in range(count)], seconds)


def _grpc_request(model: OcrModel, predictor: lite.Predictor, image: Array) -> bytes:
    message = pb.ModelInferRequest(model_name=model.name)
    message.inputs.add(name=predictor.input_names[0], datatype="FP32", shape=image.shape)
    message.raw_input_contents.append(image.tobytes())
    return message.SerializeToString()


async def _grpc_load(model: str, to: Endpoint, count: int, seconds: float) -> Row:
    import grpc.aio

    options = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]
    async with grpc.aio.insecure_channel(f"127.0.0.1:{to.port}", options=options) as channel:
        call = channel.unary_unary("/inference.GRPCInferenceService/ModelInfer", _same, _same)

        async def send() -> None:
            await call(to.body)

        return await _load(model, to, [send] * count, seconds)


def _analyzed(command: str, to: Endpoint, model: OcrModel, count: int) -> Row:
    """The same load by perf_analyzer, without the CPU time: it warms up for an unknown time."""
    protocol = "http" if to.path else "grpc"
    found = load(command, model.name, to.port, protocol, "x", model.shape, count)
    server = f"{to.name}, perf_analyzer"
    return Row(model.name, server, count, found.throughput, found.p50, found.p99, math.nan)


def _same(data: bytes) -> bytes:
    return data


async def _load(model: str, to: Endpoint, sends: Sequence[Send], seconds: float) -> Row:
    for send in sends:
        await send()
    times: list[float] = []
    begin, cpu = time.perf_counter(), _cpu_seconds(to.process)

    async def client(send: Send) -> None:
        while time.perf_counter() - begin < seconds:
            start = time.perf_counter()
            await send()
            times.append(1e3 * (time.perf_counter() - start))

    await asyncio.gather(*(client(send) for send in sends))
    elapsed = time.perf_counter() - begin
    return _row(model, to.name, len(sends), times, elapsed, _cpu_seconds(to.process) - cpu)


def _row(model: str, server: str, count: int, times: Sequence[float], elapsed: float, cpu: float) -> Row:
    p50, p99 = np.percentile(times, (50, 99))
    return Row(model, server, count, len(times) / elapsed, float(p50), float(p99), 1e3 * cpu / len(times))


def _cpu_seconds(process: int) -> float:
    """The user and system time of a process so far; NaN for process 0."""
    if not process:
        return math.nan
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _litebridge(model: OcrModel) -> Iterator[tuple[int, int, int]]:
    command = [sys.executable, "-m", "lite.tools.cli", "serve", f"{model.name}={model.paddle}"]
    with running([*command, "--port", "0", "--grpc-port", "0"]) as process:
        ports = [port(process) for _ in range(2)]
        line(process)
        yield process.pid, ports[0], ports[1]


@contextmanager
def _on_ray(model: OcrModel, python: str) -> Iterator[tuple[int, int]]:
    """The ports of the same server on a Ray cluster of its own, which HAProxy forwards to one replica."""
    ports = free_port(), free_port()
    given = [f"{model.name}={model.paddle}", "--port", str(ports[0]), "--grpc-port", str(ports[1])]
    with running([python, "-m", "lite.tools.cli", "serve", "--ray", "local", *given]) as process:
        while not line(process).startswith("ready"):
            pass
        yield ports


def _page(rows: Sequence[Row], seconds: float, others: float) -> str:
    machine = f"{processor()} with {usable_cores()} cores"
    lines = [
        "# Serving",
        "",
        f"PP-OCR's classifier (cls, 110 KB in) and recogniser (rec, 184 KB in) on {machine},",
        f"Python {platform.python_version()}.  Each row is {seconds:g} seconds of load from one process over",
        "the loopback interface, with one request under way on each connection.  The load, the server and",
        f"all else on the machine (load average {others:.0f} before the first row) share the cores.  CPU is",
        "the time of the server's process for a request, which other programs hardly change.  The peer is an",
        "endpoint of FastAPI that takes raw bytes and runs ONNX Runtime on one thread for each request.",
        "perf_analyzer is NVIDIA's; the other load comes from a program in Python, whose own time counts.",
        "Rows without a model are uvicorn and gRPC alone, which take and answer the same numbers of bytes.",
        "Written by `python -m lite.tools.bench.serving --out docs/benchmarks/serving.md`.",
    ]
    for model in dict.fromkeys(row.model for row in rows):
        lines += ["", f"## {model}", "", "| server | connections | requests/s | p50 ms | p99 ms | CPU ms |"]
        lines.append("|---|---|---|---|---|---|")
        lines += [
            f"| {row.server} | {row.concurrency} | {row.throughput:.0f} | {row.p50:.2f} | {row.p99:.2f} | "
            f"{'–' if math.isnan(row.cpu) else format(row.cpu, '.2f')} |"
            for row in sorted(rows, key=lambda row: row.concurrency)
            if row.model == model
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
