"""How near the values of a quantised model are to those of the float model, value by value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.quantization.metrics import cosine, sqnr
from lite.runtime.observe.watch import Observation
from lite.tools.analysis.value_differences import Recording

_QUANTIZE = ("quantize_linear", "affine_quantize")


@dataclass(frozen=True)
class ValueQuality:
    """A value that both models compute.

    `sqnr` is in dB and infinite for equal values.  `largest_error` is max|B - A|.  `saturated` is the share
    of the elements of A that lie outside the range that B quantises; None if B does not quantise the value.
    """

    name: str
    op: str
    sqnr: float
    cosine: float
    largest_error: float
    saturated: float | None


NOISY = 20.0
"""The SQNR in dB below which a value counts as noisy: noise of a tenth of the signal."""

WORST = 3
"""The number of the worst values in a sentence."""


def loss_sentence(values: Sequence[ValueQuality]) -> str:
    """Where the error begins, and the worst values with their ops, in the order in which B writes them."""
    first = next((each for each in values if each.sqnr < NOISY), None)
    worst = sorted(values, key=lambda each: each.sqnr)[:WORST]
    named = ", ".join(f"{each.name} ({each.op}, {each.sqnr:.1f} dB)" for each in worst)
    begin = (
        f"no value has less than {NOISY:.0f} dB"
        if first is None
        else f"the first value with less than {NOISY:.0f} dB is {first.name}, which {first.op} writes"
    )
    return f"{begin}; the worst are {named}" if worst else "there is no value of both models"


class Qualities:
    """Compares the values of B with a recording of A; `see` is a callback of `Predictor.observe`."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._values: dict[str, ValueQuality] = {}
        self._saturated: dict[str, float] = {}
        self.is_quantized = False
        """Whether B has quantised ops."""

    def see(self, observation: Observation) -> None:
        """Compare a value, unless A has none of that name and shape; floats of the main block only."""
        name = observation.name
        self.is_quantized |= observation.op in _QUANTIZE or observation.op.startswith("quantized_")
        if observation.op in _QUANTIZE:
            self._see_quantization(observation)
        exact, got = self._recorded(name), observation.value
        if exact is None or isinstance(got, list) or not observation.op or exact.shape != got.shape:
            return
        error = np.abs(np.subtract(got, exact, dtype=np.float64)).max(initial=0.0)
        self._values[name] = ValueQuality(
            name, observation.op, sqnr(exact, got), cosine(exact, got), float(error), None
        )

    @property
    def values(self) -> list[ValueQuality]:
        """The values of both models, in the order in which B writes them."""
        return [
            ValueQuality(**{**vars(each), "saturated": self._saturated.get(name)})
            for name, each in self._values.items()
        ]

    def _recorded(self, name: str) -> Array | None:
        """The last value of A of this name; None if there is none, or no tensor of floats."""
        values = self._recording.values.get(("main", name), [])
        last = values[-1] if values else None
        return last if isinstance(last, np.ndarray) and last.dtype.kind == "f" else None

    def _see_quantization(self, observation: Observation) -> None:
        """Count the elements of A outside the range of a quantisation of B."""
        source = observation.reads[0]
        exact = self._recorded(source)
        limits = _limits(observation)
        if exact is None or limits is None or not exact.size:
            return
        outside = (exact < limits[0]) | (exact > limits[1])
        self._saturated[source] = float(outside.mean())


def _limits(observation: Observation) -> tuple[float, float] | None:
    """The least and the greatest number that no clipping changes; None if the scale is not one constant."""
    names, constants = observation.reads, observation.constants
    scales = constants.get(names[1]) if len(names) > 1 else None
    if scales is None or scales.size != 1:
        return None
    scale = float(scales.reshape(()))
    if observation.op == "quantize_linear":
        # For 8 bits, half a step beyond the scale, which stands for 127 steps.
        return -scale * (1 + 0.5 / 127), scale * (1 + 0.5 / 127)
    zero = constants.get(names[2]) if len(names) > 2 else None
    offset = 0 if zero is None else int(zero.reshape(()))
    info = np.iinfo(observation.value.dtype)
    return (info.min - offset - 0.5) * scale, (info.max - offset + 0.5) * scale
