"""RunGuard: lets one run of a predictor take place at a time."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

from lite.errors import ExecutionError
from lite.runtime.threads import Threads

if TYPE_CHECKING:
    from lite.cache.packed_weights import Packs

P = ParamSpec("P")
T = TypeVar("T")
A = TypeVar("A")

_RUN: Final = "run"


class _Process:
    """The number of this process; asking the system for it takes as long as a small layer."""

    def __init__(self) -> None:
        self.number = os.getpid()


_process = _Process()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_process.__init__)  # type: ignore[misc]


class RunGuard:
    """Calls functions, one at a time; raises `ExecutionError` while another call is going on.

    The calls have the threads of `threads`.  Weights that kernels packed during a call are stored at its end.
    """

    def __init__(self, threads: Threads, packs: Packs | None) -> None:
        self._threads = threads
        self._packs = packs
        self._holder: dict[str, tuple[int]] = {}

    def call(self, function: Callable[P, T], *args: P.args, **keywords: P.kwargs) -> T:
        """The result of the function."""
        # The process of the run: a child that was forked during a run does not take part in it.
        token = (_process.number,)
        try:
            try:
                self._enter(token)
                return self._threads.call(function, *args, **keywords)
            finally:
                self._leave(token)
        finally:
            # Again, as a KeyboardInterrupt may have stopped the first one at any line.
            self._leave(token)

    def call_short(self, function: Callable[[A], T], argument: A) -> T:
        """The result of a short function that needs no threads and packs no weights."""
        token = (_process.number,)
        holder = self._holder
        try:
            try:
                if holder.setdefault(_RUN, token) is not token:
                    self._enter(token)
                return function(argument)
            finally:
                if holder.get(_RUN) is token:
                    del holder[_RUN]
        finally:
            if holder.get(_RUN) is token:
                holder.pop(_RUN, None)

    def _enter(self, token: tuple[int]) -> None:
        # One operation of C decides who runs, so that an interrupt comes before or after it.
        holder = self._holder.setdefault(_RUN, token)
        if holder is not token:
            if holder == token:
                raise ExecutionError(
                    "this predictor is already running in another thread; use predictor.clone()"
                )
            self._holder[_RUN] = token

    def _leave(self, token: tuple[int]) -> None:
        if self._holder.get(_RUN) is token:
            try:
                if self._packs is not None and self._packs.needs_write:
                    self._packs.write()
            finally:
                self._holder.pop(_RUN, None)
