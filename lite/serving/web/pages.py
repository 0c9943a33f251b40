"""Answers outside of the inference protocol: metrics, details of health, and the page at ``/``."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lite.serving.health import health
from lite.serving.metrics import metrics_text
from lite.serving.protocol.http_response import encode_json
from lite.serving.protocol.status import RequestError, Status
from lite.serving.service import Service
from lite.serving.web.exchange import Answer
from lite.version import VERSION

EXTENSIONS = (
    "classification",
    "model_configuration",
    "model_repository",
    "binary_tensor_data",
    "parameters",
    "statistics",
    "system_shared_memory",
    "schedule_policy",
    "trace",
    "logging",
)
_PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'",
    "X-Content-Type-Options": "nosniff",
}
_FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
}


def server_metadata(service: Service) -> dict[str, object]:
    """Name, version and extensions of the server."""
    extensions = [name for name in EXTENSIONS if name != "system_shared_memory" or service.memory.enabled]
    return {"name": "litebridge", "version": VERSION, "extensions": extensions}


def answer_page(service: Service, method: str, path: str) -> Answer:
    """The answer to a request outside of the protocol; raises `RequestError` for unknown paths."""
    if method not in ("GET", "HEAD"):
        raise RequestError(Status.WRONG_METHOD, f"{path[:200]!r} accepts only GET and HEAD")
    if path == "/metrics":
        return Answer(200, metrics_text(service).encode(), "text/plain; version=0.0.4; charset=utf-8")
    if path == "/health":
        return Answer(200, encode_json(health(service)))
    if path in _FILES:
        name, content_type = _FILES[path]
        return Answer(200, _file(name), content_type, _PAGE_HEADERS)
    raise RequestError(Status.NOT_FOUND, f"there is no page {path[:200]!r}; try /, /health or /metrics")


@cache
def _file(name: str) -> bytes:
    return (Path(__file__).parent.parent / "page" / name).read_bytes()
