"""Calibration data: a folder, an .npz file, a function of a script, or arrays from Python."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path

import numpy as np

from lite.dataclass import dataclass
from lite.errors import InputError
from lite.ir.types import Array
from lite.quantization.npz_rows import StoredArray, stored_arrays
from lite.quantization.script import at_script, is_function_path, items_of, load_function
from lite.session.predictor import Predictor

Feed = Mapping[str, Array] | Sequence[Array] | Array
"""The inputs of one run: arrays by name, arrays in the model's order, or the array of the only input."""

DataSource = str | PathLike[str] | Callable[[], Iterable[Feed]] | Iterable[Feed]

EXPECTED = "a folder of .npy and .npz files, an .npz file, or SCRIPT.py:function"


@dataclass(frozen=True)
class Sample:
    """The inputs of one run; `where` describes their source in messages."""

    where: str
    feed: Feed


@dataclass(frozen=True)
class CalibrationData:
    """Samples, read one at a time whenever `samples` is called; `count` is None if it is unknown.

    `is_used_up`: whether only the first call has samples, because the source is an iterator.
    """

    where: str
    samples: Callable[[], Iterator[Sample]]
    count: int | None
    is_used_up: bool = False

    def first(self, count: int) -> CalibrationData:
        """At most the first `count` samples."""
        known = None if self.count is None else min(self.count, count)
        return CalibrationData(
            self.where, lambda: itertools.islice(self.samples(), count), known, self.is_used_up
        )


def open_data(source: DataSource, predictor: Predictor) -> CalibrationData:
    """The calibration data of `source`; the shapes of the predictor's inputs determine the rows per sample.

    Raises `InputError` if the source has no samples or cannot be read.
    """
    if isinstance(source, str | PathLike):
        if is_function_path(str(source)):
            return _of_function(str(source), load_function(str(source)))
        return _of_path(Path(source), predictor)
    if callable(source):
        return _of_function(getattr(source, "__name__", "the function"), source)
    if not isinstance(source, Iterable):
        raise InputError(f"calibration data: expected {EXPECTED}, or arrays, got a {type(source).__name__}")
    count = len(source) if isinstance(source, Sequence) else None
    is_used_up = isinstance(source, Iterator)
    return CalibrationData("calibration data", lambda: _numbered("sample", iter(source)), count, is_used_up)


def _of_path(path: Path, predictor: Predictor) -> CalibrationData:
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix in (".npy", ".npz"))
        if not files:
            raise InputError(f"{path}: the folder has no .npy or .npz file; expected one for each sample")
        return CalibrationData(
            str(path), lambda: (Sample(str(file), _read_file(file)) for file in files), len(files)
        )
    if not path.exists():
        raise InputError(f"{path}: the calibration data does not exist; expected {EXPECTED}")
    if path.suffix != ".npz":
        raise InputError(f"{path}: expected {EXPECTED}")
    return _of_archive(path, predictor)


def _read_file(path: Path) -> Feed:
    if path.suffix == ".npz":
        return {each.name: _whole(each) for each in stored_arrays(path)}
    try:
        return [np.load(path, mmap_mode="r", allow_pickle=False)]
    except (OSError, ValueError, EOFError) as error:
        raise InputError(f"{path}: the file cannot be read: {error}") from error


def _whole(stored: StoredArray) -> Array:
    rows = stored.shape[0] if stored.shape else 1
    if not stored.shape:
        raise InputError(f"{stored.path}: array {stored.name!r} is a scalar; store it with an axis of size 1")
    return next(stored.rows(max(rows, 1)), np.zeros(stored.shape, stored.dtype))


def _of_archive(path: Path, predictor: Predictor) -> CalibrationData:
    """One sample for each row of the arrays, or for each batch if the model has a fixed batch size."""
    arrays = stored_arrays(path)
    lengths = {each.shape[0] if each.shape else 0 for each in arrays}
    if len(lengths) != 1 or 0 in lengths:
        shapes = ", ".join(f"{each.name} {list(each.shape)}" for each in arrays) or "no array"
        raise InputError(
            f"{path}: expected arrays with the same number of rows, one for each sample, got {shapes}; "
            "a folder with a file for each sample has no such limit"
        )
    for each in arrays:
        predictor.get_input(each.name)
    ranks = {each.name: predictor.get_input(each.name).shape for each in arrays}
    is_stacked = all(
        (shape := ranks[each.name]) is not None and len(each.shape) == len(shape) + 1 for each in arrays
    )
    declared = [shape[0] for shape in ranks.values() if shape]
    sizes = [size for size in declared if isinstance(size, int)]
    batch = 1 if is_stacked or not sizes else max(sizes[0], 1)
    (length,) = lengths
    if length < batch:
        raise InputError(f"{path}: {length} rows, expected at least {batch}, the model's batch size")

    def samples() -> Iterator[Sample]:
        for number, rows in enumerate(zip(*(each.rows(batch) for each in arrays), strict=True)):
            if len(rows[0]) < batch:
                return
            feed = {each.name: row[0] if is_stacked else row for each, row in zip(arrays, rows, strict=True)}
            yield Sample(f"{path}, rows {number * batch} to {(number + 1) * batch - 1}", feed)

    return CalibrationData(str(path), samples, length // batch)


def _of_function(name: str, function: Callable[..., object]) -> CalibrationData:
    def samples() -> Iterator[Sample]:
        items = at_script(f"calibration data: {name}", function)
        if not isinstance(items, Iterable) or isinstance(items, str | bytes | Mapping):
            raise InputError(
                f"calibration data: {name} must return or yield the inputs of each run, "
                f"as dicts by name or as lists of arrays; got a {type(items).__name__}"
            )
        return _numbered(f"{name}, sample", items_of(f"calibration data: {name}", iter(items)))

    return CalibrationData(name, samples, None)


def _numbered(what: str, feeds: Iterator[Feed]) -> Iterator[Sample]:
    for number, feed in enumerate(feeds):
        yield Sample(f"{what} {number}", feed)
