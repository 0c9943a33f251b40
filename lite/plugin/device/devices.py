"""Devices: a device author writes one class, which describes the hardware and compiles regions for it.

::

    @dataclass(frozen=True)
    class NpuOptions:
        cores: int = 1

    @device("npu")
    class Npu(Device[NpuOptions]):
        Options = NpuOptions

        def available(self) -> str | None: ...
        def version(self) -> str: ...
        def compile(self, graph: Graph, signature: Signature) -> CompiledModel: ...

Import the vendor's SDK inside the methods that need it; `available` reports that it is missing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from lite.dataclass import dataclass
from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.ir.types import Array, DType, Layout
from lite.ops.view import Meta
from lite.plugin.device.compiled_model import CompiledModel, Tensor
from lite.plugin.device.model_group import ModelGroup
from lite.plugin.device.precision import FLOAT32, Precision
from lite.plugin.device.tensor_rules import ANY_TENSOR, TensorRules
from lite.plugin.registry import Registry

if TYPE_CHECKING:
    from lite.plugin.device.bridge_op import BridgeOp
    from lite.plugin.device.environment import WorkerEnvironment
    from lite.plugin.pattern import Composite

Signature = tuple[Meta, ...]
"""The element types and shapes of a region's inputs, in order, for which a model is compiled.

A dimension that is a string may have any size.
"""


@dataclass(frozen=True)
class NoOptions:
    """The options of a device without options."""


@dataclass(frozen=True)
class Settings:
    """The settings of the Config for every device.

    `threads` is the number of threads to use; `precision` is "default" or "strict".
    """

    threads: int = 1
    precision: str = "default"


@dataclass(frozen=True)
class LocalMemory:
    """A device's local memory, or scratch pad, which holds the tensors of a region while it runs.

    Each tensor takes a multiple of `alignment` bytes.  Weights are elsewhere.
    """

    bytes: int
    alignment: int = 1


@dataclass(frozen=True)
class Limits:
    """The most that one region may hold; None is no limit.  A larger region is split where it costs least.

    A composite counts as one op.  `alignment` is the alignment in bytes of the data of input and output
    arrays.  `memory_bytes` is the device's memory: the weights of a region and the tensors that exist at one
    time while it runs; `local_memory` has the tensors alone.  They are compared where shapes are known before
    a run, without the intermediate results within an op or composite: `Device.compile` raises `CompileError`
    where a region needs more.
    """

    ops: int | None = None
    weight_bytes: int | None = None
    inputs: int | None = None
    outputs: int | None = None
    alignment: int = 1
    memory_bytes: int | None = None
    local_memory: LocalMemory | None = None


class Memory(ABC):
    """A device's own memory, through which regions of the device pass tensors without copies to the host."""

    @abstractmethod
    def allocate(self, shape: tuple[int, ...], dtype: DType) -> Tensor:
        """Allocate one tensor and return its handle; dropping the last reference to the handle frees it."""

    @abstractmethod
    def copy_in(self, handle: Tensor, array: Array) -> None:
        """Copy a contiguous array to the device."""

    @abstractmethod
    def copy_out(self, handle: Tensor, array: Array) -> None:
        """Copy a tensor from the device to a contiguous array."""


O = TypeVar("O")  # noqa: E741 - the type of a device's options


class Device(ABC, Generic[O]):
    """One kind of hardware, opened with options.

    `dynamic_shapes` says whether `compile` takes signatures with dimensions of any size; `limits` what
    one region may hold; `tensors` which element types, ranks and sizes the device takes.  `precisions` are
    the number formats in which it computes: the first is that of float ops with the present options.

    With `on_host_processor`, models run on the cores that the host runs on, so the engine does not run them
    beside the host's ops unless it is asked to.

    `takes_quantized` says whether regions may have quantised values, with `Meta.quant`; the builder of such
    a device is a `QuantizedBuilder`.  Where no device of the Config says so, all values are real numbers, and
    ops quantise and dequantise.  With `stored_edges`, quantised inputs and outputs of regions are integers:
    the graph of a region begins with affine_dequantize and ends with affine_quantize.

    With the `edge_layout` NHWC, images at the edges of regions have channels last: the graph of a region
    begins with the transposes of its inputs to NCHW, and ends with those of its outputs to NHWC.

    `shares_weights` says that `compile_all` compiles several regions and signatures into models that share
    weights.  In a worker process, models are compiled one by one.
    """

    name: ClassVar[str] = ""
    Options: ClassVar[type[Any]] = NoOptions
    """The dataclass of the options that ``name{key=value}`` may set."""
    local_options: ClassVar[Sequence[str]] = ()
    """Options of text that name a file, library or service of this machine, which no model file may set.

    Those of the types `Path` and `FileOption` need not be listed.
    """
    dynamic_shapes: ClassVar[bool] = False
    on_host_processor: bool = False
    takes_quantized: bool = False
    stored_edges: bool = False
    edge_layout: Layout = Layout.NCHW
    shares_weights: bool = False
    shared_bridges: ClassVar[str] = ""
    """The name under which bridges are registered that devices of one file format share, such as "onnx".

    A bridge under the device's own name is preferred.
    """
    limits: Limits = Limits()
    tensors: TensorRules = ANY_TENSOR
    precisions: Sequence[Precision] = (FLOAT32,)
    environment: ClassVar[WorkerEnvironment | None] = None
    """The interpreter and packages of the SDK; with them, the device runs in a worker process only."""

    def __init__(self, options: O, settings: Settings) -> None:
        self.options = options
        self.settings = settings

    @abstractmethod
    def available(self) -> str | None:
        """Why the device cannot be used here, in one sentence; None when it can."""

    def why_not_run(self) -> str | None:
        """Why compiled models cannot run on this machine, in one sentence; None when they can.

        A device with a reason only builds: its models are compiled and kept, ``litebridge build`` writes
        their files, and the host runs the regions.
        """
        return None

    @abstractmethod
    def version(self) -> str:
        """Everything besides the region that a compiled model depends on: SDK, driver, chip."""

    @abstractmethod
    def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
        """Compile a region for inputs of this signature.

        `lite.plugin.device.bridging` builds the device's graph from the region by means of the bridges.  The
        answer is a binary or a graph that the vendor's runtime runs, or C, as a `CSource`.  Raises
        `CompileError`.
        """

    def load(self, blob: bytes) -> CompiledModel:
        """The model that `CompiledModel.serialize` returned as bytes; by default of a `CSource`.

        Raises `CompileError` for bytes that cannot be used.
        """
        from lite.plugin.device.c_source import MAGIC, CSource

        if blob[: len(MAGIC)] == MAGIC:
            return CSource.stored(blob)
        raise CompileError(f"{self.name} stores no compiled models")

    def compile_all(self, parts: Sequence[tuple[Graph, Signature]]) -> ModelGroup:
        """Compile several regions, or one for several signatures, together; see `shares_weights`.

        Where it fails, the engine compiles them one by one.  Raises `CompileError`.
        """
        raise CompileError(f"{self.name} compiles regions one by one")

    def load_all(self, blob: bytes) -> ModelGroup:
        """The group that `ModelGroup.serialize` returned as bytes.

        Raises `CompileError` for bytes that cannot be used.
        """
        raise CompileError(f"{self.name} stores no groups of models")

    def patterns(self) -> Sequence[Composite]:
        """Groups of ops that the device runs as one op; earlier composites are preferred."""
        return ()

    def region_passes(self) -> Sequence[str]:
        """Passes to run on a region before `compile`; the host keeps the unchanged ops for itself."""
        return ()

    def why_not_op(self, op: BridgeOp, name: str) -> str | None:
        """Why the device does not run an op or composite `name`, whatever its bridge says; None when it can.

        It is the place for limits that all ops share, such as element types.
        """
        return None

    def why_not_region(self, graph: Graph) -> str | None:
        """Why a region cannot be compiled although each of its ops can; None when it can."""
        return None

    def memory(self) -> Memory | None:
        """The device's own memory; None if it reads and writes arrays."""
        return None

    def worker_variables(self, packages: Path, folder: Path) -> Mapping[str, str]:
        """Environment variables for a worker with an `environment` of its own.

        `packages` is the folder of the environment's packages, and `folder` an empty folder, the worker's
        working directory, which is removed when the worker ends.
        """
        return {}

    def cost(self, op: BridgeOp) -> float | None:
        """The time of an op in seconds, for placement by cost; None if it is unknown."""
        return None


DEVICES: Registry[str, type[Device[Any]]] = Registry("device")
"""Device classes by name."""

D = TypeVar("D", bound=type[Device[Any]])


def device(name: str) -> Callable[[D], D]:
    """Register a class as the device `name`; raises `PluginError` if the name is taken."""

    def register(cls: D) -> D:
        cls.name = name
        DEVICES.add(name, cls, cls.__module__)
        return cls

    return register
