"""The protocol's calls for Ray Serve's gRPC proxy, which passes messages to the ingress as bytes."""

from __future__ import annotations

from typing import Any

from lite.serving.rpc.calls import CALLS
from lite.serving.rpc.server import SERVICE


def _replaced(request: bytes, context: Any) -> None:
    """Ray puts its own function into each handler, which calls the method of the ingress."""


def add_servicer(_servicer: Any, server: Any) -> None:
    """Register the calls; `gRPCOptions.grpc_servicer_functions` names this function."""
    import grpc

    handlers: dict[str, Any] = {
        name: grpc.unary_unary_rpc_method_handler(_replaced) for name in ("ModelInfer", *CALLS)
    }
    handlers["ModelStreamInfer"] = grpc.stream_stream_rpc_method_handler(_replaced)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
