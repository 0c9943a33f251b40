"""IOBinding: inputs and outputs that are set before a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lite.compat.onnxruntime.errors import BindingError
from lite.compat.onnxruntime.values import OrtValue, at_address, require_cpu
from lite.errors import suggest
from lite.ir.types import Array


class IOBinding:
    """The bound inputs and outputs of a session, which `InferenceSession.io_binding` makes.

    All memory is the process's own: a device copies what it needs.
    """

    def __init__(self, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        self._known_inputs, self._known_outputs = inputs, outputs
        self._inputs: dict[str, OrtValue] = {}
        self._bound: dict[str, OrtValue | None] = {}
        self._results: dict[str, OrtValue] = {}

    def bind_cpu_input(self, name: str, arr_on_cpu: Array) -> None:
        """Use an array as an input, without a copy."""
        self.bind_ortvalue_input(name, OrtValue.ortvalue_from_numpy(arr_on_cpu))

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        """Use a value as an input, without a copy."""
        self._inputs[self._require(name, self._known_inputs, "input")] = ortvalue

    def bind_input(
        self,
        name: str,
        device_type: str,
        device_id: int,
        element_type: Any,
        shape: Sequence[int],
        buffer_ptr: int,
    ) -> None:
        """Use the memory at an address as an input."""
        require_cpu(device_type)
        self.bind_ortvalue_input(name, OrtValue(at_address(buffer_ptr, element_type, shape)))

    def bind_output(
        self,
        name: str,
        device_type: str = "cpu",
        device_id: int = 0,
        element_type: Any = None,
        shape: Sequence[int] | None = None,
        buffer_ptr: int | None = None,
    ) -> None:
        """Ask for an output, in new memory or in that at an address."""
        require_cpu(device_type)
        value = (
            None if not buffer_ptr or shape is None else OrtValue(at_address(buffer_ptr, element_type, shape))
        )
        self._bound[self._require(name, self._known_outputs, "output")] = value

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        """Write an output to a value."""
        self._bound[self._require(name, self._known_outputs, "output")] = ortvalue

    def synchronize_inputs(self) -> None:
        """Has no effect: inputs are in the memory of this process."""

    def synchronize_outputs(self) -> None:
        """Has no effect: outputs are in the memory of this process."""

    def get_outputs(self) -> list[OrtValue]:
        """The outputs of the last run, in the order in which they were bound."""
        return [self._results[name] for name in self._bound if name in self._results]

    def get_outputs_as_ortvaluevector(self) -> list[OrtValue]:
        """As `get_outputs`."""
        return self.get_outputs()

    def copy_outputs_to_cpu(self) -> list[Array]:
        """Copies of the outputs of the last run, in the order in which they were bound."""
        return [value.numpy() for value in self.get_outputs()]

    def clear_binding_inputs(self) -> None:
        """Forget the inputs."""
        self._inputs.clear()

    def clear_binding_outputs(self) -> None:
        """Forget the outputs."""
        self._bound.clear()
        self._results.clear()

    def inputs(self) -> dict[str, Any]:
        """The bound inputs as arrays."""
        return {name: value.shared() for name, value in self._inputs.items()}

    def output_names(self) -> list[str]:
        """The bound outputs."""
        return list(self._bound)

    def output_arrays(self) -> dict[str, Array]:
        """The arrays that outputs are written to, for outputs that have one."""
        arrays: dict[str, Array] = {}
        for name, value in self._bound.items():
            array = None if value is None else value.shared()
            if array is not None and not isinstance(array, list):
                arrays[name] = array
        return arrays

    def take(self, results: Mapping[str, Any]) -> None:
        """Keep the results of a run."""
        self._results = {name: self._bound.get(name) or OrtValue(array) for name, array in results.items()}

    @staticmethod
    def _require(name: str, known: Sequence[str], what: str) -> str:
        if name not in known:
            raise BindingError(
                f"Error when binding {what}: Failed to find {what} name in the mapping: {name}"
                f"{suggest(name, known)}"
            )
        return name
