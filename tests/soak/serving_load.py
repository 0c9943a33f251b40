"""``python -m tests.soak.serving_load``: mixed load on the embedded server, and every answer is checked.

Threads ask by HTTP (JSON, binary, gzip) and gRPC (calls and streams), with right and wrong requests, short
deadlines and connections that are closed early, while one model is unloaded and loaded again.  The server's
memory, descriptors and threads must not grow.
"""

from __future__ import annotations

import collections
import contextlib
import gzip
import http.client
import json
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import grpc
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.serving.oip import oip_pb2 as pb
from tests.soak.serving_requests import MOST_GROWTH, counts, memory_kb
from tests.support.served_models import RunningServer, running_server, save_model, write_models

_HEAD = "Inference-Header-Content-Length"
_INFER = "/inference.GRPCInferenceService/ModelInfer"
_STREAM = "/inference.GRPCInferenceService/ModelStreamInfer"
_DEPTH, _WIDTH = 32, 48

Call = Callable[..., bytes]
StreamCall = Callable[..., Iterator[bytes]]


def _same(data: bytes) -> bytes:
    return data


@dataclass(frozen=True)
class Question:
    """A request to a model with an input INPUT0 of FP32, and the answer that it must get."""

    model: str
    x: Array
    expected: Array


class Client:
    """One thread's connections; it counts answers by kind, and keeps what was wrong."""

    def __init__(self, server: RunningServer, weights: Array, seed: int) -> None:
        self.answers: collections.Counter[str] = collections.Counter()
        self.faults: list[str] = []
        self._server = server
        self._weights = weights
        self._choices = random.Random(seed)
        self._numbers = np.random.default_rng(seed)
        self._web = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        channel = grpc.insecure_channel(f"127.0.0.1:{server.grpc_port}")
        self._call_infer: Call = channel.unary_unary(_INFER, _same, _same)
        self._call_stream: StreamCall = channel.stream_stream(_STREAM, _same, _same)
        self._channel = channel
        self._kinds: dict[str, Callable[[Question], None]] = {
            "JSON": self._json,
            "binary": self._binary,
            "gzip": self._gzip,
            "call": self._call,
            "stream": self._stream,
            "wrong shape": self._wrong,
            "deadline": self._deadline,
            "closed early": self._closed,
        }

    def ask(self) -> None:
        """Ask once, in a way that is chosen at random."""
        kind = self._choices.choice(list(self._kinds))
        try:
            self._kinds[kind](self._question())
            self.answers[kind] += 1
        except (AssertionError, OSError, http.client.HTTPException, grpc.RpcError, ValueError) as error:
            self.faults.append(f"{kind}: {error!r}")

    def close(self) -> None:
        """Close the connections."""
        self._web.close()
        self._channel.close()

    def _question(self) -> Question:
        if self._choices.random() < 0.5:
            x = self._normal(self._choices.randint(1, 9), _DEPTH)
            return Question("product", x, x @ self._weights)
        x = self._normal(*(self._choices.randint(0, 40) for _ in range(self._choices.randint(0, 3))))
        return Question("identity_fp32", x, x)

    def _normal(self, *shape: int) -> Array:
        return self._numbers.standard_normal(shape).astype(np.float32)

    def _entry(self, question: Question) -> dict[str, object]:
        return {"name": "INPUT0", "shape": question.x.shape, "datatype": "FP32"}

    def _post(self, question: Question, body: bytes, **headers: str) -> tuple[int, bytes, str | None]:
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        self._web.request("POST", f"/v2/models/{question.model}/infer", body, named)
        response = self._web.getresponse()
        return response.status, response.read(), response.getheader(_HEAD)

    def _json(self, question: Question) -> None:
        entry = {**self._entry(question), "data": question.x.ravel().tolist()}
        status, body, _ = self._post(question, json.dumps({"inputs": [entry]}).encode())
        assert status == 200, (status, body[:200])
        [output] = json.loads(body)["outputs"]
        _check(np.array(output["data"], np.float32).reshape(output["shape"]), question)

    def _body(self, question: Question) -> tuple[bytes, str]:
        entry = {**self._entry(question), "parameters": {"binary_data_size": question.x.nbytes}}
        head = json.dumps({"inputs": [entry], "parameters": {"binary_data_output": True}}).encode()
        return head + question.x.tobytes(), str(len(head))

    def _binary(self, question: Question) -> None:
        body, size = self._body(question)
        self._check_binary(question, *self._post(question, body, **{_HEAD: size}))

    def _gzip(self, question: Question) -> None:
        body, size = self._body(question)
        headers = {_HEAD: size, "Content-Encoding": "gzip"}
        self._check_binary(question, *self._post(question, gzip.compress(body, 1), **headers))

    def _check_binary(self, question: Question, status: int, body: bytes, head: str | None) -> None:
        assert status == 200, (status, body[:200])
        assert head is not None, "an answer without a head"
        [output] = json.loads(body[: int(head)])["outputs"]
        _check(np.frombuffer(body[int(head) :], np.float32).reshape(output["shape"]), question)

    def _message(self, question: Question) -> bytes:
        message = pb.ModelInferRequest(model_name=question.model)
        message.inputs.add(name="INPUT0", datatype="FP32", shape=question.x.shape)
        message.raw_input_contents.append(question.x.tobytes())
        return message.SerializeToString()

    def _call(self, question: Question) -> None:
        answer = self._call_infer(self._message(question), timeout=60)
        _check_message(pb.ModelInferResponse.FromString(answer), question)

    def _stream(self, question: Question) -> None:
        several = [question, *(self._question() for _ in range(self._choices.randint(0, 5)))]
        answers = self._call_stream(iter([*map(self._message, several)]), timeout=60)
        for each, answer in zip(several, answers, strict=True):
            response = pb.ModelStreamInferResponse.FromString(answer)
            assert not response.error_message, response.error_message
            _check_message(response.infer_response, each)

    def _wrong(self, question: Question) -> None:
        wrong = Question("product", self._normal(2, _DEPTH + 1), question.expected)
        body, size = self._body(wrong)
        status, text, _ = self._post(wrong, body, **{_HEAD: size})
        assert status == 400, (status, text[:200])

    def _deadline(self, question: Question) -> None:
        code, answer = grpc.StatusCode.OK, b""
        try:
            answer = self._call_infer(self._message(question), timeout=0.0005)
        except grpc.RpcError as error:
            code = error.code() if isinstance(error, grpc.Call) else grpc.StatusCode.UNKNOWN
        if code is not grpc.StatusCode.DEADLINE_EXCEEDED:
            assert code is grpc.StatusCode.OK, code
            _check_message(pb.ModelInferResponse.FromString(answer), question)

    def _closed(self, question: Question) -> None:
        body, size = self._body(question)
        web = http.client.HTTPConnection("127.0.0.1", self._server.port, timeout=60)
        web.putrequest("POST", f"/v2/models/{question.model}/infer")
        web.putheader("Content-Length", str(len(body)))
        web.putheader(_HEAD, size)
        web.endheaders(body[: self._choices.randint(0, len(body))])
        web.close()


def _check(got: Array, question: Question) -> None:
    assert got.shape == question.expected.shape, (got.shape, question.expected.shape)
    np.testing.assert_allclose(got, question.expected, rtol=1e-4, atol=1e-4)


def _check_message(response: pb.ModelInferResponse, question: Question) -> None:
    [output], [data] = response.outputs, response.raw_output_contents
    _check(np.frombuffer(data, np.float32).reshape(tuple(output.shape)), question)


def _reload(server: RunningServer) -> None:
    """Unload a model, see that it is gone, load it, and see that it answers."""
    assert server.ask("POST", "/v2/repository/models/simple/unload")[0] == 200
    assert server.ask("GET", "/v2/models/simple/ready")[0] == 400
    assert server.ask("POST", "/v2/repository/models/simple/load")[0] == 200
    given = [
        {"name": name, "shape": [1, 16], "datatype": "INT32", "data": [number] * 16}
        for name, number in (("INPUT0", 5), ("INPUT1", 3))
    ]
    answer = server.json("POST", "/v2/models/simple/infer", {"inputs": given})
    assert [output["data"] for output in answer["outputs"]] == [[8] * 16, [2] * 16]


def load(server: RunningServer, weights: Array, seconds: float, rate: float, threads: int) -> list[str]:
    """What went wrong in `seconds` of load by `threads` threads that ask `rate` times a second together."""
    clients = [Client(server, weights, seed) for seed in range(threads)]
    end = time.monotonic() + seconds

    def work(client: Client) -> None:
        due = time.monotonic()
        while time.monotonic() < end:
            client.ask()
            due = max(due + threads / rate, time.monotonic() - 1)
            time.sleep(max(0.0, due - time.monotonic()))

    workers = [threading.Thread(target=work, args=(client,)) for client in clients]
    for worker in workers:
        worker.start()
    faults: list[str] = []
    states: list[tuple[int, int, int]] = []
    with contextlib.suppress(KeyboardInterrupt):
        while any(worker.is_alive() for worker in workers):
            time.sleep(min(60.0, seconds / 10))
            _reload(server)
            states.append((memory_kb(server.process.pid), *counts(server.process.pid)))
            total = sum(sum(client.answers.values()) for client in clients)
            wrong = sum(len(client.faults) for client in clients)
            click.echo(f"{total} answers, {wrong} faults; kB, descriptors, threads: {states[-1]}")
    for worker, client in zip(workers, clients, strict=True):
        worker.join()
        client.close()
        faults += client.faults
    click.echo(dict(sum((client.answers for client in clients), collections.Counter[str]())))
    return faults + _growth(states)


def _growth(states: list[tuple[int, int, int]]) -> list[str]:
    """Whether the last states are above those after a tenth of the time."""
    first, last = states[len(states) // 10], states[-1]
    grown = [] if last[0] <= MOST_GROWTH * first[0] else [f"memory grew from {first[0]} to {last[0]} kB"]
    names = ("descriptors", "threads")
    pairs = zip(names, first[1:], last[1:], strict=True)
    return grown + [f"{name} grew from {a} to {b}" for name, a, b in pairs if b > a + 16]


def write_product(root: Path) -> Array:
    """Write the model ``product``, INPUT0[n, 32] times a matrix; returns the matrix."""
    weights = np.random.default_rng(0).standard_normal((_DEPTH, _WIDTH)).astype(np.float32)
    nodes = [
        helper.make_node("Constant", [], ["w"], value=numpy_helper.from_array(weights)),
        helper.make_node("MatMul", ["INPUT0", "w"], ["OUTPUT0"]),
    ]
    shapes: tuple[list[int | str], list[int | str]] = ["n", _DEPTH], ["n", _WIDTH]
    given, made = ((TensorProto.FLOAT, shape) for shape in shapes)
    save_model(root / "product" / "1", nodes, {"INPUT0": given}, {"OUTPUT0": made})
    return weights


@click.command()
@click.option("--seconds", default=600.0, show_default=True)
@click.option("--rate", default=200.0, show_default=True, help="Requests a second, of all threads together.")
@click.option("--threads", default=4, show_default=True)
def main(seconds: float, rate: float, threads: int) -> None:
    """Load the server; exit status 1 for wrong answers and for growth."""
    with tempfile.TemporaryDirectory() as folder:
        write_models(Path(folder), ("fp32",))
        weights = write_product(Path(folder))
        with running_server(folder, "--model-control", "explicit") as server:
            faults = load(server, weights, seconds, rate, threads)
    for fault in faults[:20]:
        click.echo(fault)
    click.echo(f"{len(faults)} failures")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
