"""The models of a server: which versions are loaded, and the state of each model."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import field

from lite.dataclass import dataclass
from lite.errors import ConfigError, LiteError, suggest
from lite.serving.protocol.status import RequestError, Status
from lite.serving.repository.folders import ModelFolder
from lite.serving.repository.served import Served, load_version
from lite.serving.repository.settings import ModelSettings
from lite.serving.scheduling.scheduler import Scheduler

log = logging.getLogger(__name__)

READY, LOADING, UNAVAILABLE = "READY", "LOADING", "UNAVAILABLE"


@dataclass
class _Entry:
    folder: ModelFolder | None
    state: str = UNAVAILABLE
    reason: str = "not loaded"
    versions: dict[int, Served] = field(default_factory=dict)


class Repository:
    """Loads and unloads models; requests find them by name and version.

    Only models that were found at the start can be loaded: a request cannot name a folder.
    """

    def __init__(
        self, models: Mapping[str, ModelFolder], defaults: Mapping[str, object], scheduler: Scheduler
    ) -> None:
        self._entries = {name: _Entry(folder) for name, folder in models.items()}
        self._defaults = defaults
        self._scheduler = scheduler
        self._changing = threading.Lock()

    @property
    def names(self) -> list[str]:
        """The names of all models, loaded or not."""
        return list(self._entries)

    @property
    def ready(self) -> bool:
        """Whether every model is ready or was unloaded on request."""
        return all(entry.state == READY or entry.reason == "unloaded" for entry in self._entries.values())

    def load_all(self) -> dict[str, str]:
        """Load every model that this process runs; returns the reasons of those that failed."""
        failed: dict[str, str] = {}
        for name in [name for name, entry in self._entries.items() if entry.folder is not None]:
            try:
                self.load(name)
            except RequestError as error:
                failed[name] = str(error)
        return failed

    def load(self, name: str) -> None:
        """Load a model, or load it again; requests run on the old versions until the new ones are ready.

        Blocks.  Raises `RequestError` for unknown models and for models that cannot be loaded.
        """
        entry = self._entry(name)
        with self._changing:
            if not entry.versions:
                entry.state, entry.reason = LOADING, ""
            try:
                versions = self._load_versions(entry.folder)
            except (LiteError, OSError) as error:
                if not entry.versions:
                    entry.state, entry.reason = UNAVAILABLE, str(error)
                raise RequestError(Status.BAD_REQUEST, f"model {name!r} cannot be loaded: {error}") from error
            for served in versions.values():
                self._scheduler.open(served.queue)
            old, entry.versions = entry.versions, versions
            entry.state, entry.reason = READY, ""
            log.info("model %s is ready: version %s", name, ", ".join(map(str, versions)))
            self._close(old)

    def adopt(self, name: str, versions: Mapping[int, Served]) -> None:
        """Answer requests for versions that another process runs; they cannot be loaded and unloaded here."""
        self._entries[name] = _Entry(None, READY, "", dict(versions))

    def unload(self, name: str) -> None:
        """Unload a model after its last request; blocks.  Raises `RequestError` for unknown models."""
        entry = self._entry(name)
        with self._changing:
            old, entry.versions = entry.versions, {}
            entry.state, entry.reason = UNAVAILABLE, "unloaded"
            self._close(old)
            log.info("model %s: unloaded", name)

    def get(self, name: str, version: str = "") -> Served:
        """A loaded version, the latest by default.

        Raises `RequestError`: not found for an unknown model or version, unavailable for one not loaded.
        """
        entry = self._entry(name)
        if not entry.versions:
            status = Status.UNAVAILABLE if entry.state == LOADING else Status.NOT_FOUND
            raise RequestError(status, f"model {name!r} is not ready: {entry.reason or entry.state.lower()}")
        if not version:
            return entry.versions[max(entry.versions)]
        number = int(version) if version.isascii() and version.isdigit() and len(version) < 10 else -1
        if number not in entry.versions:
            raise RequestError(
                Status.NOT_FOUND,
                f"model {name!r} has no version {version[:20]!r}; loaded: "
                f"{', '.join(map(str, entry.versions))}",
            )
        return entry.versions[number]

    def is_ready(self, name: str, version: str = "") -> bool:
        """Whether a model, and the models of its steps, answer requests."""
        try:
            served = self.get(name, version)
        except RequestError:
            return False
        return all(self.is_ready(step.model) for step in served.settings.ensemble)

    def versions(self, name: str) -> list[int]:
        """The loaded versions of a model."""
        return sorted(self._entry(name).versions)

    def served(self) -> Sequence[Served]:
        """Every loaded version."""
        return [served for entry in self._entries.values() for served in dict(entry.versions).values()]

    def index(self, only_ready: bool = False) -> list[dict[str, str]]:
        """A row for each loaded version, and for each model that is not loaded."""
        rows: list[dict[str, str]] = []
        for name, entry in self._entries.items():
            for version in sorted(entry.versions):
                rows.append({"name": name, "version": str(version), "state": READY, "reason": ""})
            if not entry.versions and not only_ready:
                rows.append({"name": name, "version": "", "state": entry.state, "reason": entry.reason})
        return rows

    def _entry(self, name: str) -> _Entry:
        entry = self._entries.get(name)
        if entry is None:
            raise RequestError(
                Status.NOT_FOUND, f"unknown model {name[:80]!r}{suggest(name[:80], self._entries)}"
            )
        return entry

    def _load_versions(self, folder: ModelFolder | None) -> dict[int, Served]:
        if folder is None:
            raise ConfigError("another process runs this model; deploy it again to change it")
        settings = folder.settings(self._defaults)
        self._check_steps(folder.name, settings, (folder.name,))
        return {
            number: load_version(folder.name, number, path, folder.path, settings, self._scheduler.workers)
            for number, path in folder.versions(settings)
        }

    def _check_steps(self, name: str, settings: ModelSettings, within: tuple[str, ...]) -> None:
        """Raise `ConfigError` for an ensemble that contains itself, `RequestError` for unknown models."""
        for step in settings.ensemble:
            if step.model in within:
                raise ConfigError(
                    f"the ensemble {name!r} contains itself: {' → '.join((*within, step.model))}"
                )
            folder = self._entry(step.model).folder
            if folder is not None:
                self._check_steps(step.model, folder.settings(self._defaults), (*within, step.model))

    def _close(self, versions: Mapping[int, Served]) -> None:
        for served in versions.values():
            self._scheduler.close(served.queue)
