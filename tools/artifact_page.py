"""Prints the contents of an artifact."""

from __future__ import annotations

import json

import click

from lite.tools.analysis.artifact_info import ArtifactInfo
from lite.tools.terminal import print_facts, print_table


def print_artifact(info: ArtifactInfo) -> None:
    """Print facts, inputs, regions, ops and members."""
    settings = {name: value for name, value in info.settings.items() if value not in (None, [], {}, "")}
    print_facts(
        {
            "artifact": info.source,
            "bytes": info.bytes,
            "format": info.format,
            "producer": ", ".join(f"{name} {value}" for name, value in info.producer.items()),
            "needs": ", ".join(info.features),
            "licence": info.licence or "not stated",
            "settings": ", ".join(f"{name}={json.dumps(value)}" for name, value in settings.items()),
            "packed for": ", ".join(f"{name}: {text}" for name, text in info.targets.items())
            or "any machine",
            "packed weights": info.packed_weights,
            "outputs": ", ".join(info.outputs),
        }
    )
    print_table(
        ("input", "dtype", "shape", "prepared for"),
        [
            (
                each["name"],
                each["dtype"],
                each["shape"],
                "; ".join(str(shapes[each["name"]]) for shapes in info.signatures if each["name"] in shapes),
            )
            for each in info.inputs
        ],
        "\ninputs",
    )
    if info.regions:
        _print_regions(info)
    print_table(("type", "count"), sorted(info.ops.items()), "\nops of the plan")
    print_table(
        ("member", "bytes", "SHA-256"),
        [(name, each["bytes"], each["sha256"]) for name, each in info.members.items()],
        "\nmembers",
    )
    for problem in info.problems:
        click.echo(problem)


def _print_regions(info: ArtifactInfo) -> None:
    versions = {each["name"]: each["version"] for each in info.devices}
    rows = []
    for each in info.regions:
        models = each["models"] or [{"signature": "no model: it is built at the first run", "bytes": 0}]
        rows += [
            (
                each["region"],
                each["device"],
                versions.get(each["device"], ""),
                each["ops"],
                model["signature"],
                model["bytes"],
            )
            for model in models
        ]
    print_table(("region", "device", "version", "ops", "signature", "bytes"), rows, "\nregions")
