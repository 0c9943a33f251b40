"""RemoteItem: a model or handle in a worker process."""

from __future__ import annotations

import weakref

from lite.runtime.isolation.worker import Process, Worker


class RemoteItem:
    """A model or handle that the worker process keeps, by its number, for as long as this object lives."""

    def __init__(self, worker: Worker, process: Process, number: int) -> None:
        self.process = process
        self.number = number
        weakref.finalize(self, worker.dropped.append, (number, process)).atexit = False
