"""How the imitated APIs treat settings: warnings about ignored ones, and buffers that come with a size."""

from __future__ import annotations

import logging

from lite.errors import ConfigError

log = logging.getLogger(__name__)


class WarnIgnored:
    """Logs a warning for each setting that `api` accepts and ignores, once per setting."""

    def __init__(self, api: str) -> None:
        self._api = api
        self._logged: set[tuple[str, str]] = set()

    def __call__(self, setting: str, instead: str) -> None:
        """Log that `setting` has no effect and what happens instead, unless that was logged before."""
        if (setting, instead) not in self._logged:
            self._logged.add((setting, instead))
            log.warning("%s: %s has no effect: %s", self._api, setting, instead)

    def reset(self) -> None:
        """Forget which warnings were logged."""
        self._logged.clear()


def first_bytes(name: str, data: bytes, size: int) -> bytes:
    """The first `size` bytes of the buffer `name`; raises `ConfigError` if the buffer is shorter."""
    if not 0 <= size <= len(data):
        raise ConfigError(
            f"set_model_buffer: the buffer of {name} has {len(data)} bytes; expected a size from 0 to "
            f"{len(data)}, got {size}"
        )
    return data[:size]
