"""Spans of requests: what a collector receives."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from lite.errors import ConfigError
from lite.serving.oip import oip_pb2 as pb
from lite.serving.request_traces import RequestTraces
from lite.serving.rpc.server import SERVICE
from tests.support.http_client import Client, run_scenario, write_repository
from tests.support.served_models import running_server

pytest.importorskip(
    "opentelemetry.exporter.otlp.proto.http", reason="the packages of the extra traces are not installed"
)
STAGES = ["queue", "input", "infer", "output"]
TRACE, CALLER = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@pytest.fixture
def spans() -> Iterator[Received]:
    """What a collector has received."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    received = Received()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            body = self.rfile.read(int(self.headers["content-length"]))
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                received.services += [
                    each.value.string_value
                    for each in resource.resource.attributes
                    if each.key == "service.name"
                ]
                received.extend(span for scope in resource.scope_spans for span in scope.spans)
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is written."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    received.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield received
    server.shutdown()
    thread.join()
    server.server_close()


class Received(list[Any]):
    """Spans, the names of services, and the collector's address."""

    address = ""

    def __init__(self) -> None:
        super().__init__()
        self.services: list[str] = []

    def named(self, name: str) -> Any:
        [span] = [each for each in self if each.name == name]
        return span

    def below(self, span: Any) -> list[Any]:
        """The children of a span, by their start."""
        children = [each for each in self if each.parent_span_id == span.span_id]
        return sorted(children, key=lambda each: each.start_time_unix_nano)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    write_repository(root)
    return root


def attributes(span: Any) -> dict[str, Any]:
    return {
        each.key: getattr(each.value, each.value.WhichOneof("value")).__str__() for each in span.attributes
    }


def test_a_request_is_a_span_with_its_stages_in_the_callers_trace(models: Path, spans: Received) -> None:
    traces = RequestTraces.to(spans.address)

    async def scenario(client: Client) -> None:
        entry = {"name": "INPUT0", "shape": [1], "datatype": "FP32", "data": [1]}
        body = {"id": "7", "inputs": [entry]}
        caller = f"00-{TRACE}-{CALLER}-01"
        reply = await client.ask("POST", "/v2/models/identity_fp32/infer", body, traceparent=caller)
        assert reply.status == 200

    run_scenario(models, scenario, observers=[traces.add])
    traces.close()

    span = spans.named("infer identity_fp32")
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, CALLER)
    assert attributes(span) == {
        "litebridge.model": "identity_fp32",
        "litebridge.version": "1",
        "litebridge.request_id": "7",
        "litebridge.batch": "1",
    }
    stages = spans.below(span)
    assert [each.name for each in stages] == STAGES
    times = [span.start_time_unix_nano, *(each.start_time_unix_nano for each in stages)]
    assert times == sorted(times)
    assert all(each.end_time_unix_nano <= span.end_time_unix_nano for each in stages)
    assert {each.trace_id.hex() for each in spans} == {TRACE}
    assert spans.services == ["litebridge"]


def test_a_failed_request_has_its_status_and_no_stages(models: Path, spans: Received) -> None:
    traces = RequestTraces.to(spans.address)

    async def scenario(client: Client) -> None:
        assert (await client.infer("wrong", [1])).status == 500

    run_scenario(models, scenario, observers=[traces.add])
    traces.close()

    assert [each.name for each in spans] == ["infer wrong"]
    assert (spans[0].status.code, spans[0].status.message) == (2, "INTERNAL")
    assert spans[0].parent_span_id == b""


def test_the_models_of_an_ensemble_are_spans_below_it(models: Path, spans: Received) -> None:
    traces = RequestTraces.to(spans.address)

    async def scenario(client: Client) -> None:
        assert (await client.infer("graph", [[1, 2], [3, 4]])).status == 200

    run_scenario(models, scenario, observers=[traces.add])
    traces.close()

    steps = spans.below(spans.named("infer graph"))
    assert steps
    assert {each.name.split()[0] for each in steps} == {"step"}
    assert [[each.name for each in spans.below(step)] for step in steps] == [STAGES] * len(steps)


def test_the_server_continues_the_trace_of_a_grpc_call(models: Path, spans: Received) -> None:
    import grpc

    request = pb.ModelInferRequest(model_name="identity_fp32")
    request.inputs.add(name="INPUT0", datatype="FP32", shape=[1])
    request.raw_input_contents.append(b"\0\0\0\0")
    with (
        running_server(str(models), "--traces", spans.address) as server,
        grpc.insecure_channel(f"127.0.0.1:{server.grpc_port}") as channel,
    ):
        stub = channel.unary_unary(
            f"/{SERVICE}/ModelInfer",
            pb.ModelInferRequest.SerializeToString,
            pb.ModelInferResponse.FromString,
        )
        stub(request, timeout=60, metadata=(("traceparent", f"00-{TRACE}-{CALLER}-01"),))

    span = spans.named("infer identity_fp32")
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, CALLER)
    assert [each.name for each in spans.below(span)] == STAGES


def test_another_kind_of_address_is_refused() -> None:
    with pytest.raises(ConfigError, match="traces: expected an address such as http://localhost:4318"):
        RequestTraces.to("localhost:4318")
