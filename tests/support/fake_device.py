"""A fake device in this process: it runs ops by the host's kernels and fails as its `Faults` state."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.ir.quantized_arrays import dequantized, quantized
from lite.ir.types import Array, DType, Layout
from lite.ops import Meta
from lite.plugin.device import (
    BRIDGES,
    DEVICES,
    FLOAT32,
    BridgeOp,
    CompiledModel,
    Conversion,
    Device,
    Evidence,
    Limits,
    Memory,
    Precision,
    Signature,
    TensorRules,
    bridge,
    convert,
    device,
)
from lite.plugin.device.tensor_rules import ANY_TENSOR
from lite.plugin.kernel import evaluate

NO_LIMITS = Limits()

Values = dict[str, Array]
Op = Callable[[Values], None]


@dataclass(frozen=True)
class FakeOptions:
    """``version`` is the version that the device reports."""

    version: str = "1"


@dataclass
class Faults:
    """The faults of a device, and counts of its calls."""

    missing: str | None = None
    convert: frozenset[str] = frozenset()
    """Op types whose bridge throws."""
    compile: frozenset[str] = frozenset()
    """Op types that the compiler refuses."""
    names_op: bool = True
    """Whether the compiler names the op."""
    load: bool = False
    run: int = 0
    """The number of the first run that fails; 0 is none."""
    seconds: float = 0.0
    """How long a run takes at least."""
    result: Callable[[Array], Any] = field(default=lambda array: array)
    """Changes each result."""
    memory: FakeMemory | None = None
    """The device's own memory; None where it reads arrays."""
    evidence: Callable[[int], Evidence | None] = field(default=lambda _: None)
    """The evidence of a model, by the number of runs so far."""
    inputs: list[Any] = field(default_factory=list)
    """Those of the last run."""
    compiled: int = 0
    loaded: int = 0
    runs: int = 0


class Builder:
    """Ops as functions on arrays by name."""

    def __init__(self) -> None:
        self.inputs: list[str] = []
        self.outputs: list[str] = []
        self.constants: Values = {}
        self.ops: list[Op] = []
        self.types: list[tuple[str, str]] = []

    def input(self, name: str, meta: Meta) -> str:
        self.inputs.append(name)
        return name

    def constant(self, name: str, array: Array) -> str:
        self.constants[name] = array
        return name

    def output(self, name: str, tensor: str) -> None:
        self.outputs.append(tensor)

    def rounded(self, name: str, tensor: str, meta: Meta) -> str:
        quant = meta.quant
        assert quant is not None
        result = f"{name} rounded"

        def run(values: Values) -> None:
            values[result] = dequantized(quantized(values[tensor], quant), quant, meta.dtype)

        self.ops.append(run)
        return result

    def quantized_constant(self, name: str, stored: Array, meta: Meta) -> str:
        assert meta.quant is not None
        assert meta.value is None
        self.constants[name] = dequantized(stored, meta.quant, meta.dtype)
        return name


@dataclass
class Handle:
    """A tensor in the fake device's memory; not an array, so that host code cannot read it by mistake."""

    content: Array


class FakeMemory(Memory):
    """A device's own memory that records the shapes of copies."""

    def __init__(self) -> None:
        self.copied_in: list[tuple[int, ...]] = []
        self.copied_out: list[tuple[int, ...]] = []

    def allocate(self, shape: tuple[int, ...], dtype: DType) -> Handle:
        return Handle(np.empty(shape, dtype.numpy))

    def copy_in(self, handle: Handle, array: Array) -> None:
        self.copied_in.append(array.shape)
        handle.content[...] = array

    def copy_out(self, handle: Handle, array: Array) -> None:
        self.copied_out.append(array.shape)
        if handle.content.shape != array.shape or handle.content.dtype != array.dtype:
            raise ValueError(f"{handle.content.shape} does not fit {array.shape}")
        array[...] = handle.content


class FakeModel(CompiledModel):
    def __init__(self, builder: Builder, faults: Faults, blob: bytes) -> None:
        self.builder, self.faults, self.blob = builder, faults, blob

    def run(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> Sequence[Any]:
        self.faults.runs += 1
        if self.faults.seconds:
            time.sleep(self.faults.seconds)
        if self.faults.run and self.faults.runs >= self.faults.run:
            raise RuntimeError("the chip is on fire")
        has_memory = self.faults.memory is not None
        self.faults.inputs = list(inputs)
        arrays = [each.content if isinstance(each, Handle) else each for each in inputs]
        values = {**self.builder.constants, **dict(zip(self.builder.inputs, arrays, strict=True))}
        for op in self.builder.ops:
            op(values)
        results: list[Any] = [self.faults.result(values[name]) for name in self.builder.outputs]
        return [Handle(result) for result in results] if has_memory else results

    def serialize(self) -> bytes:
        return self.blob

    def evidence(self) -> Evidence | None:
        return self.faults.evidence(self.faults.runs)


@dataclass(frozen=True)
class HostOp:
    """A bridge that runs the op's host kernel."""

    faults: Faults

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return None

    def convert(self, op: BridgeOp, ctx: Conversion[Builder, str]) -> None:
        if op.op in self.faults.convert:
            raise KeyError(f"no table for {op.op}")
        inputs = {slot: ctx.inputs(op, slot) for slot in op.node.inputs}
        outputs = {slot: [v.label for v in values] for slot, values in op.node.outputs.items()}

        def run(values: Values) -> None:
            arrays = {slot: [values[name] for name in names] for slot, names in inputs.items()}
            results = evaluate(op.op, arrays, op.node.attrs, {slot: len(n) for slot, n in outputs.items()})
            for slot, names in outputs.items():
                values.update(zip(names, (result.array for result in results[slot]), strict=True))

        ctx.builder.ops.append(run)
        ctx.builder.types.append((op.op, op.name))
        for slot, names in outputs.items():
            ctx.outputs(op, slot, names)


@contextmanager
def fake_device(
    *ops: str,
    name: str = "fake",
    limits: Limits = NO_LIMITS,
    dynamic: bool = False,
    quantized_values: bool = False,
    integer_edges: bool = False,
    channels_last: bool = False,
    tensors: TensorRules = ANY_TENSOR,
    precision: Precision = FLOAT32,
) -> Iterator[Faults]:
    """Register a device `name` that takes `ops`; yields its faults and counts."""
    faults = Faults()
    models: dict[bytes, Builder] = {}

    class FakeDevice(Device[FakeOptions]):
        Options = FakeOptions
        dynamic_shapes = dynamic
        takes_quantized = quantized_values
        stored_edges = integer_edges
        edge_layout = Layout.NHWC if channels_last else Layout.NCHW

        def available(self) -> str | None:
            return faults.missing

        def version(self) -> str:
            return self.options.version

        def memory(self) -> Memory | None:
            return faults.memory

        def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
            faults.compiled += 1
            builder = Builder()
            convert(graph, self, builder)
            for op, at in builder.types:
                if op in faults.compile:
                    raise CompileError(f"no circuit for {op}", at if faults.names_op else None)
            blob = json.dumps([faults.compiled, name]).encode()
            models[blob] = builder
            return FakeModel(builder, faults, blob)

        def load(self, blob: bytes) -> CompiledModel:
            faults.loaded += 1
            if faults.load or blob not in models:
                raise ValueError("bad magic")
            return FakeModel(models[blob], faults, blob)

    FakeDevice.limits = limits
    FakeDevice.tensors = tensors
    FakeDevice.precisions = (precision,)
    device(name)(FakeDevice)
    bridge(name, *ops)(HostOp(faults))
    try:
        yield faults
    finally:
        DEVICES.remove(name)
        for op in ops:
            BRIDGES.remove((name, op))


def ones(*shape: int) -> Array:
    """An array of float32 ones."""
    return np.ones(shape, np.float32)
