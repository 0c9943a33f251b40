"""Ahead-of-time builds: the models of a model's regions in the vendor's own files, with a manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from lite.atomic_file import write_atomically
from lite.dataclass import dataclass
from lite.errors import CompileError, ConfigError, ModelParseError
from lite.ir.types import HOST, Array
from lite.ops import Meta
from lite.plugin.device.stored_files import check_inside
from lite.runtime.regions.built_model import BuiltModel
from lite.session.predictor import Predictor
from lite.subgraph.report import PlacementReport
from lite.version import VERSION

MANIFEST = "manifest.json"
REPORT = "report.json"

FORMAT = 1
"""The version of the manifest."""


@dataclass(frozen=True)
class Check:
    """The comparison of a folder with its manifest: the number of files, and a sentence for each problem."""

    files: int
    problems: Sequence[str]


@dataclass(frozen=True)
class _Entry:
    """A file that a manifest lists."""

    path: str
    size: int
    sha256: str


def build_regions(predictor: Predictor, feeds: Mapping[str, Array], folder: Path) -> dict[str, Any]:
    """Write the models of all regions, the manifest and the report to a folder; the manifest.

    The regions are built for the shapes of `feeds`.  The model runs once, as shapes of later regions may
    depend on the results of earlier ones.  Raises `ConfigError` for a folder with other files, and
    `CompileError` as `Predictor.run` does.
    """
    _require_free(folder)
    predictor.prepare({name: array.shape for name, array in feeds.items()})
    predictor.run(dict(feeds))
    models, placed = predictor.built_models(), predictor.report()
    folder.mkdir(parents=True, exist_ok=True)
    regions = [_write_region(model, _name(model, models), folder) for model in models]
    report = json.dumps(placed.to_dict(), indent=1).encode()
    write_atomically(folder / REPORT, [report])
    manifest = {
        "format": FORMAT,
        "litebridge": VERSION,
        "inputs": [{"name": name, **_array(array)} for name, array in feeds.items()],
        "outputs": list(predictor.output_names),
        "regions": regions,
        "host": _host_ops(placed),
        "report": _entry(REPORT, report),
    }
    write_atomically(folder / MANIFEST, [json.dumps(manifest, indent=1).encode()])
    return manifest


def check_folder(folder: Path) -> Check:
    """Compare the files of a folder with their sizes and checksums in its manifest.

    Raises `ModelParseError` for a folder whose manifest is missing or not valid.
    """
    entries = _listed(folder)
    problems = []
    for entry in entries:
        path = folder / entry.path
        if not path.is_file():
            problems.append(f"{entry.path} is missing")
            continue
        content = path.read_bytes()
        if len(content) != entry.size:
            problems.append(f"{entry.path} has {len(content)} bytes, expected {entry.size}")
        elif hashlib.sha256(content).hexdigest() != entry.sha256:
            problems.append(f"{entry.path} differs: its checksum is not that of the manifest")
    known = {entry.path for entry in entries} | {MANIFEST}
    others = (path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file())
    problems += [f"{name} is not in the manifest" for name in others if name not in known]
    return Check(len(entries), problems)


def _require_free(folder: Path) -> None:
    """Accept an empty folder, or an earlier build, whose listed files are removed."""
    if not folder.exists() or not any(folder.iterdir()):
        return
    if not (folder / MANIFEST).is_file():
        raise ConfigError(f"{folder} has files that no build wrote; name an empty or a new folder")
    for entry in _listed(folder):
        (folder / entry.path).unlink(missing_ok=True)
    (folder / MANIFEST).unlink()


def _name(model: BuiltModel, models: Sequence[BuiltModel]) -> str:
    """The name of a region: with a number where it has several signatures."""
    same = [other for other in models if other.region == model.region]
    number = f"_{same.index(model)}" if len(same) > 1 else ""
    return f"region_{model.region}{number}"


def _write_region(model: BuiltModel, name: str, folder: Path) -> dict[str, Any]:
    group = None if model.group is None else f"group_{model.group}"
    within, entries = group or name, []
    for path, content in model.files.items():
        try:
            check_inside(path)
        except ValueError as error:
            raise CompileError(f"{model.device}: {error}") from error
        target = folder / within / path
        if path.endswith("/"):
            target.mkdir(parents=True, exist_ok=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, [content])
        entries.append(_entry(f"{within}/{path}", content))
    return {
        "name": name,
        "device": model.device,
        "device_version": model.version,
        "precision": model.precision,
        "state": model.state,
        "reason": model.reason,
        "ops": [{"name": label, "type": op} for label, op in model.ops],
        "inputs": [_tensor(each, meta) for each, meta in model.inputs],
        "outputs": [_tensor(each, meta) for each, meta in model.outputs],
        "files": entries,
        "group": group,
    }


def _host_ops(placed: PlacementReport) -> list[dict[str, Any]]:
    """The ops that no device takes."""
    return [
        {"name": op.name, "type": op.type, "why_not": op.why_not} for op in placed.ops if op.placed_on == HOST
    ]


def _entry(path: str, content: bytes) -> dict[str, Any]:
    return {"path": path, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def _array(array: Array) -> dict[str, Any]:
    return {"dtype": str(array.dtype), "shape": list(array.shape)}


def _tensor(name: str, meta: Meta) -> dict[str, Any]:
    shape = None if meta.shape is None else list(meta.shape)
    return {"name": name, "dtype": str(meta.dtype), "shape": shape}


def _listed(folder: Path) -> list[_Entry]:
    """The files of a manifest; it is untrusted, so each path has to lie inside of the folder."""
    path = folder / MANIFEST
    if not path.is_file():
        raise ModelParseError(f"{folder} has no {MANIFEST}: no build wrote it")
    try:
        manifest = json.loads(path.read_bytes())
        if manifest["format"] != FORMAT:
            raise ModelParseError(f"{path} has format {manifest['format']}, expected {FORMAT}")
        listed = [*(each for region in manifest["regions"] for each in region["files"]), manifest["report"]]
        entries = [_Entry(str(each["path"]), int(each["bytes"]), str(each["sha256"])) for each in listed]
        entries = list(dict.fromkeys(entries))  # the regions of a group share its files
    except (ValueError, KeyError, TypeError) as error:
        raise ModelParseError(f"{path} is no manifest of a build: {error!r}") from error
    for entry in entries:
        parts = PurePosixPath(entry.path)
        if parts.is_absolute() or ".." in parts.parts:
            raise ModelParseError(f"{path} names a file outside of its folder: {entry.path!r}")
    return entries
