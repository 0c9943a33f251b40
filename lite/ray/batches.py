"""map_batches: a model's outputs as columns of a dataset of Ray Data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lite.config import Config
from lite.errors import LiteError
from lite.ir.types import Array
from lite.session.predictor import Predictor, create_predictor

if TYPE_CHECKING:
    from ray.data import Dataset

ERROR = "error"
"""The column of the message of a row that failed; empty for the others."""


def map_batches(
    dataset: Dataset,
    config: Config,
    *,
    batch_size: int = 32,
    concurrency: int | tuple[int, int] = 1,
    columns: Mapping[str, str] | None = None,
    **options: Any,
) -> Dataset:
    """Run a model on the rows of a dataset; returns it with a column for each output, and ``error``.

    A row is one element along axis 0 of the inputs: a column of float32[3, 48, 192] is an input of
    float32[n, 3, 48, 192].  The rows of a batch with equal shapes run together; if that fails, each row runs
    alone.  A row that fails has a message in the column ``error``, and its outputs are None.

    concurrency: the number of actors with the model, or the least and the most.
    columns: the column of each input, where it has another name.
    options: options of ``Dataset.map_batches``, such as ``resources={"npu": 1}``.

    The rows keep the order of the dataset if ``ray.data.DataContext`` has ``preserve_order``.
    """
    return dataset.map_batches(
        _ModelActor,
        fn_constructor_args=(config, dict(columns or {})),
        batch_size=batch_size,
        concurrency=concurrency,
        batch_format="numpy",
        **options,
    )


class _ModelActor:
    """A predictor in an actor of Ray."""

    def __init__(self, config: Config, columns: Mapping[str, str]) -> None:
        self._predictor: Predictor = create_predictor(config)
        self._columns = {name: columns.get(name, name) for name in self._predictor.input_names}

    def __call__(self, batch: dict[str, Array]) -> dict[str, Any]:
        """The batch with the outputs."""
        count = len(next(iter(batch.values())))
        results: list[Mapping[str, Array] | None] = [None] * count
        errors = [""] * count
        for rows in self._groups(batch, count, errors):
            self._run(batch, rows, results, errors)
        names = self._predictor.output_names
        return {
            **batch,
            **{name: _column([None if each is None else each[name] for each in results]) for name in names},
            ERROR: np.array(errors, object),
        }

    def _groups(self, batch: Mapping[str, Array], count: int, errors: list[str]) -> list[list[int]]:
        """The rows of equal shapes and dtypes; without a column, every row fails."""
        missing = [column for column in self._columns.values() if column not in batch]
        if missing:
            errors[:] = [f"the dataset has no column {', '.join(missing)}"] * count
            return []
        groups: dict[object, list[int]] = {}
        for row in range(count):
            arrays = [np.asarray(batch[column][row]) for column in self._columns.values()]
            key = tuple((array.shape, array.dtype.char) for array in arrays)
            groups.setdefault(key, []).append(row)
        return list(groups.values())

    def _run(
        self,
        batch: Mapping[str, Array],
        rows: list[int],
        results: list[Mapping[str, Array] | None],
        errors: list[str],
    ) -> None:
        inputs = {
            name: np.stack([np.asarray(batch[column][row]) for row in rows])
            for name, column in self._columns.items()
        }
        try:
            outputs = self._predictor.run(inputs)
        except LiteError as error:
            if len(rows) == 1:
                errors[rows[0]] = str(error)
                return
            outputs = None
        if outputs is None or any(len(np.atleast_1d(array)) != len(rows) for array in outputs.values()):
            if len(rows) == 1:
                errors[rows[0]] = "an output has not one row for each row of the inputs"
                return
            for row in rows:
                self._run(batch, [row], results, errors)
            return
        for number, row in enumerate(rows):
            results[row] = {name: array[number] for name, array in outputs.items()}


def _column(values: list[Array | None]) -> Any:
    """A column of equal shapes as one array, any other as objects."""
    if values and all(value is not None and value.shape == values[0].shape for value in values):  # type: ignore[union-attr]
        return np.stack(values)  # type: ignore[arg-type]
    column = np.empty(len(values), object)
    column[:] = values
    return column
