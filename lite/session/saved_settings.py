"""The settings of an artifact: those of the Config that it was built with, for a start without own ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lite.cache.plan_serde import Record
from lite.config import Config
from lite.errors import ConfigError, ModelParseError
from lite.ir.types import DType, Layout, Place
from lite.subgraph.partition_rules import rules_text

PLANNED = (
    "devices",
    "valid_places",
    "passes",
    "keep",
    "input_shapes",
    "precision",
    "memory",
    "min_subgraph_ops",
    "placement",
    "partition_rules",
)
"""The fields of a Config that decide about the plan."""

SAVED = (*PLANNED, "threads", "max_signatures")
"""The fields that a Config takes from an artifact where it leaves them at their defaults."""


@dataclass(frozen=True)
class Taken:
    """A Config with the settings of an artifact, and the fields in which it differs from them."""

    config: Config
    changed: tuple[str, ...]


def settings_record(config: Config) -> Record:
    """The saved fields of a Config as JSON; `places` are the places that its kernels may have."""
    record = {name: _json(getattr(config, name)) for name in SAVED}
    rules = config.partition_rules
    if rules is not None:
        # As text with a newline, which can name no file of the machine that loads it.
        record["partition_rules"] = f"{rules_text(rules)}\n"
    return {**record, "places": _json(config.places)}


def with_settings(config: Config, record: Mapping[str, Any], source: str) -> Taken:
    """A Config with the saved settings in place of its defaults; raises `ModelParseError`."""
    defaults = {field.name: field.default for field in dataclasses.fields(Config)}
    defaults["input_shapes"] = {}
    taken: dict[str, Any] = {}
    changed = []
    for name in SAVED:
        own = getattr(config, name)
        if own == defaults[name]:
            taken[name] = _places(record.get(name)) if name == "valid_places" else record.get(name, own)
        elif name in PLANNED and _json(own) != record.get(name):
            changed.append(name)
    changed += ["recipe"] if config.recipe is not None else []
    try:
        taken["input_shapes"] = dict(taken.get("input_shapes", config.input_shapes))
        config = dataclasses.replace(config, **taken)
    except (ConfigError, TypeError, ValueError, KeyError, AttributeError) as error:
        raise ModelParseError(f"{source}: the settings in meta.json are not valid: {error}") from error
    if not changed and _json(config.places) != record.get("places"):
        changed.append("valid_places")
    return Taken(config, tuple(changed))


def _json(value: Any) -> Any:
    """The value as JSON reads it back."""
    if isinstance(value, Place):
        return [value.target, None if value.dtype is None else value.dtype.label, str(value.layout)]
    if isinstance(value, tuple | list):
        return [_json(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _json(item) for name, item in value.items()}
    return value


def _places(record: Any) -> list[Place | str] | None:
    if record is None:
        return None
    return [
        each
        if isinstance(each, str)
        else Place(str(each[0]), None if each[1] is None else DType.from_name(each[1]), Layout(each[2]))
        for each in record
    ]
