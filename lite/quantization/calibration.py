"""Calibration: runs a model on data and observes the activations of its layers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from lite.errors import InputError
from lite.ir.types import Array
from lite.quantization.data import CalibrationData, Sample
from lite.quantization.grid import Grid, Scheme
from lite.quantization.observers import METHODS, Observer, Tuning
from lite.runtime.observe.watch import Observation
from lite.session.predictor import Predictor

Advance = Callable[[int, int | None], None]
"""Called after each sample with the samples done and, if it is known, the number of all."""


class Watch:
    """Runs a model on data, and shows the arrays of activations to listeners, which must not keep them."""

    def __init__(self, listeners: Mapping[str, Sequence[Callable[[Array], None]]]) -> None:
        self._listeners = listeners
        self._where = ""

    def run(self, predictor: Predictor, data: CalibrationData, advance: Advance) -> int:
        """Run the model on each sample; returns the number of samples.

        Raises `InputError` for a sample that the model does not take, for NaN and infinities in samples and
        activations, and for data without a sample.
        """
        count = 0
        for sample in data.samples():
            self._where = f"calibration data, {sample.where}"
            run_sample(predictor, sample, self._see)
            count += 1
            advance(count, data.count)
        if count == 0:
            raise InputError(
                f"calibration data, {data.where}: no sample; expected at least one, better 100 or more"
            )
        return count

    def _see(self, observation: Observation) -> None:
        if observation.name not in self._listeners or observation.block != "main":
            return
        value = observation.value
        if isinstance(value, list) or value.dtype != np.float32 or value.size == 0:
            return
        if not np.isfinite(value).all():
            raise InputError(
                f"{self._where}: activation {observation.name!r}, which {observation.op or 'the data'} "
                "writes, has NaN or infinite elements, expected finite ones; `litebridge stats` shows "
                "the first op that computes them"
            )
        for listener in self._listeners[observation.name]:
            listener(value)


class Calibration:
    """One observer for each activation; `run` takes in the data, `grids` has the result.

    `listeners` receive the arrays of activations, too; they must not keep them.
    """

    def __init__(
        self,
        names: Collection[str],
        method: str,
        tuning: Tuning,
        listeners: Mapping[str, Sequence[Callable[[Array], None]]] | None = None,
    ) -> None:
        more = listeners or {}
        self._observers: dict[str, Observer] = {}
        self._watch = Watch(
            {name: [self._observer(name, method, tuning), *more.get(name, ())] for name in names}
        )

    def run(self, predictor: Predictor, data: CalibrationData, advance: Advance) -> int:
        """`Watch.run`."""
        return self._watch.run(predictor, data, advance)

    def grids(self, scheme: Scheme) -> dict[str, Grid]:
        """The grid of each activation that occurred; those in a branch that never ran are missing."""
        return {name: scheme.grid(*observer.range(scheme)) for name, observer in self._observers.items()}

    def _observer(self, name: str, method: str, tuning: Tuning) -> Callable[[Array], None]:
        def see(array: Array) -> None:
            if name not in self._observers:
                self._observers[name] = METHODS[method](tuning)
            self._observers[name].see(array)

        return see


def run_sample(
    predictor: Predictor, sample: Sample, callback: Callable[[Observation], None] | None = None
) -> dict[str, Array]:
    """Run a model on a sample, and return its outputs; an `InputError` names the sample."""
    feed = feed_of(predictor, sample)
    for name, array in feed.items():
        values = np.asarray(array)
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise InputError(
                f"calibration data, {sample.where}: input {name!r} has NaN or infinite elements, expected "
                "finite ones; leave the sample out"
            )
    try:
        return predictor.run(feed) if callback is None else predictor.observe(callback, feed)
    except InputError as error:
        text = str(error)
        where = f"calibration data, {sample.where}: "
        raise InputError(text if text.startswith(where) else where + text) from error


def feed_of(predictor: Predictor, sample: Sample) -> Mapping[str, Array]:
    """The arrays of a sample by name; raises `InputError` for a wrong number of arrays."""
    feed, names = sample.feed, predictor.input_names
    if isinstance(feed, Mapping):
        return feed
    arrays: Sequence[Array] = feed if isinstance(feed, list | tuple) else [feed]  # type: ignore[list-item]
    if len(arrays) != len(names):
        raise InputError(
            f"calibration data, {sample.where}: expected {len(names)} arrays ({', '.join(names)}), "
            f"got {len(arrays)}; name them in a dict or an .npz file"
        )
    return dict(zip(names, arrays, strict=True))
