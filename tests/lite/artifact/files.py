"""Artifacts of a small network, and edits of their members."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import lite
from lite.artifact.container import Container, sha256
from lite.artifact.sniff import META
from lite.artifact.zip_file import Member, zip_chunks
from lite.ir.types import Array
from tests.support.small_convnet import convnet

SHAPE = (1, 3, 8, 8)


def image(seed: int = 0) -> Array:
    """An input of the network."""
    return np.random.default_rng(seed).standard_normal(SHAPE).astype(np.float32)


def model_folder(folder: Path) -> Path:
    """The network in Paddle's format."""
    lite.save_program(convnet(), folder / "model")
    return folder / "model"


def saved(folder: Path, **settings: Any) -> tuple[Path, Array]:
    """An artifact of the network after a run, and the result of that run."""
    predictor = lite.create_predictor(lite.Config(model_folder(folder), **settings))
    result = predictor.run({"x": image()})["y"]
    lite.save_artifact(predictor, folder / "model.lbm")
    return folder / "model.lbm", result


def members(path: Path) -> dict[str, bytes]:
    """The members of an artifact."""
    container = Container.open(path.read_bytes(), str(path))
    return {name: bytes(view) for name, view in container.members.items()}


def write(path: Path, contents: dict[str, bytes], *, with_checksums: bool = True) -> Path:
    """Write members as an artifact; by default with checksums that are right."""
    if with_checksums:
        meta = json.loads(contents[META])
        meta["members"] = {
            name: {"bytes": len(content), "sha256": sha256(content)}
            for name, content in contents.items()
            if name != META
        }
        contents = {**contents, META: json.dumps(meta).encode()}
    ordered = {META: contents[META], **contents}
    path.write_bytes(b"".join(zip_chunks([Member(name, [each]) for name, each in ordered.items()])))
    return path


def edit(path: Path, name: str, change: Callable[[Any], None]) -> Path:
    """Change the JSON document in a member of an artifact, with right checksums."""
    contents = members(path)
    document = json.loads(contents[name])
    change(document)
    return write(path, {**contents, name: json.dumps(document).encode()})
