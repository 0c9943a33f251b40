"""CompiledModel: a region as a device runs it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from lite.errors import ExecutionError

if TYPE_CHECKING:
    from lite.plugin.device.evidence import Evidence

Tensor = Any
"""An input or output of a compiled model: an array, or a handle of the device's `Memory`."""


class CompiledModel(ABC):
    """A compiled region.

    `threads` is "shared" if several threads may run the model at once, and "one" if only one may.
    `survives_fork` says whether it also runs in a process that was forked later, where threads that the
    vendor's library started do not exist; otherwise the host takes over there.
    """

    threads: Literal["shared", "one"] = "one"
    survives_fork: bool = False

    @abstractmethod
    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor | None]) -> Sequence[Tensor]:
        """Run the model once and return its outputs, in the order of the region's results.

        `inputs` are contiguous arrays in the order of the region's arguments; the model must not write
        to them.  The model writes its outputs to `outputs`, and allocates those that are None.  On a
        device with `Memory`, inputs and outputs are handles.  Raises `ExecutionError`.
        """

    def start(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor | None]) -> object | None:
        """Begin a run as `run` does it, and return without waiting; None for a model that has only `run`.

        The result is a ticket, which `wait` gets once.  Several runs may be under way at once, by different
        predictors: the device, not the engine, puts them in order.  Arrays are left alone until `wait`
        returns.  Called by one thread at a time unless `threads` is "shared".  Raises `ExecutionError`.
        """
        return None

    def wait(self, ticket: object) -> Sequence[Tensor]:
        """The outputs of a run that `start` began, once it has ended; any thread may wait.

        Raises `ExecutionError`.
        """
        raise ExecutionError(f"{type(self).__name__} has start, but no wait")

    def serialize(self) -> bytes | None:
        """The model as bytes for `Device.load`; None if it cannot be kept."""
        return None

    def files(self) -> Mapping[str, bytes]:
        """The model in the vendor's own files, by relative path, for ``litebridge build``.

        A path that ends with a slash is an empty folder.  The default is what `serialize` returns, as
        ``model.bin``, and nothing if the model cannot be kept.
        """
        blob = self.serialize()
        return {} if blob is None else {"model.bin": blob}

    def evidence(self) -> Evidence | None:
        """What proves that the model runs on the device; None if the vendor reports nothing.

        The engine asks after compiling or loading and after the first run: an SDK may repeat a failed run
        on another processor without a message.  Evidence with a problem is a failure of the device.
        """
        return None
