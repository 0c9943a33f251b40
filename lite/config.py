"""Config: which model to run, and how."""

from __future__ import annotations

import functools
import importlib.util
import operator
import os
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import SupportsIndex

from google.protobuf.message import Message

from lite.dataclass import dataclass
from lite.errors import ConfigError, suggest
from lite.ir.limits import Limits
from lite.ir.types import HOST, Dim, Place, Shape
from lite.memory import STRATEGIES
from lite.plugin.format import MAPPINGS, ModelSource
from lite.subgraph import PLACEMENTS

PathLike = str | os.PathLike[str]

_CHOICES = {
    "memory": tuple(STRATEGIES),
    "precision": ("default", "strict"),
    "fallback": ("warn", "error"),
    "placement": PLACEMENTS,
    "mapping": MAPPINGS,
    "side_by_side": ("auto", "always", "never"),
    "compilation": ("auto", "background", "wait"),
}
CPU = "cpu"
"""The target of the kernels that numba compiles."""

_COUNTS = {
    "threads": "1 is the calling thread alone",
    "min_subgraph_ops": "1 also gives single ops to devices",
    "max_signatures": "1 builds for the first shapes that a run has",
}
"""Fields of at least 1 → what the least means."""

_OPTIONAL = ("passes", "valid_places")
"""Lists that may be None, which stands for a default."""


@dataclass(frozen=True)
class Config:
    """Which model to run, and how.

    >>> lite.Config("model_dir", devices=["openvino"], threads=4)      # doctest: +SKIP

    **Model**: exactly one of `model_dir`, `model_file` and `model_buffer`; the content tells its format.

    model_dir: a folder with a model, or a model's file with its parameters beside it.
    model_file, params_file: the model's file, and the file of its parameters.
    model_buffer, params_buffer: their content as bytes; `model_buffer` may be an ``onnx.ModelProto``, too.
    keep: variables of the main block that the passes must not remove; `Predictor.get` reads their values.
    input_shapes: shapes by input name.  The model is specialised for them, and other shapes are refused.  An
        entry may leave sizes open, by ``"?"`` or by a name for equal sizes: ``{"x": ("n", 3, 224, 224)}``.

    **Where ops run**

    devices: names of devices in order of preference, with options in braces: ``"name{key=value}"``.
    valid_places: targets of the kernels for all other ops, in order of preference; the host is added at the
        end if it is missing.  None: the compiled kernels of ``cpu`` if numba is installed, then the host.
    placement: how ops are divided among devices: "priority" (each op on the first device that takes it),
        "fewest_regions" or "cost" (by the costs that ``litebridge tune`` measured).
    plan: a file that ``litebridge plan --save`` wrote: its regions, in place of `placement`.
    partition_rules: rules that keep ops off devices, or put them on one: text, or a file of it; see
        `lite.subgraph.partition_rules`.
    recipe: a JSON file with the ranges of values (`lite.subgraph.recipe`), by which devices that take
        quantised values compute in int8 with a float model.
    min_subgraph_ops: regions with fewer ops stay on the host.
    max_signatures: number of input signatures for which a device builds a model each; for further ones it
        builds one model for any shape, if it can.
    fallback: "warn": if a device fails, the host takes over, with one warning for each kind of failure
        (`Predictor.report` lists all).  "error": raise `CompileError` or `ExecutionError`.
    side_by_side: "auto": a region on a device with a processor of its own runs beside ops of the host and
        regions of other devices that it does not depend on.  "always": regions on devices that compute on
        the host's cores, too, by which a run uses more cores than `threads`.  "never": one after the other.
    isolate: run each device in a process of its own, whose crash is a failure like any other.
    time_limit: seconds after which an isolated device that does not answer is killed; None means no limit.

    **How ops run**

    threads: number of CPU cores that one run may use; at most 16 for each core of the machine, or 64.
    precision: "strict": float32 arithmetic as the model states it.  "default": faster algorithms are allowed,
        whose results may differ in the last digits.
    memory: the strategy by which buffers share memory: "compact", "best_fit", "mru" or "plain"; see
        `lite.memory`.
    compilation: how runs get kernels of ``cpu`` that are not compiled for this machine yet.  "background":
        another process compiles them, and the host's kernels answer meanwhile, whose results may differ in
        the last digits.  "wait": the first run compiles them.  "auto": "background", but "wait" where the
        environment variable ``LITEBRIDGE_COMPILATION`` is ``wait``.  Runs with strict precision and models
        with devices always wait.
    passes: the list of passes in place of the default one; ``litebridge passes`` lists them.

    **Cache and debugging**

    cache_dir: folder that stores plans, packed weights and device models for later processes; None stores
        nothing.  Plans are not stored with `debug` or `dot_dir`.
    verify_weights: always read model files and sources to find cache entries; do not trust their sizes, times
        and inodes.
    dot_dir: folder for the pictures of ``graph_visualize_pass``.
    debug: after every pass that changed the graph, verify it and check that values keep their dtypes and
        shapes; keep the optimised graph.

    **Untrusted files**

    limits: the most that a model may ask for while it is loaded; see `lite.Limits`.
    mapping: "private": weights are mapped from the model's files, which no process may overwrite in place or
        cut short while the predictor exists; files that every user may write to are copied.  "copy": all
        files are copied into memory when the model is loaded, and later changes of them have no effect.

    A Config is immutable: it copies lists, and ``dataclasses.replace`` makes a changed one.  Raises
    `ConfigError` for unknown fields, fields of a wrong type, values out of range and contradictions.
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
    recipe: PathLike | None = None
    placement: str = "priority"
    plan: PathLike | None = None
    max_signatures: int = 4
    side_by_side: str = "auto"
    compilation: str = "auto"
    isolate: bool = False
    time_limit: float | None = None
    dot_dir: PathLike | None = None
    debug: bool = False
    limits: Limits = field(default_factory=Limits)
    mapping: str = "private"

    def __new__(cls, *_: object, **options: object) -> Config:
        """A Config; raises `ConfigError`, with near names, for an unknown field."""
        for name in options:
            if name not in cls.__dataclass_fields__:
                near = suggest(name, cls.__dataclass_fields__)
                raise ConfigError(f"Config has no field {name!r}{near}; help(lite.Config) describes all")
        return super().__new__(cls)

    def __post_init__(self) -> None:
        self._require_one_model()
        for name in (
            "model_dir",
            "model_file",
            "params_file",
            "dot_dir",
            "cache_dir",
            "plan",
            "recipe",
        ):
            _require_path(name, getattr(self, name))
        rules = self.partition_rules
        _require("partition_rules", rules, (str, os.PathLike, type(None)), "a path")
        for name, more in (("model_buffer", (Message,)), ("params_buffer", ())):
            _require(
                name,
                getattr(self, name),
                (bytes, bytearray, memoryview, type(None), *more),
                "bytes, such as Path(file).read_bytes()",
            )
        for name, choices in _CHOICES.items():
            _require_choice(name, getattr(self, name), choices)
        for name in ("debug", "isolate", "verify_weights"):
            _require(name, getattr(self, name), bool, "True or False")
        for name, advice in _COUNTS.items():
            count = getattr(self, name)
            _require(name, count, int, f"an integer, such as {name}=2")
            if count < 1 or isinstance(count, bool):
                raise ConfigError(f"{name}: expected 1 or more, got {count}; {advice}")
        if self.threads > max_threads():
            raise ConfigError(
                f"threads: expected at most {max_threads()} on this machine of {os.cpu_count()} cores, got "
                f"{self.threads}; more threads than cores make runs slower"
            )
        _require("limits", self.limits, Limits, "a lite.Limits, such as lite.Limits()")
        _require("time_limit", self.time_limit, (int, float, type(None)), "a number of seconds")
        if self.time_limit is not None and not self.time_limit > 0:
            raise ConfigError(
                f"time_limit: expected more than 0 seconds, got {self.time_limit}; None is no limit"
            )
        # Copies: later changes of the caller's lists must not change the Config.
        for name in ("devices", "passes", "keep"):
            object.__setattr__(self, name, _names(name, getattr(self, name), (str,)))
        object.__setattr__(self, "valid_places", _names("valid_places", self.valid_places, (str, Place)))
        object.__setattr__(self, "input_shapes", _shapes(self.input_shapes))

    @property
    def source(self) -> ModelSource:
        """The location of the model, for the parsers."""
        if self.model_buffer is not None:
            params = None if self.params_buffer is None else bytes(self.params_buffer)
            buffer = self.model_buffer
            model = buffer.SerializeToString() if isinstance(buffer, Message) else bytes(buffer)
            return ModelSource(model=model, params=params)
        path = self.model_dir if self.model_file is None else self.model_file
        params_path = None if self.params_file is None else Path(self.params_file)
        return ModelSource(Path(path or ""), params_path)

    @property
    def places(self) -> tuple[Place, ...]:
        """The usable places of `valid_places`, or the default ones; the host is always included."""
        if self.valid_places is None and _has_numba():
            return Place(CPU), Place(HOST)
        places = [place if isinstance(place, Place) else Place(place) for place in self.valid_places or ()]
        if not _has_numba():
            places = [place for place in places if place.target != CPU]
        if all(place.target != HOST for place in places):
            places.append(Place(HOST))
        return tuple(places)

    def _require_one_model(self) -> None:
        forms = ("model_dir", "model_file", "model_buffer")
        used = [name for name in forms if getattr(self, name) is not None]
        if len(used) != 1:
            raise ConfigError(
                "name the model by exactly one of model_dir, model_file and model_buffer; "
                f"got {', '.join(used) or 'none'}"
            )
        if self.params_file is not None and self.model_file is None:
            raise ConfigError("params_file needs model_file: name both files, or the folder by model_dir")
        if self.params_buffer is not None and self.model_buffer is None:
            raise ConfigError("params_buffer needs model_buffer: pass both")


@functools.cache
def max_threads() -> int:
    """The largest `Config.threads` on this machine: 16 for each core, and at least 64."""
    return max(64, 16 * (os.cpu_count() or 1))


@functools.cache
def _has_numba() -> bool:
    return importlib.util.find_spec("numba") is not None


_LONGEST_NAME = 255
"""The most bytes in the name of a file or folder."""


def _require(option: str, value: object, types: type | tuple[type, ...], expected: str) -> None:
    if not isinstance(value, types):
        raise ConfigError(f"{option}: expected {expected}, got {value!r}")


def _require_path(option: str, path: object) -> None:
    """Raise `ConfigError` for what no file can be called."""
    _require(option, path, (str, os.PathLike, type(None)), "a path")
    if not isinstance(path, str | os.PathLike):
        return
    try:
        name = os.fsencode(path)
    except UnicodeEncodeError:
        raise ConfigError(f"{option}: {path!r} is not a path: a character has no encoding") from None
    if b"\0" in name:
        raise ConfigError(f"{option}: {path!r} is not a path: it has a null character")
    if max(map(len, name.split(b"/"))) > _LONGEST_NAME:
        raise ConfigError(
            f"{option}: expected names of at most {_LONGEST_NAME} bytes, got {os.fspath(path)[:40]!r}...; "
            "name a file or a folder"
        )


def _require_choice(option: str, value: object, choices: Sequence[str]) -> None:
    if value not in choices:
        near = suggest(str(value), choices)
        raise ConfigError(f"{option}: expected one of {', '.join(choices)}, got {value!r}{near}")


def _names(option: str, value: object, types: tuple[type, ...]) -> tuple[object, ...] | None:
    if value is None and option in _OPTIONAL:
        return None
    if isinstance(value, str):
        raise ConfigError(f"{option}: expected a list of names, got the string {value!r}; write [{value!r}]")
    if not isinstance(value, Sequence):
        raise ConfigError(f"{option}: expected a list of names, got {value!r}")
    for name in value:
        if not name or not isinstance(name, types):
            raise ConfigError(f"{option}: expected names, got {name!r}")
    return tuple(value)


def _shapes(value: object) -> dict[str, Shape]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ConfigError(f"input_shapes: expected shapes by input name, got {value!r}")
    return {name: _shape(name, shape) for name, shape in value.items()}


def _shape(name: object, shape: object) -> Shape:
    _require("input_shapes", name, str, "shapes by input name")
    if not isinstance(shape, Sequence) or isinstance(shape, str):
        raise ConfigError(f"input_shapes: input {name!r}: expected a list of sizes, got {shape!r}")
    dims: list[Dim] = []
    for dim in shape:
        if isinstance(dim, bool) or not isinstance(dim, (SupportsIndex, str)):
            raise ConfigError(f"input_shapes: input {name!r}: expected sizes, got {dim!r}")
        size = dim if isinstance(dim, str) else operator.index(dim)
        if isinstance(size, int) and size < 0:
            raise ConfigError(
                f"input_shapes: input {name!r}: expected a size of 0 or more, got {size}; write '?' for an "
                "open size"
            )
        dims.append(size)
    return tuple(dims)
