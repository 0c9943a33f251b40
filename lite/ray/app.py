"""The application of Ray Serve: an ingress with the protocol, and a deployment for each model outside it.

A model with a deployment of its own has its own replicas, and each request to it takes a further hop from the
ingress, of 2 to 3 ms.  The models inside the ingress have its replicas.  A Serve config names `application`;
`lite.ray.deploy` runs it for ``litebridge serve --ray``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lite.errors import ConfigError
from lite.ray.ingress import Door, Ingress
from lite.ray.model_replica import ModelReplica
from lite.serving.repository.folders import find_models

if TYPE_CHECKING:
    from ray.serve import Application

PREFIX = "model-"
"""The deployment of a model is called after it."""


def application(args: Mapping[str, Any]) -> Application:
    """The application of models, at the route prefix ``/``; raises `ConfigError` for unknown arguments.

    args: models (paths by name; each has a deployment, called model-NAME) and inside (paths by name of models
        that each replica of the ingress runs itself; ensembles must be there), at least one; and optionally
        engine (fields of `Config`), workers (runs at the same time in a replica; by default as many as the
        cores that these options reserve, or those of its node if they reserve none), token, explicit (clients
        may load and unload models; the ingress must have one replica), and options of all deployments, such
        as num_replicas, which the part ``ray`` of a model's config.yaml replaces.
    """
    from ray import serve

    known = {"models", "inside", "engine", "workers", "token", "explicit", "options"}
    models, inside = dict(args.get("models", {})), dict(args.get("inside", {}))
    if not set(args) <= known or not (models or inside):
        raise ConfigError(
            f"the application takes {', '.join(sorted(known))} and needs models or inside; got {dict(args)}"
        )
    engine, workers = dict(args.get("engine", {})), args.get("workers")
    given = dict(args.get("options", {}))
    handles = {}
    for name, path in models.items():
        options = _over({"max_ongoing_requests": 32, **given}, _options(name, path))
        deployment = serve.deployment(ModelReplica, name=PREFIX + name).options(**options)
        handles[name] = deployment.bind(name, path, engine, workers or _workers(options, engine))
    own = {name: _options(name, path) for name, path in inside.items()}
    options = _over({"max_ongoing_requests": 1000, **given}, _merged(own))
    front = serve.deployment(serve.ingress(Door())(Ingress), name="ingress").options(**options)
    workers = workers or _workers(options, engine)
    return front.bind(handles, inside, engine, workers, args.get("token"), args.get("explicit") is True)


def _workers(options: Mapping[str, Any], engine: Mapping[str, Any]) -> int | None:
    """The runs that the reserved cores take at the same time; None where the replica reserves none."""
    cores = int(options.get("ray_actor_options", {}).get("num_cpus", 1))
    return max(1, cores // int(engine.get("threads", 1))) if cores else None


def _options(name: str, path: str) -> Mapping[str, object]:
    [folder] = find_models([f"{name}={path}"]).values()
    return folder.settings({}).ray


def _over(defaults: Mapping[str, object], own: Mapping[str, object]) -> dict[str, object]:
    """The options of a deployment; a number of replicas and autoscaling replace each other."""
    others = {"num_replicas": "autoscaling_config", "autoscaling_config": "num_replicas"}
    replaced = {others[key] for key in own if key in others}
    return {**{key: value for key, value in defaults.items() if key not in replaced}, **own}


def _merged(options: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    """The options of one deployment with several models; raises `ConfigError` if two models differ."""
    merged: dict[str, tuple[str, object]] = {}
    for name, given in options.items():
        for key, value in given.items():
            first, other = merged.setdefault(key, (name, value))
            if other != value:
                raise ConfigError(
                    f"the models {first!r} and {name!r} are in one deployment, and their options of ray "
                    f"differ in {key}: {other!r} and {value!r}"
                )
    return {key: value for key, (_, value) in merged.items()}
