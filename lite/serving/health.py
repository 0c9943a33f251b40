"""The health of a server in detail: a broken device is not a broken server."""

from __future__ import annotations

import time

from lite.serving.repository.served import Served
from lite.serving.service import Service


def health(service: Service) -> dict[str, object]:
    """The state of the server, and of each model with its devices, regions, fallbacks and latency."""
    models = [_model(each) for each in service.repository.served()]
    loaded = {str(each["name"]) for each in models}
    models += [
        {"name": row["name"], "state": row["state"], "reason": row["reason"]}
        for row in service.repository.index()
        if row["name"] not in loaded
    ]
    degraded = any(each["state"] == "DEGRADED" for each in models)
    state = "READY" if service.ready else "STOPPING" if service.draining else "NOT_READY"
    return {
        "server": state,
        "devices": "DEGRADED" if degraded else "OK",
        "uptime_s": round(time.time() - service.started, 3),
        "models": models,
    }


def _model(served: Served) -> dict[str, object]:
    placement = {} if served.model is None else dict(served.model.placement())
    found = placement.get("fallbacks")
    fallbacks = found if isinstance(found, dict) else {}
    statistics = served.statistics
    return {
        "name": served.name,
        "version": str(served.version),
        "platform": served.platform,
        "state": "DEGRADED" if fallbacks else "READY",
        "reason": f"the host runs regions of {', '.join(map(str, fallbacks))}" if fallbacks else "",
        "placement": placement,
        "steps": [step.model for step in served.settings.ensemble],
        "inputs": [vars(spec) | {"dims": spec.shape} for spec in served.inputs],
        "outputs": [vars(spec) | {"dims": spec.shape} for spec in served.outputs],
        "instances": served.queue.count,
        "running": served.queue.running,
        "waiting": len(served.queue.jobs),
        "requests": statistics.success.count,
        "failures": dict(statistics.failures),
        "p50_us": statistics.quantile_us(0.5),
        "p99_us": statistics.quantile_us(0.99),
    }
