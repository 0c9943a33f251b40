"""What a device's author writes: one class that says what the device is, and compiles regions.

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

A vendor's SDK is imported inside the methods that need it; a missing one is a reason in `available`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, TypeVar

from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.ir.types import Array, DType
from lite.ops.view import Meta
from lite.plugin.device.bridge_op import BridgeOp
from lite.plugin.pattern import Composite
from lite.plugin.registry import Registry

Signature = tuple[Meta, ...]
"""What a model is compiled for: the metas of the region's inputs, in their order.  A dimension that is
no number may take any size."""

Tensor = Any
"""What a compiled model reads and writes: an array, or a handle of the device's `Memory`."""


@dataclass(frozen=True)
class NoOptions:
    """The options of a device that has none."""


@dataclass(frozen=True)
class Settings:
    """What every device is told: how many threads to use, and "default" or "strict" precision."""

    threads: int = 1
    precision: str = "default"


@dataclass(frozen=True)
class Limits:
    """What one region may hold; None is no limit.  Larger regions are split at the cheapest cuts.

    A composite counts as one op.
    `alignment` is in bytes: where the data of arrays begins that are handed to the device.
    """

    ops: int | None = None
    weight_bytes: int | None = None
    inputs: int | None = None
    outputs: int | None = None
    alignment: int = 1


class CompiledModel(ABC):
    """A region as the device runs it.

    `threads` says whether several threads may run it at once ("shared") or one at a time ("one").
    """

    threads: Literal["shared", "one"] = "one"

    @abstractmethod
    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor | None]) -> Sequence[Tensor]:
        """Run once; what the region returns, in order.

        `inputs` are contiguous arrays in the order of the region's arguments, which are never written.
        An output that is given is written there; one given as None is allocated.  On a device with
        `Memory`, inputs and outputs are handles.  Raises `ExecutionError`.
        """

    def serialize(self) -> bytes | None:
        """The model as bytes that the device's `load` takes; None where it cannot be kept."""
        return None


class Memory(ABC):
    """A device's own memory: regions of one device then pass handles instead of arrays."""

    @abstractmethod
    def allocate(self, shape: tuple[int, ...], dtype: DType) -> Tensor:
        """A handle on room for one tensor; given back when nothing refers to the handle."""

    @abstractmethod
    def copy_in(self, handle: Tensor, array: Array) -> None:
        """Write a contiguous array into the device's memory."""

    @abstractmethod
    def copy_out(self, handle: Tensor, array: Array) -> None:
        """Read the device's memory into a contiguous array."""


O = TypeVar("O")  # noqa: E741 - the type of a device's options


class Device(ABC, Generic[O]):
    """One kind of hardware, as opened with options.

    `dynamic_shapes` says that `compile` takes signatures with unknown dimensions; `limits` what one
    region may hold.
    """

    name: ClassVar[str] = ""
    Options: ClassVar[type[Any]] = NoOptions
    """The dataclass of the options that ``name{key=value}`` may give."""
    dynamic_shapes: ClassVar[bool] = False
    limits: Limits = Limits()

    def __init__(self, options: O, settings: Settings) -> None:
        self.options = options
        self.settings = settings

    @abstractmethod
    def available(self) -> str | None:
        """Why the device cannot be used here, in one sentence; None when it can."""

    @abstractmethod
    def version(self) -> str:
        """All that a compiled model depends on besides its region: SDK, driver, chip."""

    @abstractmethod
    def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
        """Compile a region whose values have the shapes that follow from `signature`.

        `lite.plugin.device.convert.convert` hands its ops to the bridges.  Raises `CompileError`.
        """

    def load(self, blob: bytes) -> CompiledModel:
        """The model that `CompiledModel.serialize` made; raises `CompileError` for bytes it cannot use."""
        raise CompileError(f"{self.name} keeps no compiled models")

    def patterns(self) -> Sequence[Composite]:
        """Groups of ops that the device runs as one, the most wanted first."""
        return ()

    def region_passes(self) -> Sequence[str]:
        """Passes to run on a region before it is compiled; the host's version keeps the ops as they were."""
        return ()

    def why_not_region(self, graph: Graph) -> str | None:
        """Why a region whose ops are fine one by one cannot be compiled; None when it can."""
        return None

    def memory(self) -> Memory | None:
        """The device's own memory; None where it reads and writes arrays."""
        return None

    def cost(self, op: BridgeOp) -> float | None:
        """Seconds that the op takes here, for placement by cost; None where it is not known."""
        return None


DEVICES: Registry[str, type[Device[Any]]] = Registry("device")

D = TypeVar("D", bound=type[Device[Any]])


def device(name: str) -> Callable[[D], D]:
    """Register a class as the device `name`."""

    def register(cls: D) -> D:
        cls.name = name
        DEVICES.add(name, cls, cls.__module__)
        return cls

    return register
