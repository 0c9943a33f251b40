"""paused_collector: no garbage collection while a model is loaded or bound."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_collector() -> Iterator[None]:
    """Pause Python's cyclic garbage collector in the whole process.

    Loading makes some hundred thousand objects, nearly all of which stay: the collector would look at them
    again and again, a tenth of the time of a first start, and free next to nothing.  What was made in the
    pause counts as old afterwards, or the first collection would still look at all of it.  Of threads that
    load at the same time, the first one that is done ends the pause.
    """
    if not gc.isenabled():
        yield
        return
    try:
        try:
            gc.disable()
            yield
        finally:
            _count_as_old()
            gc.enable()
    finally:
        # Again, as a KeyboardInterrupt may have stopped the first at any line.
        gc.enable()


_frozen_by_user = threading.Event()
"""Set for good once the user has frozen objects (`gc.freeze`): to count them takes long."""


def _count_as_old() -> None:
    """Move all objects to the oldest generation without looking at them, unless the user has frozen some."""
    if _frozen_by_user.is_set():
        return
    if gc.get_freeze_count():
        _frozen_by_user.set()
        return
    gc.freeze()
    gc.unfreeze()
