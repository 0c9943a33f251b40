"""The contents of an artifact, and the differences between two."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from lite.artifact.artifact import PLAN, REGIONS, Artifact
from lite.dataclass import dataclass
from lite.plugin.format import ModelSource


@dataclass(frozen=True)
class ArtifactInfo:
    """The contents of an artifact; `members` have their sizes and checksums, `ops` are those of the plan."""

    source: str
    bytes: int
    format: int
    producer: Mapping[str, Any]
    features: list[str]
    licence: str
    inputs: list[dict[str, Any]]
    outputs: list[str]
    signatures: list[dict[str, list[int]]]
    settings: Mapping[str, Any]
    targets: Mapping[str, str]
    devices: list[dict[str, Any]]
    ops: Mapping[str, int]
    packed_weights: int
    regions: list[dict[str, Any]]
    members: Mapping[str, dict[str, Any]]
    problems: list[str] = field(default_factory=list)
    """What the comparison of all checksums found."""


def artifact_info(path: Path, *, verify: bool = False) -> ArtifactInfo:
    """The contents of an artifact; with `verify`, all checksums are compared.  Raises `ModelParseError`."""
    artifact = Artifact.open(ModelSource(path))
    meta, container = artifact.meta, artifact.container
    plan = meta.json(container, PLAN) if artifact.has_plan else {"plan": {"instructions": []}, "packs": {}}
    return ArtifactInfo(
        str(path),
        path.stat().st_size,
        meta.format,
        meta.producer,
        list(meta.features),
        meta.licence,
        meta.inputs,
        meta.outputs,
        meta.signatures,
        meta.settings,
        meta.targets,
        meta.devices,
        Counter(_ops(plan.get("plan"))),
        len(plan.get("packs", ())),
        _regions(artifact, plan),
        {name: {"bytes": info.bytes, "sha256": info.sha256} for name, info in meta.members.items()},
        meta.problems(container) if verify else [],
    )


def differences(first: ArtifactInfo, second: ArtifactInfo) -> list[tuple[str, str, str]]:
    """The facts in which two artifacts differ: the name of each, and its two values."""
    rows = []
    for name, one in _facts(first).items():
        other = _facts(second).get(name, "-")
        if one != other:
            rows.append((name, one, other))
    rows += [(name, "-", value) for name, value in _facts(second).items() if name not in _facts(first)]
    return rows


def _facts(info: ArtifactInfo) -> dict[str, str]:
    """The contents as texts by name."""
    facts = {
        "format": str(info.format),
        "licence": info.licence,
        "outputs": ", ".join(info.outputs),
        "packed weights": str(info.packed_weights),
    }
    facts |= {f"producer {name}": str(value) for name, value in info.producer.items()}
    facts |= {f"input {each['name']}": f"{each['dtype']}{each['shape']}" for each in info.inputs}
    facts |= {f"signature {n}": json.dumps(each) for n, each in enumerate(info.signatures)}
    facts |= {f"setting {name}": json.dumps(value) for name, value in info.settings.items()}
    facts |= {f"packed for {name}": text for name, text in info.targets.items()}
    facts |= {f"device {each['name']}": f"{each['spec']} {each['version']}" for each in info.devices}
    facts |= {f"op {name}": str(count) for name, count in sorted(info.ops.items())}
    for each in info.regions:
        facts[f"region {each['region']}"] = f"{each['device']}, {each['ops']} ops"
        for model in each["models"]:
            facts[f"region {each['region']} for {model['signature']}"] = ", ".join(
                f"{name}: {text}" for name, text in model["key"].items()
            )
    return facts | {
        f"member {name}": f"{each['bytes']} bytes, {each['sha256'][:12]}"
        for name, each in info.members.items()
    }


def _ops(plan: Any) -> list[str]:
    """The op types of a plan's record; those of regions are in the regions' rows."""
    ops = []
    for item in plan["instructions"]:
        ops.append(str(item[0]))
        for block in item[6]:
            ops += _ops(block)
    return ops


def _regions(artifact: Artifact, plan: Any) -> list[dict[str, Any]]:
    models = artifact.regions().models if REGIONS in artifact.container.members else ()
    rows = []
    for region in plan.get("record", {}).get("placed", {}).get("regions", ()):
        own = [model for model in models if model.region == region["id"]]
        rows.append(
            {
                "region": region["id"],
                "device": region["device"],
                "ops": len(region["ops"]),
                "models": [
                    {
                        "signature": model.signature,
                        "bytes": artifact.meta.members[model.member].bytes,
                        "key": {part.name: part.text for part in model.key.parts},
                    }
                    for model in own
                ],
            }
        )
    return rows
