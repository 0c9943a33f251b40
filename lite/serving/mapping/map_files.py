"""map_files: the model's outputs for many files, one result file each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from lite.config import Config
from lite.dataclass import dataclass
from lite.errors import LiteError
from lite.ir.types import Array
from lite.serving.mapping.items import Item, read_inputs, write_result
from lite.serving.mapping.record import (
    append_failure,
    done_names,
    output_folder,
    read_failures,
    write_failures,
)
from lite.serving.scheduling.batches import Batching, divide, join
from lite.session.predictor import Predictor, create_predictor


@dataclass(frozen=True)
class MapSummary:
    """Numbers of items: written now, written by earlier runs, failed, and the table of the latter."""

    written: int
    earlier: int
    failed: int
    failures: Mapping[str, tuple[str, str]]


def map_files(
    config: Config,
    items: Sequence[Item],
    folder: Path,
    *,
    workers: int = 1,
    batch: int = 1,
    retry_failed: bool = False,
    progress: Callable[[], None] = lambda: None,
) -> MapSummary:
    """Run a model on each item that has no result yet, and write the results to `folder`.

    A killed run loses what it has not written; the next one goes on, and no item has two results.
    An item that fails gets a line in failed.csv, and is not tried again without `retry_failed`.
    batch: items of equal shapes that run together along axis 0.
    progress: called for each item, also those of earlier runs.
    Raises what `create_predictor` raises, and `ConfigError` for a folder with other results.
    """
    settings: dict[str, object] = {
        "model": str(config.source.path.resolve()) if config.source.path else "",
        "devices": list(config.devices),
        "precision": config.precision,
    }
    with output_folder(folder, settings):
        done = done_names(folder, items)
        failures = {} if retry_failed else read_failures(folder)
        failures = {name: row for name, row in failures.items() if name not in done}
        write_failures(folder, failures)
        open_items = [item for item in items if item.name not in done and item.name not in failures]
        for _ in range(len(items) - len(open_items)):
            progress()
        if open_items:
            run = _Run(create_predictor(config), folder, Batching(max(batch, 1)), progress)
            failures.update(run.all(open_items, workers))
            write_failures(folder, failures)
    failed = sum(item.name in failures for item in items)
    return MapSummary(len(items) - len(done) - failed, len(done), failed, failures)


class _Run:
    def __init__(
        self, predictor: Predictor, folder: Path, batching: Batching, progress: Callable[[], None]
    ) -> None:
        self._predictor = predictor
        self._folder = folder
        self._batching = batching
        self._progress = progress
        self._own = threading.local()
        self._lock = threading.Lock()
        self._failures: dict[str, tuple[str, str]] = {}

    def all(self, items: Sequence[Item], workers: int) -> dict[str, tuple[str, str]]:
        """Run all items; returns the failures."""
        size = self._batching.max_size
        chunks: Iterator[Sequence[Item]] = (
            items[first : first + size] for first in range(0, len(items), size)
        )
        with ThreadPoolExecutor(workers, "litebridge-map") as pool:
            pending: set[Future[None]] = set()
            for chunk in chunks:
                if len(pending) >= 2 * workers:
                    done, pending = wait(pending, return_when=FIRST_COMPLETED)
                    for future in done:
                        future.result()
                pending.add(pool.submit(self._chunk, chunk))
            for future in pending:
                future.result()
        return self._failures

    def _chunk(self, items: Sequence[Item]) -> None:
        groups: dict[object, list[tuple[Item, dict[str, Array]]]] = {}
        for item in items:
            try:
                inputs = read_inputs(item, self._predictor.input_names)
                key = (self._batching.key(inputs)[1] if inputs else None) or item.name
            except LiteError as error:
                self._fail(item, error)
            else:
                groups.setdefault(key, []).append((item, inputs))
        for group in groups.values():
            self._group(group)

    def _group(self, group: list[tuple[Item, dict[str, Array]]]) -> None:
        if len(group) > 1:
            try:
                together = self._clone().run(_arrays(join(self._batching, [inputs for _, inputs in group])))
                rows = [next(iter(inputs.values())).shape[0] for _, inputs in group]
                results: Sequence[Mapping[str, Array]] = divide(together, rows)
            except LiteError:
                pass
            else:
                for (item, _), outputs in zip(group, results, strict=True):
                    self._write(item, outputs)
                return
        for item, inputs in group:
            try:
                outputs = self._clone().run(inputs)
            except LiteError as error:
                self._fail(item, error)
            else:
                self._write(item, outputs)

    def _clone(self) -> Predictor:
        """The predictor of this thread."""
        clone: Predictor | None = getattr(self._own, "predictor", None)
        if clone is None:
            clone = self._own.predictor = self._predictor.clone()
        return clone

    def _write(self, item: Item, outputs: Mapping[str, Array]) -> None:
        write_result(self._folder, item, outputs)
        with self._lock:
            self._progress()

    def _fail(self, item: Item, error: LiteError) -> None:
        with self._lock:
            self._failures[item.name] = (str(item.source), str(error))
            append_failure(self._folder, item, str(error))
            self._progress()


def _arrays(values: Mapping[str, object]) -> dict[str, Array]:
    return dict(values)  # type: ignore[arg-type]  # items are arrays, not lists of them
