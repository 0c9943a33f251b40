"""The application of Ray Serve: options of its deployments, and requests on a local cluster with Ray."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pytest
import yaml

from lite.errors import ConfigError
from lite.ray.app import PREFIX, application
from lite.serving.oip import oip_pb2 as pb
from lite.tools.bench.serving_peers import free_port
from tests.soak.serving_load import write_product
from tests.support.served_models import ROOT, write_models

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

X = np.random.default_rng(1).standard_normal((3, 32)).astype(np.float32)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    write_models(tmp_path, ("fp32",))
    write_product(tmp_path)
    return tmp_path


def configure(model: Path, **options: object) -> None:
    (model / "config.yaml").write_text(yaml.safe_dump({"ray": options}))


def deployments(arguments: dict[str, object]) -> dict[str, object]:
    """Number of replicas, or autoscaling, of each deployment."""
    pytest.importorskip("ray", reason="ray is not installed: pip install 'litebridge[serve,ray]'")
    front = application(arguments)
    handles = front._bound_deployment.init_args[0]
    every = [front, *handles.values()]
    return {
        each._bound_deployment.name: (
            each._bound_deployment.num_replicas,
            each._bound_deployment._deployment_config.autoscaling_config is not None,
        )
        for each in every
    }


def test_a_model_has_a_deployment_of_its_own_with_its_options(repository: Path) -> None:
    configure(repository / "product", num_replicas=3)
    given = {name: str(repository / name) for name in ("product", "simple")}
    assert deployments({"models": given, "options": {"num_replicas": 2}}) == {
        "ingress": (2, False),
        f"{PREFIX}product": (3, False),
        f"{PREFIX}simple": (2, False),
    }


def test_models_inside_the_ingress_give_it_their_options(repository: Path) -> None:
    configure(repository / "product", autoscaling_config={"min_replicas": 1, "max_replicas": 4})
    given = {name: str(repository / name) for name in ("product", "simple")}
    found = deployments({"inside": given, "options": {"num_replicas": 2}})
    assert [*found] == ["ingress"]
    assert found["ingress"] == (1, True)


def test_two_models_inside_must_agree(repository: Path) -> None:
    pytest.importorskip("ray", reason="ray is not installed: pip install 'litebridge[serve,ray]'")
    configure(repository / "product", num_replicas=3)
    configure(repository / "simple", num_replicas=2)
    given = {name: str(repository / name) for name in ("product", "simple")}
    with pytest.raises(ConfigError, match=r"'product' and 'simple' .* num_replicas: 3 and 2"):
        application({"inside": given})


def test_unknown_arguments_and_no_model_are_refused(repository: Path) -> None:
    pytest.importorskip("ray", reason="ray is not installed: pip install 'litebridge[serve,ray]'")
    with pytest.raises(ConfigError, match="needs models or inside"):
        application({"token": "x"})
    with pytest.raises(ConfigError, match=r"the application takes.*'ensembles'"):
        application({"inside": {"product": str(repository / "product")}, "ensembles": {}})


@pytest.mark.parametrize("arguments", [("--together",), ()])
def test_the_server_on_ray_answers(repository: Path, arguments: tuple[str, ...]) -> None:
    pytest.importorskip("ray", reason="ray is not installed: pip install 'litebridge[serve,ray]'")
    grpc = pytest.importorskip("grpc", reason="grpc is not installed")
    port, grpc_port = free_port(), free_port()
    command = [sys.executable, "-m", "lite.tools.cli", "serve", "--ray", "local", *arguments, str(repository)]
    with subprocess.Popen(
        [*command, "--port", str(port), "--grpc-port", str(grpc_port)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            assert process.stdout is not None
            assert any(re.match("ready", line) for line in process.stdout)
            entry = {"name": "INPUT0", "shape": X.shape, "datatype": "FP32", "data": X.ravel().tolist()}
            with urllib.request.urlopen(
                f"http://127.0.0.1:{port}/v2/models/product/infer", json.dumps({"inputs": [entry]}).encode()
            ) as answer:
                [output] = json.load(answer)["outputs"]
            message = pb.ModelInferRequest(model_name="product")
            message.inputs.add(name="INPUT0", datatype="FP32", shape=X.shape)
            message.raw_input_contents.append(X.tobytes())
            with grpc.insecure_channel(f"127.0.0.1:{grpc_port}") as channel:
                call = channel.unary_unary(
                    "/inference.GRPCInferenceService/ModelInfer", None, pb.ModelInferResponse.FromString
                )
                response = call(message.SerializeToString())
        finally:
            process.send_signal(signal.SIGTERM)
    weights = write_product(repository / "again")
    expected = X @ weights
    np.testing.assert_allclose(np.reshape(output["data"], expected.shape), expected, rtol=1e-5, atol=1e-5)
    got = np.frombuffer(response.raw_output_contents[0], np.float32).reshape(expected.shape)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


def test_a_model_that_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="ray is not installed: pip install 'litebridge[serve,ray]'")
    (tmp_path / "bad" / "1").mkdir(parents=True)
    (tmp_path / "bad" / "1" / "model.onnx").write_bytes(b"\x08\x01 no model")
    command = [sys.executable, "-m", "lite.tools.cli", "serve", "--ray", "local", str(tmp_path)]
    ended = subprocess.run(
        [*command, "--port", str(free_port()), "--grpc-port", str(free_port())],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
        capture_output=True,
        timeout=240,
        check=False,
    )
    assert ended.returncode == 1
    assert "model 'bad' cannot be loaded" in ended.stderr
