"""A device whose SDK, `fakesdk`, is installed in a worker environment only; the SDK misbehaves on demand."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from lite.ir.graph import Graph
from lite.ir.types import Array
from lite.ops import Meta
from lite.plugin.device import (
    BRIDGES,
    DEVICES,
    BridgeOp,
    CompiledModel,
    Conversion,
    Device,
    Signature,
    WorkerEnvironment,
    convert,
)

NAME = "fake_sdk"
PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"
OPS = ("relu", "tanh")

SDK = '''"""A vendor's SDK that prints, and fails on demand."""

import os, subprocess, sys, time
import numpy as np

VERSION = "1.0"
FUNCTIONS = {"relu": lambda x: np.maximum(x, 0), "tanh": np.tanh}

def fault(name):
    print("fakesdk:", name or "works")
    open("fakesdk.log", "a").write("a file in the working directory\\\\n")
    if name == "raise":
        raise SystemError("the vendor's message")
    if name == "leave":
        sys.exit("no licence")
    if name == "exit":
        os._exit(7)
    if name == "hang":
        time.sleep(1000)
    if name == "hang in a child":
        subprocess.run([sys.executable, "-I", "-c", "import time; time.sleep(1000)"])

def run(ops, x, name):
    fault(name)
    for op in ops:
        x = FUNCTIONS[op](x)
    if name == "list":
        return x.tolist()
    return x.astype(np.float64) if name == "float64" else x
'''


@dataclass(frozen=True)
class Options:
    """The SDK fails with `does` when it is asked to do `when`."""

    when: str = ""
    does: str = ""


def _sdk() -> ModuleType:
    import fakesdk  # type: ignore[import-not-found]

    module: ModuleType = fakesdk
    return module


class Chain:
    """The builder: the names of the ops, one after the other."""

    def __init__(self) -> None:
        self.ops: list[str] = []

    def input(self, name: str, meta: Meta) -> str:
        return name

    def constant(self, name: str, array: Array) -> str:
        return name

    def output(self, name: str, tensor: str) -> None:
        return None


class Step:
    """relu, tanh → the SDK's function of that name."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return None

    def convert(self, op: BridgeOp, ctx: Conversion[Chain, str]) -> None:
        ctx.builder.ops.append(op.op)
        ctx.output(op, ctx.input(op, "X"))


class FakeSdk(Device[Options]):
    name = NAME
    Options = Options
    environment = WorkerEnvironment(PYTHON, Path(__file__).with_name("fake_sdk_requirements.txt"))

    def available(self) -> str | None:
        if importlib.util.find_spec("fakesdk") is None:
            return "fakesdk is not installed"
        version = str(vars(_sdk())["VERSION"])
        return None if version == "1.0" else f"expected fakesdk 1.0, got {version}"

    def version(self) -> str:
        return json.dumps({"prefix": sys.prefix, "path": sys.path, "modules": sorted(sys.modules)})

    def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
        self.misbehave("compile")
        chain = Chain()
        convert(graph, self, chain)
        return FakeSdkModel(self, chain.ops)

    def load(self, blob: bytes) -> CompiledModel:
        self.misbehave("load")
        return FakeSdkModel(self, json.loads(blob))

    def worker_variables(self, packages: Path, folder: Path) -> Mapping[str, str]:
        return {"FAKESDK_PACKAGES": str(packages), "FAKESDK_FOLDER": str(folder)}

    def misbehave(self, when: str) -> None:
        vars(_sdk())["fault"](self.options.does if self.options.when == when else "")


class FakeSdkModel(CompiledModel):
    def __init__(self, device: FakeSdk, ops: Sequence[str]) -> None:
        self.device, self.ops = device, ops

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> Sequence[Array]:
        options = self.device.options
        return [vars(_sdk())["run"](self.ops, inputs[0], options.does if options.when == "run" else "")]

    def serialize(self) -> bytes:
        return json.dumps(self.ops).encode()


def _register() -> None:
    DEVICES.add(NAME, FakeSdk, __name__)
    for op in OPS:
        BRIDGES.add((NAME, op), Step(), __name__)


@contextmanager
def registered() -> Iterator[None]:
    """The device is installed in this context."""
    _register()
    try:
        yield
    finally:
        DEVICES.remove(NAME)
        for op in OPS:
            BRIDGES.remove((NAME, op))


if "FAKESDK_PACKAGES" in os.environ:
    # In the worker, where the module is imported to open the device.
    _register()
