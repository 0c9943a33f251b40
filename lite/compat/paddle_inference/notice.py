"""Telling the user, once, about a setting that means nothing here."""

from __future__ import annotations

import functools
import logging

log = logging.getLogger(__name__)


@functools.cache
def warn_once(setting: str, instead: str) -> None:
    """A warning that `setting` has no effect, and what happens instead; the first time only."""
    log.warning("paddle.inference: %s has no effect: %s", setting, instead)
