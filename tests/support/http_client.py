"""Requests to the HTTP application in this process, and a repository of Python models for it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lite.serving.access import Access
from lite.serving.repository.folders import find_models
from lite.serving.repository.repository import Repository
from lite.serving.scheduling.scheduler import Scheduler
from lite.serving.service import Service
from lite.serving.web.app import HttpApp
from tests.support.served_models import write_models

STEPS = """\
import time

import numpy as np


def slow(inputs):
    time.sleep(float(inputs["x"][0]))
    return {"y": inputs["x"]}


def split(inputs):
    return {"parts": [row[None] for row in inputs["x"]]}


def total(inputs):
    return {"y": np.array([float(sum(part.sum() for part in inputs["parts"]))], np.float32)}


def wrong(inputs):
    raise KeyError("no")


class Counter:
    def __init__(self):
        self.count = 0

    def __call__(self, inputs):
        self.count += 1
        return {"y": np.full(1, self.count, np.float32)}
"""
FP32 = "{{name: {}, datatype: FP32, dims: [{}]}}"


def python_model(name: str, target: str, x: str = "x", y: str = "y", dims: str = "-1", more: str = "") -> str:
    return (
        f"python: steps.py:{target}\ninputs: [{FP32.format(x, dims)}]\n"
        f"outputs: [{FP32.format(y, dims)}]\n{more}"
    )


CONFIGS = {
    "slow": python_model("slow", "slow", more="queue: 2\ninstances: 1\n"),
    "split": python_model("split", "split", y="parts", dims="-1, 2"),
    "total": python_model("total", "total", x="parts", dims="-1, 2").replace(
        "y, datatype: FP32, dims: [-1, 2]", "y, datatype: FP32, dims: [1]"
    ),
    "wrong": python_model("wrong", "wrong"),
    "counter": python_model("counter", "Counter", more="instances: 1\n"),
    "graph": """\
inputs: [{name: x, datatype: FP32, dims: [-1, 2]}]
outputs: [{name: y, datatype: FP32, dims: [1]}]
ensemble:
  - {model: split, inputs: {x: x}, outputs: {parts: rows}}
  - {model: identity_fp32, inputs: {INPUT0: rows}, outputs: {OUTPUT0: same}, each: [INPUT0]}
  - {model: total, inputs: {parts: same}, outputs: {y: y}}
""",
}


@dataclass(frozen=True)
class Reply:
    """An answer of the application."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)


class Client:
    """Sends requests to an application in this event loop."""

    def __init__(self, service: Service, access: Access) -> None:
        self.service = service
        self._app = HttpApp(service, access)

    async def ask(
        self,
        method: str,
        path: str,
        body: bytes | object = b"",
        *,
        leave_after: float | None = None,
        **headers: str,
    ) -> Reply:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        messages = [{"type": "http.request", "body": data[:7], "more_body": True}]
        messages += [{"type": "http.request", "body": data[7:], "more_body": False}]
        sent: list[Any] = []

        async def receive() -> Any:
            if messages:
                return messages.pop(0)
            await asyncio.sleep(3600 if leave_after is None else leave_after)
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        pairs = [(name.replace("_", "-").lower().encode(), text.encode()) for name, text in headers.items()]
        pairs.append((b"host", b"localhost:1"))
        await self._app({"type": "http", "method": method, "path": path, "headers": pairs}, receive, send)
        got = {key.decode(): value.decode() for key, value in sent[0]["headers"]}
        return Reply(sent[0]["status"], got, b"".join(part["body"] for part in sent[1:]))

    async def infer(self, model: str, x: Any, **more: Any) -> Reply:
        array = np.asarray(x, np.float32)
        name = "INPUT0" if model.startswith("identity") else "x"
        entry = {"name": name, "shape": array.shape, "datatype": "FP32", "data": array.ravel().tolist()}
        options = {key: more.pop(key) for key in ("leave_after",) if key in more}
        return await self.ask("POST", f"/v2/models/{model}/infer", {"inputs": [entry], **more}, **options)


def write_repository(root: Path) -> None:
    """Write the models that the tests of the application use."""
    write_models(root, ("fp32", "bytes"))
    for name, config in CONFIGS.items():
        (root / name).mkdir()
        (root / name / "config.yaml").write_text(config)
        (root / name / "steps.py").write_text(STEPS)


def run_scenario(
    models: Path, scenario: Callable[[Client], Awaitable[None]], access: Access | None = None, **options: Any
) -> None:
    """Run a scenario against an application with loaded models."""

    async def main() -> None:
        loop = asyncio.get_running_loop()
        scheduler = Scheduler(2, lambda s, call: loop.call_soon_threadsafe(loop.call_later, s, call))
        repository = Repository(find_models([str(models)]), {}, scheduler)
        assert repository.load_all() == {}
        try:
            await asyncio.wait_for(
                scenario(Client(Service(repository, scheduler, **options), access or Access())), 60
            )
        finally:
            scheduler.stop()

    asyncio.run(main())
