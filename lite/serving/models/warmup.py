"""Runs a model before it is ready: binds shapes, and checks that requests may share a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.errors import ConfigError
from lite.ir.types import Array
from lite.serving.models.model import Run
from lite.serving.models.model_value import Value
from lite.serving.models.tensors import OPEN, TensorSpec
from lite.serving.protocol.datatypes import numpy_dtype
from lite.serving.scheduling.batches import Batching, divide, join

Shapes = Mapping[str, tuple[int, ...]]

_TOLERANCE = 1e-2
"""Largest difference between a batch and single requests, relative to the greatest element."""


def warm_up(
    instances: Sequence[Run], specs: Sequence[TensorSpec], prepare: Sequence[Shapes], batching: Batching
) -> None:
    """Run every instance on each set of shapes, and on the batches that requests of these shapes form.

    Without `prepare`, a model with fixed shapes runs once.  Raises what the model raises, and `ConfigError`
    if the model gives other answers to requests in a batch.
    """
    sets = list(prepare) or _fixed(specs)
    for shapes in sets:
        for run in instances:
            run(_inputs(specs, shapes, None))
        if batching.max_size > 1:
            _check_batch(instances[0], specs, shapes, batching)
            for run in instances:
                for rows in {batching.max_size, *batching.preferred}:
                    run(_inputs(specs, {name: (rows, *shape[1:]) for name, shape in shapes.items()}, None))


def _fixed(specs: Sequence[TensorSpec]) -> list[Shapes]:
    if any(spec.dims is None or OPEN in spec.dims for spec in specs):
        return []
    return [{spec.name: spec.dims for spec in specs if spec.dims is not None}]


def _inputs(specs: Sequence[TensorSpec], shapes: Shapes, seed: int | None) -> dict[str, Value]:
    """Zeros without a seed, else random numbers."""
    rng = np.random.default_rng(seed)
    inputs: dict[str, Value] = {}
    for spec in specs:
        shape = shapes.get(spec.name, spec.dims)
        if shape is None or OPEN in shape:
            raise ConfigError(f"prepare: the shape of input {spec.name!r} is missing")
        if spec.datatype == "BYTES":
            inputs[spec.name] = np.full(shape, b"", object)
        elif seed is None:
            inputs[spec.name] = np.zeros(shape, numpy_dtype(spec.datatype))
        else:
            inputs[spec.name] = rng.random(shape).astype(numpy_dtype(spec.datatype))
    return inputs


def _check_batch(run: Run, specs: Sequence[TensorSpec], shapes: Shapes, batching: Batching) -> None:
    if any(len(shape) == 0 or shape[0] != 1 for shape in shapes.values()) or batching.pad:
        return
    requests = [_inputs(specs, shapes, seed) for seed in (1, 2)]
    alone = [run(request) for request in requests]
    together = divide(run(join(batching, requests)), [1, 1])
    for one, part in zip(alone, together, strict=True):
        for name, array in part.items():
            expected = one[name]
            if isinstance(expected, list) or not _close(array, expected):
                raise ConfigError(
                    f"batching: output {name!r} depends on the other requests of a batch; serve this model "
                    "with max_size 1"
                )


def _close(got: Array, expected: Array) -> bool:
    if got.dtype == object or got.shape != expected.shape:
        return bool(np.array_equal(got, expected))
    wide, reference = got.astype(np.float64), expected.astype(np.float64)
    scale = float(np.abs(reference).max(initial=1e-6))
    return bool(np.allclose(wide, reference, rtol=0, atol=_TOLERANCE * scale, equal_nan=True))
