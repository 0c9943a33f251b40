"""The trace and log settings of Triton's protocol."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from lite.serving.protocol.status import bad_request

log = logging.getLogger("lite.serving")

_TRACE: dict[str, object] = {
    "trace_level": ["OFF"],
    "trace_rate": "1000",
    "trace_count": "-1",
    "log_frequency": "0",
    "trace_file": "",
    "trace_mode": "opentelemetry",
}
_LEVELS = {"log_info": logging.INFO, "log_warning": logging.WARNING, "log_error": logging.ERROR}


def trace_settings(changes: Mapping[str, object]) -> dict[str, object]:
    """The trace settings, which are fixed when the server starts; raises `RequestError` for a change."""
    for name, value in changes.items():
        if value is not None and _TRACE.get(name) != value:
            raise bad_request(f"the trace setting {name[:40]!r} cannot be changed while the server runs")
    return dict(_TRACE)


def log_settings(changes: Mapping[str, object]) -> dict[str, object]:
    """The log settings after `changes`: log_info, log_warning and log_error are true or false.

    Raises `RequestError` for other settings: a request cannot name a file.
    """
    for name, value in changes.items():
        if name not in _LEVELS or not isinstance(value, bool):
            raise bad_request(f"the log setting {name[:40]!r} cannot be changed; known: {', '.join(_LEVELS)}")
    shown = {name: changes.get(name, log.isEnabledFor(level)) for name, level in _LEVELS.items()}
    if changes:
        enabled = [level for name, level in _LEVELS.items() if shown[name]]
        log.setLevel(min(enabled, default=logging.CRITICAL))
    return {
        "log_file": "",
        **shown,
        "log_verbose_level": 0,
        "log_format": "default",
    }
