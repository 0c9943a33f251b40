"""Options of `lite.quantize`, checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import Any

from lite.dataclass import dataclass
from lite.errors import ConfigError, suggest
from lite.quantization.grid import Scheme
from lite.quantization.metrics import METRICS, Drop
from lite.quantization.observers import METHODS, Tuning
from lite.quantization.recipe import WEIGHT_BITS
from lite.quantization.script import at_script, is_function_path, load_function

AUTO = "auto"
ACTIVATIONS = ("auto", "symmetric", "asymmetric", "float")
ROUNDINGS = ("compensated", "nearest")
LAYERS = ("dense", "all")
FORMATS = ("paddle", "onnx")


@dataclass(frozen=True)
class Options:
    """How to quantise; `lite.quantize` describes the fields.  Raises `ConfigError`."""

    format: str | None = None
    method: str = "auto"
    activations: str = "auto"
    weights: str = "int8"
    per_channel: bool = True
    pairs: bool = False
    equalize: bool = False
    correct_biases: bool | None = None
    rounding: str = "compensated"
    layers: str = "dense"
    keep: tuple[str, ...] = ()
    percentile: float = 99.99
    moving_rate: float = 0.9
    samples: int | None = None
    max_drop: float | None = None
    metric: str | Drop = "cosine"
    plan: str | PathLike[str] | None = None

    def __post_init__(self) -> None:
        _require("method", self.method, (AUTO, *METHODS))
        _require("activations", self.activations, ACTIVATIONS)
        _require("layers", self.layers, LAYERS)
        _require("rounding", self.rounding, ROUNDINGS)
        _require("weights", self.weights, WEIGHT_BITS)
        if self.format is not None:
            _require("format", self.format, FORMATS)
        if not 50 < self.percentile <= 100:
            raise ConfigError(f"percentile: expected more than 50 and at most 100, got {self.percentile}")
        if not 0 <= self.moving_rate < 1:
            raise ConfigError(f"moving_rate: expected at least 0 and less than 1, got {self.moving_rate}")
        if self.samples is not None and self.samples < 1:
            raise ConfigError(f"samples: expected 1 or more, got {self.samples}; None takes all")
        if self.max_drop is not None and not self.max_drop > 0:
            raise ConfigError(f"max_drop: expected more than 0, such as 0.01, got {self.max_drop}")
        if self.max_drop is not None and self.plan is not None:
            raise ConfigError("max_drop and plan: expected one of them; a plan names the layers itself")
        if self.activations != "float" and self.weights == "float16":
            raise ConfigError("weights: float16 needs activations 'float'; integers go with int8 or int4")
        if isinstance(self.metric, str) and not is_function_path(self.metric):
            _require("metric", self.metric, METRICS, " or SCRIPT.py:function")

    @property
    def quantizes_activations(self) -> bool:
        """Whether activations become integers, so that calibration data are needed."""
        return self.activations != "float"

    @property
    def tuning(self) -> Tuning:
        """The parameters of the methods of calibration."""
        return Tuning(self.percentile, self.moving_rate)

    def method_for(self, scheme: Scheme) -> str:
        """The method of calibration; by default the one that was best for PP-OCR's models."""
        if self.method != AUTO:
            return self.method
        return "mse" if scheme.symmetric else "percentile"

    def drop(self) -> Drop:
        """The measure of `metric`."""
        if isinstance(self.metric, str) and self.metric in METRICS:
            return METRICS[self.metric]
        if isinstance(self.metric, str):
            return _of_script(self.metric, load_function(self.metric))
        return self.metric


def _of_script(name: str, function: Callable[..., Any]) -> Drop:
    def drop(exact: Mapping[str, Any], got: Mapping[str, Any]) -> float:
        result = at_script(f"metric: {name}", lambda: function(exact, got))
        try:
            return float(result)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"metric: {name} must return a number, got {result!r}") from error

    return drop


def _require(option: str, value: object, choices: Iterable[str], more: str = "") -> None:
    names = list(choices)
    if value not in names:
        near = suggest(str(value), names)
        raise ConfigError(f"{option}: expected {', '.join(names)}{more}, got {value!r}{near}")
