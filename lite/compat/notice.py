"""Telling the user, once, about a setting that means nothing here."""

from __future__ import annotations

import logging

log = logging.getLogger(__name__)


class Notice:
    """The warnings of one API; calling it logs one unless it was logged before."""

    def __init__(self, api: str) -> None:
        self._api = api
        self._said: set[tuple[str, str]] = set()

    def __call__(self, setting: str, instead: str) -> None:
        """A warning that `setting` has no effect, and what happens instead; the first time only."""
        if (setting, instead) not in self._said:
            self._said.add((setting, instead))
            log.warning("%s: %s has no effect: %s", self._api, setting, instead)

    def forget(self) -> None:
        """Say everything anew."""
        self._said.clear()
