"""Measures the ranges of a float model's values, for devices that compute in int8 (`Config.recipe`)."""

from __future__ import annotations

import dataclasses
import json
from os import PathLike
from pathlib import Path

import numpy as np

from lite.atomic_file import write_atomically
from lite.config import Config
from lite.errors import ConfigError, InputError
from lite.ir.types import HOST, Place
from lite.quantization.calibration import run_sample
from lite.quantization.data import DataSource, open_data
from lite.quantization.grid import Scheme
from lite.quantization.observers import METHODS, Observer, Tuning
from lite.runtime.observe.watch import Observation
from lite.session.predictor import create_predictor


def measure_ranges(
    model: str | PathLike[str] | Config,
    data: DataSource,
    output: str | PathLike[str],
    *,
    method: str = "min_max",
    samples: int | None = None,
) -> dict[str, tuple[float, float]]:
    """Run a model on samples, and write and return the range of each float32 value by name.

    The file is a recipe for `Config.recipe`.  The model runs on the host without passes, so that all its
    values exist.  `data` and `method` are those of `lite.quantize`.  No range of a value in a sub-block is
    written.

    Raises `ConfigError` for an unknown method, and `InputError` for data that are empty, do not fit the
    model or have NaN.
    """
    if method not in METHODS:
        raise ConfigError(f"method: expected one of {', '.join(METHODS)}, got {method!r}")
    config = model if isinstance(model, Config) else Config(model)
    plain = dataclasses.replace(config, devices=[], passes=[], valid_places=[Place(HOST)], recipe=None)
    predictor = create_predictor(plain)
    source = open_data(data, predictor)
    observers: dict[str, Observer] = {}

    def see(observation: Observation) -> None:
        value = observation.value
        if observation.block != "main" or isinstance(value, list):
            return
        if value.dtype != np.float32 or not value.size:
            return
        if not np.isfinite(value).all():
            raise InputError(f"calibration data: value {observation.name!r} has NaN or infinite elements")
        if observation.name not in observers:
            observers[observation.name] = METHODS[method](Tuning())
        observers[observation.name].see(value)

    count = 0
    for sample in (source if samples is None else source.first(samples)).samples():
        run_sample(predictor, sample, see)
        count += 1
    if not count:
        raise InputError(f"calibration data, {source.where}: no sample; expected at least one")
    scheme = Scheme(symmetric=False)
    ranges = {name: observer.range(scheme) for name, observer in observers.items()}
    text = json.dumps({"ranges": {name: [float(low), float(high)] for name, (low, high) in ranges.items()}})
    Path(output).parent.mkdir(parents=True, exist_ok=True)
    write_atomically(Path(output), [text.encode()])
    return ranges
