"""The examples of deployment are valid, and agree with the code."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from lite.ray import app, grpc_calls
from lite.ray.deploy import RELIABLE


def document(path: Path) -> Any:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_serve_configs_name_functions_that_exist_and_their_arguments(root: Path) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    cluster = document(root / "deploy" / "kuberay.yaml")
    for config in (
        document(root / "deploy" / "serve_config.yaml"),
        yaml.safe_load(cluster["spec"]["serveConfigV2"]),
    ):
        assert config["grpc_options"]["grpc_servicer_functions"] == [
            f"{grpc_calls.__name__}.{grpc_calls.add_servicer.__name__}"
        ]
        [application] = config["applications"]
        assert application["import_path"] == f"{app.__name__}:{app.application.__name__}"
        assert application["route_prefix"] == "/"
        assert [each["name"] for each in application["deployments"]] == [
            "ingress",
            *(app.PREFIX + name for name in application["args"]["models"]),
        ]


def test_the_cluster_has_the_variables_that_lose_no_request(root: Path) -> None:
    spec = document(root / "deploy" / "kuberay.yaml")["spec"]["rayClusterConfig"]
    for group in (spec["headGroupSpec"], *spec["workerGroupSpecs"]):
        [container] = group["template"]["spec"]["containers"]
        assert {each["name"]: each["value"] for each in container["env"]} == RELIABLE


def test_the_container_runs_as_a_user_and_compose_wants_a_token(root: Path) -> None:
    text = (root / "deploy" / "Dockerfile").read_text(encoding="utf-8")
    instructions = [line.split()[0] for line in re.sub(r"\\\n", "", text).splitlines() if line[:1].isupper()]
    assert instructions.index("USER") < instructions.index("ENTRYPOINT")
    service = document(root / "deploy" / "compose.yaml")["services"]["litebridge"]
    assert service["environment"]["LITEBRIDGE_TOKEN"].startswith("${LITEBRIDGE_TOKEN:?")
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])


def test_hadolint_has_no_complaint(root: Path) -> None:
    if shutil.which("hadolint") is None:
        pytest.skip("hadolint is not installed")
    subprocess.run(["hadolint", str(root / "deploy" / "Dockerfile")], check=True)
