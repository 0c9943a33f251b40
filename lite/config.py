"""Config: which model, and how to run it."""

from __future__ import annotations

import functools
import importlib.util
import operator
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import SupportsIndex

from google.protobuf.message import Message

from lite.errors import ConfigError, suggest
from lite.ir.types import HOST, Dim, Place, Shape
from lite.plan.memory import STRATEGIES
from lite.plugin.format import ModelSource
from lite.subgraph import PLACEMENTS

PathLike = str | os.PathLike[str]

_CHOICES = {
    "memory": tuple(STRATEGIES),
    "precision": ("default", "strict"),
    "fallback": ("warn", "error"),
    "placement": PLACEMENTS,
}
CPU = "cpu"
"""The target whose kernels numba compiles."""

_OPTIONAL = ("passes", "valid_places")
"""Lists that may be None: the default one is taken."""


@dataclass(frozen=True)
class Config:
    """What to run and how.  Any form of model takes any format, told by content.

    model_dir: a directory, or one file with its parameters beside it.
    model_file, params_file: explicit files.  model_buffer, params_buffer: the same as bytes; an
        ``onnx.ModelProto`` is a model_buffer, too.
    devices: names of devices in order of preference, each with options as in ``name{key=value}``.
    valid_places: targets for kernels in order of preference; the host is always the last resort.  None: the
        compiled kernels of ``cpu`` where numba is installed (extra ``jit``), then the host.
    passes: the pass list to use instead of the default one; see ``litebridge passes``.
    threads: most cores that one run uses.
    keep: variables of the main block whose values survive all passes and can be read after a run.
    input_shapes: promised shapes by input name; the model is specialised for them, others are refused.
    precision: "strict" keeps to float32 arithmetic as written, "default" may trade a last digit for speed.
    memory: how buffers share memory; see `lite.plan.memory.STRATEGIES`.
    cache_dir: where the plan of the optimised model, packed weights and compiled models of devices are kept
        for the next process; None keeps none.  With `debug` or `dot_dir`, no plan is kept.
    verify_weights: read model files and sources again for the cache's keys, instead of trusting sizes, times
        and inodes.
    fallback: "warn" lets the host answer where a device fails, with one warning for each kind of failure;
        `Predictor.report` counts them all.  "error" raises.
    min_subgraph_ops: regions with fewer ops stay on the host.
    partition_rules: which ops to keep off devices or put on one; text or a file, see `PartitionRules`.
    placement: "priority", "fewest_regions" or "cost"; see `lite.subgraph.plan_regions`.
    max_signatures: input shapes that a device builds a model of each for, before one for any shape.
    isolate: run each device in a process of its own, whose end is a failure like any other.
    time_limit: seconds after which an isolated device that does not answer is ended; None waits.
    dot_dir: where ``graph_visualize_pass`` writes its pictures.
    debug: verify the graph after every pass that changed it.

    Raises `ConfigError` for contradictions and values out of range.
    """

    model_dir: PathLike | None = None
    model_file: PathLike | None = None
    params_file: PathLike | None = None
    model_buffer: bytes | Message | None = None
    params_buffer: bytes | None = None
    devices: Sequence[str] = ()
    valid_places: Sequence[Place | str] | None = None
    passes: Sequence[str] | None = None
    threads: int = 1
    keep: Sequence[str] = ()
    input_shapes: Mapping[str, Shape] = field(default_factory=dict)
    precision: str = "default"
    memory: str = "compact"
    cache_dir: PathLike | None = None
    verify_weights: bool = False
    fallback: str = "warn"
    min_subgraph_ops: int = 2
    partition_rules: PathLike | None = None
    placement: str = "priority"
    max_signatures: int = 4
    isolate: bool = False
    time_limit: float | None = None
    dot_dir: PathLike | None = None
    debug: bool = False

    def __post_init__(self) -> None:
        self._require_one_model()
        for name in ("model_dir", "model_file", "params_file", "dot_dir", "cache_dir", "partition_rules"):
            _require(name, getattr(self, name), (str, os.PathLike, type(None)), "a path")
        for name, more in (("model_buffer", (Message,)), ("params_buffer", ())):
            _require(name, getattr(self, name), (bytes, bytearray, memoryview, type(None), *more), "bytes")
        for name, known in _CHOICES.items():
            _require_choice(name, getattr(self, name), known)
        for name in ("debug", "isolate", "verify_weights"):
            _require(name, getattr(self, name), bool, "True or False")
        for name in ("threads", "min_subgraph_ops", "max_signatures"):
            count = getattr(self, name)
            _require(name, count, int, "a whole number")
            if count < 1 or isinstance(count, bool):
                raise ConfigError(f"{name}: expected 1 or more, got {count}")
        _require("time_limit", self.time_limit, (int, float, type(None)), "a number of seconds")
        if self.time_limit is not None and not self.time_limit > 0:
            raise ConfigError(f"time_limit: expected more than 0 seconds, got {self.time_limit}")
        # What the caller does with his lists afterwards changes nothing here.
        for name in ("devices", "passes", "keep"):
            object.__setattr__(self, name, _names(name, getattr(self, name), (str,)))
        object.__setattr__(self, "valid_places", _names("valid_places", self.valid_places, (str, Place)))
        object.__setattr__(self, "input_shapes", _promised_shapes(self.input_shapes))

    @property
    def source(self) -> ModelSource:
        """Where the model is, for the parsers."""
        if self.model_buffer is not None:
            params = None if self.params_buffer is None else bytes(self.params_buffer)
            given = self.model_buffer
            model = given.SerializeToString() if isinstance(given, Message) else bytes(given)
            return ModelSource(model=model, params=params)
        path = self.model_dir if self.model_file is None else self.model_file
        params_path = None if self.params_file is None else Path(self.params_file)
        return ModelSource(Path(path or ""), params_path)

    @property
    def places(self) -> tuple[Place, ...]:
        """`valid_places` that can be used here, ending with the host; see there for what is meant by None."""
        if self.valid_places is None and _has_numba():
            return Place(CPU), Place(HOST)
        given = [place if isinstance(place, Place) else Place(place) for place in self.valid_places or ()]
        if not _has_numba():
            given = [place for place in given if place.target != CPU]
        if all(place.target != HOST for place in given):
            given.append(Place(HOST))
        return tuple(given)

    def _require_one_model(self) -> None:
        given = [
            name for name in ("model_dir", "model_file", "model_buffer") if getattr(self, name) is not None
        ]
        if len(given) != 1:
            raise ConfigError(
                "name the model in exactly one way (model_dir, model_file or model_buffer), "
                f"got {', '.join(given) or 'none'}"
            )
        if self.params_file is not None and self.model_file is None:
            raise ConfigError("params_file goes with model_file")
        if self.params_buffer is not None and self.model_buffer is None:
            raise ConfigError("params_buffer goes with model_buffer")


@functools.cache
def _has_numba() -> bool:
    return importlib.util.find_spec("numba") is not None


def _require(option: str, value: object, types: type | tuple[type, ...], what: str) -> None:
    if not isinstance(value, types):
        raise ConfigError(f"{option}: expected {what}, got {value!r}")


def _require_choice(option: str, value: object, known: Sequence[str]) -> None:
    if value not in known:
        raise ConfigError(f"{option}: {value!r} is none of {', '.join(known)}{suggest(str(value), known)}")


def _names(option: str, given: object, types: tuple[type, ...]) -> tuple[object, ...] | None:
    if given is None and option in _OPTIONAL:
        return None
    if isinstance(given, str):
        raise ConfigError(f"{option}: expected a list of names, got the text {given!r}")
    if not isinstance(given, Sequence):
        raise ConfigError(f"{option}: expected a list of names, got {given!r}")
    for name in given:
        if not name or not isinstance(name, types):
            raise ConfigError(f"{option}: expected names, got {name!r}")
    return tuple(given)


def _promised_shapes(given: object) -> dict[str, Shape]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ConfigError(f"input_shapes: expected shapes by input name, got {given!r}")
    return {name: _promised_shape(name, shape) for name, shape in given.items()}


def _promised_shape(name: object, shape: object) -> Shape:
    _require("input_shapes", name, str, "shapes by input name")
    if not isinstance(shape, Sequence) or isinstance(shape, str):
        raise ConfigError(f"input_shapes: input {name!r}: expected a list of sizes, got {shape!r}")
    dims: list[Dim] = []
    for dim in shape:
        if isinstance(dim, bool) or not isinstance(dim, (SupportsIndex, str)):
            raise ConfigError(f"input_shapes: input {name!r}: expected sizes, got {dim!r}")
        size = dim if isinstance(dim, str) else operator.index(dim)
        if isinstance(size, int) and size < 0:
            raise ConfigError(f"input_shapes: input {name!r}: size {size}; write '?' for one that may change")
        dims.append(size)
    return tuple(dims)
