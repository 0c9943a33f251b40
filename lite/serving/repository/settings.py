"""The settings of a served model, as config.yaml states them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from lite.config import Config
from lite.dataclass import dataclass
from lite.errors import ConfigError, suggest
from lite.serving.models.tensors import TensorSpec
from lite.serving.protocol.datatypes import DATATYPES
from lite.serving.scheduling.batches import Batching, Padding

_MODEL_FIELDS = ("model_dir", "model_file", "params_file", "model_buffer", "params_buffer")
ENGINE_FIELDS = tuple(each.name for each in dataclasses.fields(Config) if each.name not in _MODEL_FIELDS)
"""Fields of `Config` that a config.yaml may set."""


@dataclass(frozen=True)
class Step:
    """A step of an ensemble: a model, and the names that its inputs and outputs have in the ensemble.

    With `each`, the model runs once for each item of the lists that these inputs hold, and its outputs are
    lists.
    """

    model: str
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    each: tuple[str, ...] = ()


@dataclass(frozen=True)
class ModelSettings:
    """How a model is served.

    engine: fields of `Config`, such as devices, precision and threads.
    file: the model's file in the folder of a version, where it cannot be found by itself.
    python: ``file.py:name`` of a Python model, which needs `inputs` and `outputs`.
    ensemble: the steps of an ensemble, which needs `inputs` and `outputs`.
    versions: the numbers to serve, or how many of the latest (0 for all).
    instances: clones that run at the same time; None for one for each worker.
    queue: most waiting requests.
    timeout_us: the deadline of requests that name none; 0 for no deadline.
    weight: the share of the workers while several models have requests.
    prepare: sets of shapes by input, which are bound before the model is ready.
    labels: files with a label a line, by output, for the classification extension.
    ray: options of the model's deployment on Ray Serve, such as ``num_replicas``.
    """

    engine: Mapping[str, object] = field(default_factory=dict)
    file: str | None = None
    python: str | None = None
    ensemble: tuple[Step, ...] = ()
    inputs: tuple[TensorSpec, ...] = ()
    outputs: tuple[TensorSpec, ...] = ()
    versions: tuple[int, ...] | int = 1
    instances: int | None = None
    batching: Batching = field(default_factory=Batching)
    queue: int = 128
    timeout_us: int = 0
    weight: float = 1.0
    prepare: tuple[Mapping[str, tuple[int, ...]], ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    ray: Mapping[str, object] = field(default_factory=dict)


_KEYS = tuple(each.name for each in dataclasses.fields(ModelSettings) if each.name != "engine")


def read_settings(path: Path, defaults: Mapping[str, object]) -> ModelSettings:
    """The settings in a config.yaml; `defaults` are fields of `Config` that it may replace.

    Raises `ConfigError` for unknown keys and wrong values.
    """
    import yaml

    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    # YAML's own limits: the depth of Python's stack, and the digits of an integer.
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not valid YAML: {error}") from error
    if document is None:
        document = {}
    try:
        return settings_of(document, defaults)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def settings_of(document: object, defaults: Mapping[str, object]) -> ModelSettings:
    """The settings in a YAML document; raises `ConfigError` as `read_settings` does."""
    entries = _mapping("the document", document)
    for key in entries:
        if key not in _KEYS and key not in ENGINE_FIELDS:
            known = (*_KEYS, *ENGINE_FIELDS)
            raise ConfigError(f"unknown key {key!r}{suggest(str(key), known)}; known: {', '.join(known)}")
    engine = {**defaults, **{key: value for key, value in entries.items() if key in ENGINE_FIELDS}}
    read: dict[str, Any] = {key: _READERS[key](key, value) for key, value in entries.items() if key in _KEYS}
    settings = ModelSettings(engine, **read)
    kinds = [name for name in ("python", "ensemble", "file") if entries.get(name)]
    if len(kinds) > 1:
        raise ConfigError(f"{' and '.join(kinds)} exclude each other")
    if (settings.python or settings.ensemble) and not (settings.inputs and settings.outputs):
        raise ConfigError(f"{kinds[0]} needs inputs and outputs: lists of name, datatype and dims")
    return settings


def _mapping(key: str, value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping) or not all(isinstance(each, str) for each in value):
        raise ConfigError(f"{key}: expected names with values, got {value!r}")
    return value


def _list(key: str, value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise ConfigError(f"{key}: expected a list, got {value!r}")
    return value


def _text(key: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ConfigError(f"{key}: expected a text, got {value!r}")
    return value


def file_name(key: str, value: object) -> str:
    """The name of a file in a model's folder, which leads nowhere else.

    Raises `ConfigError`, which begins with `key`.
    """
    name = _text(key, value)
    file = name.partition(":")[0]
    if Path(file).name != file or file == "..":
        raise ConfigError(f"{key}: expected the name of a file in the model's folder, got {name!r}")
    return name


def _integer(key: str, value: object, lowest: int = 1) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < lowest:
        raise ConfigError(f"{key}: expected an integer of {lowest} or more, got {value!r}")
    return value


def _number(key: str, value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ConfigError(f"{key}: expected a number, got {value!r}")
    return float(value)


def _weight(key: str, value: object) -> float:
    number = _number(key, value)
    if not number > 0:
        raise ConfigError(f"{key}: expected more than 0, got {value!r}")
    return number


def _versions(key: str, value: object) -> tuple[int, ...] | int:
    if value == "all":
        return 0
    if isinstance(value, list):
        return tuple(_integer(key, each) for each in value)
    if not isinstance(value, Mapping) or set(value) != {"latest"}:
        raise ConfigError(f"{key}: expected all, a list of numbers, or latest: N; got {value!r}")
    return _integer(f"{key}.latest", value["latest"])


def _tensors(key: str, value: object) -> tuple[TensorSpec, ...]:
    return tuple(_tensor(key, each) for each in _list(key, value))


def _tensor(key: str, value: object) -> TensorSpec:
    entry = _mapping(key, value)
    name = _text(f"{key}.name", entry.get("name"))
    datatype = _text(f"{key}.datatype", entry.get("datatype"))
    if datatype not in DATATYPES or not set(entry) <= {"name", "datatype", "dims"}:
        raise ConfigError(
            f"{key} {name!r}: expected name, datatype ({', '.join(DATATYPES)}) and dims, got {dict(entry)}"
        )
    dims = entry.get("dims")
    if dims is None:
        return TensorSpec(name, datatype, None)
    return TensorSpec(name, datatype, tuple(_integer(f"{key}.dims", dim, -1) for dim in _list(key, dims)))


def _batching(key: str, value: object) -> Batching:
    entry = _mapping(key, value)
    unknown = set(entry) - {"max_size", "delay_us", "preferred", "pad"}
    if unknown:
        raise ConfigError(f"{key}: unknown key {unknown.pop()!r}; known: max_size, delay_us, preferred, pad")
    pads = _mapping(f"{key}.pad", entry.get("pad", {}))
    return Batching(
        _integer(f"{key}.max_size", entry.get("max_size", 1)),
        _integer(f"{key}.delay_us", entry.get("delay_us", 0), 0),
        tuple(_integer(f"{key}.preferred", each) for each in _list(key, entry.get("preferred", []))),
        {name: _padding(f"{key}.pad.{name}", rule) for name, rule in pads.items()},
    )


def _padding(key: str, value: object) -> Padding:
    entry = _mapping(key, value)
    if not {"axis"} <= set(entry) <= {"axis", "multiple", "value"}:
        raise ConfigError(f"{key}: expected axis, and multiple and value; got {dict(entry)}")
    return Padding(
        _integer(f"{key}.axis", entry["axis"]),
        _integer(f"{key}.multiple", entry.get("multiple", 1)),
        _number(f"{key}.value", entry.get("value", 0.0)),
    )


def _ensemble(key: str, value: object) -> tuple[Step, ...]:
    return tuple(_step(f"{key}[{number}]", each) for number, each in enumerate(_list(key, value)))


def _step(key: str, value: object) -> Step:
    entry = _mapping(key, value)
    if not {"model", "inputs", "outputs"} <= set(entry) <= {"model", "inputs", "outputs", "each"}:
        raise ConfigError(f"{key}: expected model, inputs and outputs, and each; got {', '.join(entry)}")
    inputs, outputs = (
        {name: _text(f"{key}.{part}.{name}", to) for name, to in _mapping(key, entry[part]).items()}
        for part in ("inputs", "outputs")
    )
    each = tuple(_text(f"{key}.each", name) for name in _list(key, entry.get("each", [])))
    for name in each:
        if name not in inputs:
            raise ConfigError(f"{key}.each: {name!r} is not an input of the step")
    return Step(_text(f"{key}.model", entry["model"]), inputs, outputs, each)


def _prepare(key: str, value: object) -> tuple[Mapping[str, tuple[int, ...]], ...]:
    return tuple(
        {
            name: tuple(_integer(f"{key}.{name}", size, 0) for size in _list(f"{key}.{name}", shape))
            for name, shape in _mapping(key, each).items()
        }
        for each in _list(key, value)
    )


def _labels(key: str, value: object) -> Mapping[str, str]:
    return {name: file_name(f"{key}.{name}", each) for name, each in _mapping(key, value).items()}


def _timeout(key: str, value: object) -> int:
    return _integer(key, value, 0)


_READERS: Mapping[str, Callable[[str, object], object]] = {
    "file": file_name,
    "python": file_name,
    "ensemble": _ensemble,
    "inputs": _tensors,
    "outputs": _tensors,
    "versions": _versions,
    "instances": _integer,
    "batching": _batching,
    "queue": _integer,
    "timeout_us": _timeout,
    "weight": _weight,
    "prepare": _prepare,
    "labels": _labels,
    "ray": _mapping,
}
