"""A model from an artifact; where a part of it does not fit this machine, that part is made again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from lite.artifact.artifact import Artifact
from lite.artifact.meta import PLAN_VERSION
from lite.config import Config
from lite.ir.limits import Limits
from lite.plugin.format import file_mapping
from lite.session.built import Prepared
from lite.session.input_record import inputs_of
from lite.session.loaded_files import LoadedFiles, loaded_files
from lite.session.saved_settings import with_settings
from lite.version import VERSION

if TYPE_CHECKING:
    from lite.session.built import Built


def load_artifact(config: Config) -> Built | Prepared:
    """The planned model of a Config that names an artifact, with the Config that results.

    A setting that the Config leaves at its default is the artifact's.  Where the plan does not fit, the
    origin program is optimised again.  Everything that is made again is a warning of the report and of the
    log.  Where runs are stored, the plan is loaded when it is needed.  Raises `ModelParseError` for a damaged
    artifact, and for one that has no origin where it is needed.
    """
    paths = [] if config.source.path is None else [str(config.source.path)]
    with file_mapping(config.mapping):
        artifact = Artifact.open(config.source, config.limits)
    files = loaded_files(config.mapping, paths)
    taken = with_settings(config, artifact.meta.settings, artifact.container.source)
    config, notes = _without_missing_devices(taken.config)
    reasons = [*notes, *_other_version(artifact), *(f"the Config sets {name}" for name in taken.changed)]
    if config.debug or config.dot_dir is not None:
        reasons.append("the Config asks for debugging")

    def built() -> Built:
        from lite.session.artifact_plan import artifact_plan

        return replace(artifact_plan(artifact, config, reasons), files=files)

    prepared = None if reasons or config.devices else _prepared(artifact, config, files, built)
    return built() if prepared is None else prepared


def _prepared(
    artifact: Artifact, config: Config, files: LoadedFiles, built: Callable[[], Built]
) -> Prepared | None:
    """The model by its stored runs; None where there are none for this process, or for these threads.

    Limits of a run are checked when a plan is bound, so other limits than those by default need the plan.
    """
    stored = artifact.runs() if config.limits == Limits() else None
    if stored is None or stored.threads != config.threads:
        return None
    first = stored.runs[0].restored()
    if first is None:
        return None
    inputs, outputs = inputs_of(stored.record), stored.record["outputs"]
    return Prepared(inputs, outputs, stored.runs, first, built, config, artifact, files)


def _other_version(artifact: Artifact) -> list[str]:
    producer = artifact.meta.producer
    if not artifact.has_plan:
        return ["it has no plan"]
    if producer.get("litebridge") == VERSION and producer.get("plan") == PLAN_VERSION:
        return []
    return [f"litebridge {producer.get('litebridge')} planned it, this is {VERSION}"]


def _without_missing_devices(config: Config) -> tuple[Config, list[str]]:
    """The Config without devices that are not installed, and a sentence for each of these."""
    if not config.devices:
        return config, []
    from lite.plugin.device import DEVICES
    from lite.plugin.loader import load_devices
    from lite.spec.grammar import parse_spec

    kept, notes = [], []
    for text in config.devices:
        name = parse_spec(text).name
        load_devices(name)
        if name in DEVICES or config.fallback == "error":
            kept.append(text)
        else:
            notes.append(f"device {name} is not installed")
    return (config if not notes else replace(config, devices=kept)), notes
