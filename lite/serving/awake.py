"""Keeps an event loop awake for a moment, so that the next request finds it so."""

from __future__ import annotations

import asyncio
import time

AWAKE_SECONDS = 0.0004
"""A client that asks again and again does so sooner than this after an answer."""


class Awake:
    """Polls instead of sleeping: waking a sleeping core takes 0.05 to 0.1 ms, more than reading a request."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = 0.0
        self._polls = False

    def extend(self) -> None:
        """Stay awake for the time from now on; called in the event loop."""
        self._end = time.perf_counter() + self._seconds
        if self._seconds and not self._polls:
            self._polls = True
            self._poll()

    def _poll(self) -> None:
        self._polls = time.perf_counter() < self._end
        if self._polls:
            # The loop looks for events between two calls, and does not wait for them.
            asyncio.get_running_loop().call_soon(self._poll)
