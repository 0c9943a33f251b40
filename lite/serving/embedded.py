"""The embedded server: HTTP and gRPC in one process and one event loop."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from lite.cores import usable_cores
from lite.dataclass import dataclass
from lite.errors import ConfigError
from lite.serving.access import LOOPBACK, Access
from lite.serving.awake import AWAKE_SECONDS
from lite.serving.protocol.limits import RequestLimits
from lite.serving.repository.folders import ModelFolder, find_models
from lite.serving.repository.repository import Repository
from lite.serving.request_log import RequestLog
from lite.serving.request_traces import RequestTraces
from lite.serving.rpc.server import create_server
from lite.serving.scheduling.scheduler import Scheduler
from lite.serving.service import Service
from lite.serving.shared_memory import SharedMemory
from lite.serving.web.app import HttpApp

if TYPE_CHECKING:
    import uvicorn

log = logging.getLogger(__name__)

_DRAIN_S = 20
"""Seconds that requests under way have when the server stops."""


@dataclass(frozen=True)
class ServeSettings:
    """What to serve, where, and with which limits.

    port, grpc_port: 0 for any free port; None for no gRPC.
    workers: runs at the same time; None for one for each core that a run does not use.
    engine: fields of `Config` for models whose settings do not have them.
    explicit: whether clients may load and unload models.
    open_to_network: allow another host than a loopback one without token and TLS.
    log_requests: write a line of JSON for each request to stderr.
    traces: the address of a collector for spans of requests (OTLP over HTTP).
    """

    models: Sequence[str]
    host: str = "127.0.0.1"
    port: int = 8000
    grpc_port: int | None = 8001
    workers: int | None = None
    engine: Mapping[str, object] = field(default_factory=dict)
    explicit: bool = False
    client_shared_memory: bool = False
    token: str | None = None
    tls: tuple[Path, Path] | None = None
    open_to_network: bool = False
    log_requests: bool = False
    traces: str | None = None
    limits: RequestLimits = field(default_factory=RequestLimits)

    @property
    def is_local(self) -> bool:
        """Whether only programs on this computer can reach the server."""
        return self.host in LOOPBACK

    def check(self) -> None:
        """Raise `ConfigError` for a host that other computers reach, without token, TLS or permission."""
        if self.is_local:
            return
        if self.token is None and self.tls is None and not self.open_to_network:
            raise ConfigError(
                f"--host {self.host}: other computers can then use the models; add --token, or --tls-cert "
                "and --tls-key, or --open-to-network to allow everyone"
            )
        log.warning("other computers can reach this server at %s", self.host)


@dataclass(frozen=True)
class Addresses:
    """Where a server listens."""

    http: str
    grpc: str | None


def serve(settings: ServeSettings, started: Callable[[Addresses], None]) -> None:
    """Serve until a signal (SIGINT, SIGTERM) comes; requests under way are then answered.

    `started` is called when all models are ready.  Raises `ConfigError` for settings that do not fit and
    ports in use, and `LiteError` if a model cannot be loaded.
    """
    settings.check()
    models = find_models(settings.models)
    try:
        import uvloop
    except ModuleNotFoundError:
        asyncio.run(_serve(settings, models, started))
        return
    uvloop.run(_serve(settings, models, started))


async def _serve(
    settings: ServeSettings, models: Mapping[str, ModelFolder], started: Callable[[Addresses], None]
) -> None:
    loop = asyncio.get_running_loop()

    def later(seconds: float, call: Callable[[], None]) -> None:
        loop.call_soon_threadsafe(loop.call_later, seconds, call)

    traces = None if settings.traces is None else RequestTraces.to(settings.traces)
    observers = [] if traces is None else [traces.add]
    if settings.log_requests:
        observers.append(RequestLog(sys.stderr.write).add)
    scheduler = Scheduler(settings.workers or default_workers(settings.engine), later)
    service = Service(
        Repository(models, settings.engine, scheduler),
        scheduler,
        limits=settings.limits,
        memory=SharedMemory(settings.client_shared_memory),
        explicit=settings.explicit,
        observers=observers,
        # A single core is left to the client.
        awake=AWAKE_SECONDS if usable_cores() > 1 else 0.0,
    )
    service.loading = True
    access = Access(settings.token, settings.is_local)
    listener = _listen(settings.host, settings.port)
    web = _web_server(service, access, settings)
    scheme = "http" if settings.tls is None else "https"
    name = f"[{settings.host}]" if ":" in settings.host else settings.host
    http = f"{scheme}://{name}:{listener.getsockname()[1]}"
    rpc, grpc = None, None
    if settings.grpc_port is not None:
        rpc, port = create_server(service, access, f"{name}:{settings.grpc_port}", settings.tls)
        grpc = f"{name}:{port}"
        await rpc.start()
    serving = asyncio.ensure_future(web.serve([listener]))
    try:
        failed = await asyncio.to_thread(service.repository.load_all)
        service.loading = False
        if failed:
            raise ConfigError("; ".join(failed.values()))
        if not serving.done():
            started(Addresses(http, grpc))
        await serving
    finally:
        service.draining = True
        web.should_exit = True
        if rpc is not None:
            await rpc.stop(_DRAIN_S)
        await serving
        await asyncio.to_thread(scheduler.stop)
        service.memory.close()
        if traces is not None:
            await asyncio.to_thread(traces.close)


def _web_server(service: Service, access: Access, settings: ServeSettings) -> uvicorn.Server:
    import uvicorn

    class Server(uvicorn.Server):
        """After a signal, requests under way are answered and new ones refused; a second one ends at once.

        The signal is not raised again, as that would end the program by the signal.
        """

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            self.force_exit = self.should_exit
            self.should_exit = service.draining = True

    certificate, key = settings.tls or (None, None)
    config = uvicorn.Config(
        HttpApp(service, access),
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        interface="asgi3",
        ws="none",
        limit_concurrency=4096,
        timeout_graceful_shutdown=_DRAIN_S,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    return Server(config)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise ConfigError(
            f"HTTP cannot use {host}:{port}: {error.strerror}; choose another --port"
        ) from error
    return listener


def default_workers(engine: Mapping[str, object]) -> int:
    """One worker for each core that a run with the settings `engine` does not use."""
    threads = engine.get("threads", 1)
    return max(1, usable_cores() // (threads if isinstance(threads, int) else 1))
