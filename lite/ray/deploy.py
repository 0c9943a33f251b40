"""Runs the application on a cluster: ``litebridge serve --ray``."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable, Mapping

from lite.errors import ConfigError
from lite.ray.app import application
from lite.serving.embedded import Addresses, ServeSettings
from lite.serving.repository.folders import ModelFolder, find_models

log = logging.getLogger(__name__)

RELIABLE = {
    "RAY_SERVE_ENABLE_HA_PROXY": "1",
    "RAY_SERVE_THROUGHPUT_OPTIMIZED": "1",
    "RAY_SERVE_HAPROXY_RETRIES": "3",
    "RAY_SERVE_HAPROXY_RETRY_ON": "conn-failure empty-response",
    "RAY_SERVE_HAPROXY_TUNE_BUFSIZE": "524288",
    "RAY_SERVE_HAPROXY_H2_MAX_FRAME_SIZE": "262144",
    "RAY_SERVE_HAPROXY_H2_BE_INITIAL_WINDOW_SIZE": "4194304",
    "RAY_SERVE_HAPROXY_H2_FE_INITIAL_WINDOW_SIZE": "4194304",
    "RAY_SERVE_REPLICA_GRPC_MAX_MESSAGE_LENGTH": str(128 << 20),
}
"""Ray Serve's HAProxy mode with retries, and messages between replicas that are as large as requests.

A body of up to 512 KiB can be sent again; gRPC moves tensors in few frames and waits for no window of them.

Its default proxy costs 5 to 10 ms a request and loses what a dying replica had.  Inference has no effects, so
a request may be sent twice.
"""

_DEPLOYMENT = {
    "graceful_shutdown_timeout_s": 20,
    "health_check_period_s": 2,
    # Replicas share the cores, as models of the embedded server do; config.yaml may reserve some.
    "ray_actor_options": {"num_cpus": 0},
}


def deploy(
    settings: ServeSettings, address: str, started: Callable[[Addresses], None], *, together: bool = False
) -> None:
    """Run the models of `settings` on the cluster at `address` until a signal comes.

    address: ``auto`` for the cluster of this computer, ``local`` for a new one, or the address of another.
    together: one deployment with all models in each replica, instead of one for each model.
    Raises `ConfigError` for settings that Ray cannot follow, and for models that its replicas cannot load.
    """
    import ray
    from ray import serve

    _check(settings)
    folders = find_models(settings.models)
    if address == "local":
        for name, value in RELIABLE.items():
            os.environ.setdefault(name, value)
    else:
        _warn_about_the_proxy()
    ray.init(address=address, log_to_driver=False, configure_logging=False)
    try:
        serve.start(
            http_options={"host": settings.host, "port": settings.port},
            grpc_options={
                "port": settings.grpc_port or 9000,
                "grpc_servicer_functions": ["lite.ray.grpc_calls.add_servicer"],
            },
        )
        _run(settings, folders, together=together)
        started(Addresses(f"http://{settings.host}:{settings.port}", f"{settings.host}:{settings.grpc_port}"))
        _wait_for_signal()
    finally:
        serve.shutdown()
        ray.shutdown()


def _run(settings: ServeSettings, folders: Mapping[str, ModelFolder], *, together: bool) -> None:
    """Deploy the application: a single model, and with `together` every model, is inside the ingress."""
    from ray import serve

    engine = dict(settings.engine)
    together = together or len(folders) == 1
    inside = {name for name, folder in folders.items() if together or folder.settings(engine).ensemble}
    paths = {name: str(folder.path.resolve()) for name, folder in folders.items()}
    arguments = {
        "models": {name: path for name, path in paths.items() if name not in inside},
        "inside": {name: path for name, path in paths.items() if name in inside},
        "engine": engine,
        "workers": settings.workers,
        "token": settings.token,
        "explicit": settings.explicit,
        "options": _DEPLOYMENT,
    }
    try:
        serve.run(application(arguments), name="litebridge", route_prefix="/")
    except RuntimeError as error:
        raise ConfigError(f"{error}{_reasons()}") from error


def _reasons() -> str:
    """What Ray says about deployments that do not run: the last line of each, which has the error."""
    from ray import serve

    lines = [
        f"\n{name}: {deployment.message.strip().splitlines()[-1]}"
        for name, application in serve.status().applications.items()
        for deployment in application.deployments.values()
        if deployment.status.value in ("UNHEALTHY", "DEPLOY_FAILED") and deployment.message.strip()
    ]
    return "".join(lines)


def _check(settings: ServeSettings) -> None:
    settings.check()
    for option, used in (
        ("--client-shared-memory", settings.client_shared_memory),
        ("--traces", settings.traces is not None),
        ("--tls-cert", settings.tls is not None),
        ("--port 0", settings.port == 0),
        ("--grpc-port 0", settings.grpc_port == 0),
    ):
        if used:
            raise ConfigError(f"{option} does not work with --ray; leave it out")


def _warn_about_the_proxy() -> None:
    missing = [name for name, value in RELIABLE.items() if os.environ.get(name) != value]
    if missing:
        log.warning(
            "Ray Serve's HAProxy mode with retries loses no request when a replica dies; to use it, set "
            "these variables before the cluster starts: %s",
            " ".join(f"{name}={RELIABLE[name]!r}" for name in missing),
        )


def _wait_for_signal() -> None:
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    while not ended.wait(1):
        pass
