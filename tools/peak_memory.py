"""How much memory this process has had at most."""

from __future__ import annotations

import sys


def peak_memory() -> int | None:
    """Bytes of the largest resident set so far; None where the system does not say (Windows)."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
