"""litebridge serve: answers requests over HTTP and gRPC."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import click

from lite.errors import ConfigError
from lite.tools.options.devices import DeviceOptions, device_options
from lite.tools.options.output import debug_option
from lite.tools.options.runs import threads_option


@click.command(short_help="Answer requests for models over HTTP and gRPC.")
@click.argument("models", nargs=-1, required=True, metavar="MODEL|DIR...")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8000, show_default=True, help="The HTTP port; 0 for any free port.")
@click.option("--grpc-port", default=8001, show_default=True, help="The gRPC port; 0 for any free port.")
@click.option("--no-grpc", is_flag=True, help="Serve HTTP only.")
@threads_option
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Run N requests at the same time.  [default: one for each core, divided by --threads]",
)
@device_options
@click.option(
    "--model-control",
    type=click.Choice(["none", "explicit"]),
    default="none",
    show_default=True,
    help="explicit: clients may load and unload the models of MODEL|DIR.",
)
@click.option("--client-shared-memory", is_flag=True, help="Clients may pass tensors in shared memory.")
@click.option(
    "--token",
    envvar="LITEBRIDGE_TOKEN",
    metavar="TEXT",
    help="Answer only requests with the header Authorization: Bearer TEXT.  The environment variable "
    "LITEBRIDGE_TOKEN sets it without showing it to other users.",
)
@click.option(
    "--tls-cert",
    type=click.Path(path_type=Path, exists=True),
    metavar="FILE",
    help="Use TLS, with this certificate.",
)
@click.option(
    "--tls-key",
    type=click.Path(path_type=Path, exists=True),
    metavar="FILE",
    help="The private key of the certificate.",
)
@click.option("--open-to-network", is_flag=True, help="Allow --host without --token and TLS.")
@click.option(
    "--max-request-mb",
    type=click.IntRange(1, 2000),
    default=64,
    show_default=True,
    help="The largest body or message in MiB, before and after decompression.",
)
@click.option("--log-requests", is_flag=True, help="Write a line of JSON to stderr for each request.")
@click.option(
    "--traces",
    metavar="URL",
    help="Send a span of each request to an OpenTelemetry collector (OTLP over HTTP), such as "
    "http://localhost:4318.",
)
@click.option(
    "--ray",
    metavar="local|auto|ADDRESS",
    help="Run on Ray: local for a new cluster on this computer, auto for its running one, or an address.",
)
@click.option(
    "--together",
    is_flag=True,
    help="With --ray: one deployment with all models in each replica, which saves a hop for each request.  "
    "Without it, each model has replicas of its own, unless there is only one.",
)
@debug_option
def serve(
    models: tuple[str, ...],
    host: str,
    port: int,
    grpc_port: int,
    no_grpc: bool,
    threads: int,
    workers: int | None,
    on: DeviceOptions,
    model_control: str,
    client_shared_memory: bool,
    token: str | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    open_to_network: bool,
    max_request_mb: int,
    log_requests: bool,
    traces: str | None,
    ray: str | None,
    together: bool,
) -> None:
    """Answer requests for models by the Open Inference Protocol, which clients of Triton and KServe use.

    \b
    Examples:
      litebridge serve model_dir
      litebridge serve ocr=det_dir model.onnx --threads 2
      litebridge serve repository --device openvino --model-control explicit
      litebridge serve repository --host 0.0.0.0 --token TEXT

    MODEL is a model's folder or file, or NAME=MODEL.  DIR is a repository: a folder for each model, with a
    folder for each version (1, 2, ...) and a config.yaml with devices, instances, batching and limits.
    Without config.yaml, Triton's config.pbtxt is read; a warning names its settings that have no effect.

    The server listens on this computer only, unless --host names another address.  GET / is a page with the
    models, and GET /metrics has metrics for Prometheus.  After SIGTERM or Ctrl-C, the server finishes the
    running requests and ends.
    """
    if (tls_cert is None) != (tls_key is None):
        raise click.UsageError("--tls-cert needs --tls-key, and --tls-key needs --tls-cert")
    if together and ray is None:
        raise click.UsageError("--together needs --ray; without it, all models are in one process")
    _require_packages()
    from lite.serving.embedded import Addresses, ServeSettings
    from lite.serving.embedded import serve as run
    from lite.serving.protocol.limits import RequestLimits

    def started(addresses: Addresses) -> None:
        click.echo(f"HTTP: {addresses.http}")
        if addresses.grpc is not None:
            click.echo(f"gRPC: {addresses.grpc}")
        click.echo(f"ready; open {addresses.http}/ in a browser, Ctrl-C ends the server")

    settings = ServeSettings(
        models,
        host=host,
        port=port,
        grpc_port=None if no_grpc else grpc_port,
        workers=workers,
        engine={**on.settings, "threads": threads},
        explicit=model_control == "explicit",
        client_shared_memory=client_shared_memory,
        token=token,
        tls=None if tls_cert is None or tls_key is None else (tls_cert, tls_key),
        open_to_network=open_to_network,
        log_requests=log_requests,
        traces=traces,
        limits=RequestLimits(body_bytes=max_request_mb << 20),
    )
    if ray is None:
        # gRPC then reads requests in the thread that tells the event loop of them: one thread less to wake
        # for each request, which takes 0.05 ms.  gRPC reads the variable when it is imported.
        os.environ.setdefault("GRPC_EXPERIMENTS", "-event_engine_listener")
        run(settings, started)
        return
    _require_packages("ray")
    from lite.ray.deploy import deploy

    deploy(settings, ray, started, together=together)


def _require_packages(*more: str) -> None:
    for name in ("grpc", "orjson", "uvicorn", "yaml", *more):
        if importlib.util.find_spec(name) is None:
            extras = "serve,ray" if more else "serve"
            raise ConfigError(f"the package {name} is not installed; run: pip install 'litebridge[{extras}]'")
