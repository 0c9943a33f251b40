"""The application without a network: requests in, answers out."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite.serving.access import Access
from lite.serving.protocol.limits import RequestLimits
from lite.serving.request_log import RequestLog
from lite.session.predictor import Predictor
from tests.support.http_client import CONFIGS, Client, run_scenario, write_repository


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    write_repository(root)
    return root


def test_metadata_config_and_index(models: Path) -> None:
    async def scenario(client: Client) -> None:
        assert (await client.ask("GET", "/v2")).document["name"] == "litebridge"
        assert (await client.ask("GET", "/v2/models/simple")).document == {
            "name": "simple",
            "versions": ["1"],
            "platform": "litebridge",
            "inputs": [{"name": n, "datatype": "INT32", "shape": [1, 16]} for n in ("INPUT0", "INPUT1")],
            "outputs": [{"name": n, "datatype": "INT32", "shape": [1, 16]} for n in ("OUTPUT0", "OUTPUT1")],
        }
        config = (await client.ask("GET", "/v2/models/simple/config")).document
        assert config["input"][0] == {"name": "INPUT0", "data_type": "TYPE_INT32", "dims": [1, 16]}
        index = (await client.ask("POST", "/v2/repository/index")).document
        assert {row["name"]: row["state"] for row in index} == dict.fromkeys(
            [*CONFIGS, "simple", "identity_fp32", "identity_bytes"], "READY"
        )
        for path in ("/v2/health/live", "/v2/health/ready", "/v2/models/simple/versions/1/ready"):
            assert (await client.ask("GET", path)).status == 200

    run_scenario(models, scenario)


def test_a_short_run_for_the_only_request_needs_no_other_thread(
    models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[bool] = []
    run = Predictor.run

    def seen(self: Predictor, *arguments: Any, **options: Any) -> Any:
        threads.append(threading.current_thread() is threading.main_thread())
        return run(self, *arguments, **options)

    async def scenario(client: Client) -> None:
        monkeypatch.setattr(Predictor, "run", seen)
        monkeypatch.setattr("lite.serving.scheduling.model_queue._SHORT_NS", 10**12)
        for x in ([1.0], [2.0], [3.0]):
            assert (await client.infer("identity_fp32", x)).document["outputs"][0]["data"] == x
        assert threads == [False, True, True]
        threads.clear()
        replies = await asyncio.gather(*(client.infer("identity_fp32", [float(n)]) for n in range(8)))
        assert [reply.document["outputs"][0]["data"] for reply in replies] == [[float(n)] for n in range(8)]
        assert threads == [False] * 8

    run_scenario(models, scenario)


def test_statistics_and_metrics_count_each_request_once(models: Path) -> None:
    async def scenario(client: Client) -> None:
        for x in ([1], [2], [3]):
            assert (await client.infer("identity_fp32", x)).status == 200
        assert (await client.infer("identity_fp32", [1], outputs=[{"name": "z"}])).status == 400

        [stats] = (await client.ask("GET", "/v2/models/identity_fp32/stats")).document["model_stats"]
        assert (stats["inference_count"], stats["execution_count"]) == (3, 3)
        stages = stats["inference_stats"]
        counts = {name: stages[name]["count"] for name in stages}
        assert counts == {
            "success": 3,
            "fail": 1,
            "queue": 3,
            "compute_input": 3,
            "compute_infer": 3,
            "compute_output": 3,
            "cache_hit": 0,
            "cache_miss": 0,
        }
        lines = (await client.ask("GET", "/metrics")).body.decode().splitlines()
        labels = 'model="identity_fp32",version="1"'
        assert f'litebridge_requests_total{{{labels},result="OK"}} 3' in lines
        assert f'litebridge_requests_total{{{labels},result="BAD_REQUEST"}} 1' in lines
        assert f"litebridge_latency_seconds_count{{{labels}}} 3" in lines
        assert f'litebridge_latency_seconds_bucket{{{labels},le="+Inf"}} 3' in lines
        assert f'litebridge_batch_runs_total{{{labels},rows="1"}} 3' in lines

    run_scenario(models, scenario)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_bodies_are_decompressed_and_answers_compressed(models: Path, encoding: str) -> None:
    async def scenario(client: Client) -> None:
        entry = {"name": "INPUT0", "shape": [500], "datatype": "FP32", "data": [1.5] * 500}
        plain = json.dumps({"inputs": [entry]}).encode()
        packed = gzip.compress(plain) if encoding == "gzip" else zlib.compress(plain)

        reply = await client.ask(
            "POST",
            "/v2/models/identity_fp32/infer",
            packed,
            content_encoding=encoding,
            accept_encoding=f"br, {encoding};q=0.5",
        )

        assert (reply.status, reply.headers["content-encoding"]) == (200, encoding)
        body = zlib.decompress(reply.body, 47)
        assert json.loads(body)["outputs"][0]["data"] == [1.5] * 500

    run_scenario(models, scenario)


def test_large_bodies_are_refused_before_and_after_decompression(models: Path) -> None:
    async def scenario(client: Client) -> None:
        path = "/v2/models/identity_fp32/infer"
        assert (await client.ask("POST", path, b" " * 1001)).status == 413
        assert (await client.ask("POST", path, b"", content_length="9" * 30)).status == 413
        bomb = zlib.compress(bytes(900_000))
        assert len(bomb) < 1000
        assert (await client.ask("POST", path, bomb, content_encoding="deflate")).status == 413
        assert (await client.ask("POST", path, b"abc", content_encoding="gzip")).status == 400
        cut = zlib.compress(b'{"inputs": []}')[:-3]
        assert (await client.ask("POST", path, cut, content_encoding="deflate")).status == 400
        assert (await client.ask("POST", path, b"abc", content_encoding="br")).status == 415

    run_scenario(models, scenario, limits=RequestLimits(body_bytes=1000))


def test_a_body_of_one_tensor_needs_no_head(models: Path) -> None:
    async def scenario(client: Client) -> None:
        data = np.array([1, 2, 3], np.float32).tobytes()
        path = "/v2/models/identity_fp32/infer"
        reply = await client.ask("POST", path, data, inference_header_content_length="0")
        head = int(reply.headers["Inference-Header-Content-Length"])
        assert (reply.status, reply.body[head:]) == (200, data)
        assert (await client.ask("POST", path, data[:-1], inference_header_content_length="0")).status == 400
        path = "/v2/models/simple/infer"
        assert (await client.ask("POST", path, data, inference_header_content_length="0")).status == 400

    run_scenario(models, scenario)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v2/models/nope", 404),
        ("GET", "/v2/models/simple/versions/2", 404),
        ("GET", "/v2/models/simple/versions/x", 404),
        ("GET", "/v2/models/nope/stats", 404),
        ("GET", "/v2/models/nope/ready", 400),
        ("GET", "/v2/models/simple/infer", 405),
        ("POST", "/metrics", 405),
        ("GET", "/../etc/passwd", 404),
        ("GET", "/v2/nothing", 404),
        ("POST", "/v2/repository/models/simple/load", 403),
        ("POST", "/v2/repository/models/simple/unload", 403),
        ("POST", "/v2/systemsharedmemory/region/a/register", 400),
    ],
)
def test_wrong_paths_and_methods_have_the_status_of_triton(
    models: Path, method: str, path: str, status: int
) -> None:
    async def scenario(client: Client) -> None:
        reply = await client.ask(method, path)
        assert reply.status == status
        assert reply.document["error"]

    run_scenario(models, scenario)


def test_settings_change_only_what_they_may(models: Path) -> None:
    async def scenario(client: Client) -> None:
        assert (await client.ask("GET", "/v2/trace/setting")).document["trace_level"] == ["OFF"]
        assert (await client.ask("POST", "/v2/trace/setting", {"trace_file": "/x"})).status == 400
        assert (await client.ask("POST", "/v2/logging", {"log_file": "/x"})).status == 400
        changed = (await client.ask("POST", "/v2/logging", {"log_info": False})).document
        assert (changed["log_info"], changed["log_warning"]) == (False, True)
        assert (await client.ask("POST", "/v2/logging", {"log_info": True})).document["log_info"] is True

    run_scenario(models, scenario)


def test_each_request_is_a_line_in_the_log(models: Path) -> None:
    lines: list[str] = []

    async def scenario(client: Client) -> None:
        await client.infer("identity_fp32", [1], id="7")
        await client.infer("wrong", [1])

    run_scenario(models, scenario, observers=[RequestLog(lines.append).add])

    first, second = (json.loads(line) for line in lines)
    assert (first["model"], first["id"], first["status"], first["batch"]) == ("identity_fp32", "7", "OK", 1)
    assert first["ms"] >= first["infer_ms"] > 0
    assert (second["model"], second["status"]) == ("wrong", "INTERNAL")


def test_an_ensemble_runs_its_steps_and_each_item(models: Path) -> None:
    async def scenario(client: Client) -> None:
        reply = await client.infer("graph", [[1, 2], [3, 4], [5, 6]])
        assert reply.document["outputs"] == [{"name": "y", "datatype": "FP32", "shape": [1], "data": [21]}]
        assert (await client.infer("graph", np.zeros((0, 2)))).document["outputs"][0]["data"] == [0]
        stats = client.service.statistics("identity_fp32")
        assert stats["model_stats"][0]["inference_count"] == 0  # type: ignore[index]

    run_scenario(models, scenario)


def test_errors_of_a_python_model_are_the_servers(models: Path) -> None:
    async def scenario(client: Client) -> None:
        reply = await client.infer("wrong", [1])
        assert (reply.status, "KeyError" in reply.document["error"]) == (500, True)

    run_scenario(models, scenario)


def test_a_class_keeps_its_state_in_one_instance(models: Path) -> None:
    async def scenario(client: Client) -> None:
        counts = [(await client.infer("counter", [0])).document["outputs"][0]["data"] for _ in range(3)]
        assert counts == [[1], [2], [3]]

    run_scenario(models, scenario)


def test_a_request_that_waits_too_long_expires_and_does_not_run(models: Path) -> None:
    async def scenario(client: Client) -> None:
        first = asyncio.ensure_future(client.infer("slow", [0.3]))
        await asyncio.sleep(0.05)
        second = await client.infer("slow", [0], parameters={"timeout": 1000})
        assert (second.status, (await first).status) == (504, 200)
        [served] = [each for each in client.service.repository.served() if each.name == "slow"]
        assert (served.statistics.executions, served.statistics.failures) == (1, {"EXPIRED": 1})

    run_scenario(models, scenario)


def test_a_full_queue_is_429_with_retry_after(models: Path) -> None:
    async def scenario(client: Client) -> None:
        replies = await asyncio.gather(*(client.infer("slow", [0.1]) for _ in range(5)))
        assert sorted(reply.status for reply in replies) == [200, 200, 200, 429, 429]
        assert {reply.headers.get("Retry-After") for reply in replies if reply.status == 429} == {"1"}

    run_scenario(models, scenario)


def test_a_request_of_a_client_that_left_is_cancelled(models: Path) -> None:
    async def scenario(client: Client) -> None:
        first = asyncio.ensure_future(client.infer("slow", [0.4]))
        await asyncio.sleep(0.05)
        assert (await client.infer("slow", [0], leave_after=0.02)).status == 499
        assert (await first).status == 200
        [served] = [each for each in client.service.repository.served() if each.name == "slow"]
        assert (served.statistics.executions, len(served.queue.jobs)) == (1, 0)

    run_scenario(models, scenario)


def test_models_are_unloaded_and_loaded_where_that_is_allowed(models: Path) -> None:
    async def scenario(client: Client) -> None:
        assert (await client.ask("POST", "/v2/repository/models/counter/unload")).status == 200
        assert (await client.infer("counter", [0])).status == 404
        assert (await client.ask("GET", "/v2/health/ready")).status == 200
        assert (await client.ask("POST", "/v2/repository/models/counter/load")).status == 200
        assert (await client.infer("counter", [0])).document["outputs"][0]["data"] == [1]
        assert (await client.ask("POST", "/v2/repository/models/nope/load")).status == 404
        body = {"parameters": {"file:1/model.onnx": "AAAA"}}
        assert (await client.ask("POST", "/v2/repository/models/counter/load", body)).status == 400

    run_scenario(models, scenario, explicit=True)


def test_a_draining_server_refuses_and_is_not_ready(models: Path) -> None:
    async def scenario(client: Client) -> None:
        client.service.draining = True
        assert (await client.ask("GET", "/v2/health/ready")).status == 400
        assert (await client.ask("GET", "/v2/health/live")).status == 200
        assert (await client.infer("counter", [0])).status == 503

    run_scenario(models, scenario)


def test_a_token_is_required_except_for_health(models: Path) -> None:
    async def scenario(client: Client) -> None:
        assert (await client.ask("GET", "/v2/health/ready")).status == 200
        refused = await client.ask("GET", "/v2/models/simple")
        assert (refused.status, refused.headers["WWW-Authenticate"]) == (401, "Bearer")
        assert (await client.ask("GET", "/v2", authorization="Bearer wrong")).status == 401
        assert (await client.ask("GET", "/v2", authorization="Bearer secret")).status == 200

    run_scenario(models, scenario, Access("secret"))


def test_pages_of_other_sites_are_refused(models: Path) -> None:
    async def scenario(client: Client) -> None:
        assert (await client.ask("GET", "/v2", origin="http://example.org")).status == 403
        assert (await client.ask("GET", "/v2", origin="http://localhost:1")).status == 200
        with pytest.raises(Exception, match="not a name of this computer"):
            Access(only_local=True).check_http("/v2", {"host": "example.org"})
        for host in ("localhost:8000", "127.0.0.1", "[::1]:80"):
            Access(only_local=True).check_http("/v2", {"host": host})

    run_scenario(models, scenario)
