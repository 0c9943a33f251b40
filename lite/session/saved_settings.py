"""The settings of an artifact: those of the Config that it was built with, for a start without own ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lite.config import Config
from lite.dataclass import dataclass
from lite.errors import LiteError, ModelParseError
from lite.ir.types import DType, Layout, Place

if TYPE_CHECKING:
    from lite.cache.plan_serde import Record

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

_SPECS = ("devices", "passes")
"""The fields that are lists of names with options."""

_MOST = {"threads": 4096, "max_signatures": 1 << 16, "min_subgraph_ops": 1 << 30}
"""The largest numbers that a file may ask for."""


@dataclass(frozen=True)
class Taken:
    """A Config with the settings of an artifact, and the fields in which it differs from them."""

    config: Config
    changed: tuple[str, ...]


def settings_record(config: Config) -> Record:
    """The saved fields of a Config as JSON; `places` are the places that its kernels may have."""
    record = {name: _saved(name, getattr(config, name)) for name in SAVED}
    rules = config.partition_rules
    if rules is not None:
        from lite.subgraph.partition_rules import rules_text

        # As text with a newline, which can name no file of the machine that loads it.
        record["partition_rules"] = f"{rules_text(rules)}\n"
    return {**record, "places": _json(config.places)}


def with_settings(config: Config, record: Mapping[str, Any], source: str) -> Taken:
    """A Config with the saved settings in place of its defaults; raises `ModelParseError`."""
    defaults = {field.name: field.default for field in dataclasses.fields(Config)}
    defaults["input_shapes"] = {}
    changed = [
        name
        for name in PLANNED
        if getattr(config, name) != defaults[name] and _saved(name, getattr(config, name)) != record.get(name)
    ]
    changed += ["recipe"] if config.recipe is not None else []
    unset = [name for name in SAVED if getattr(config, name) == defaults[name] and name in record]
    try:
        taken = {name: _field(name, record[name]) for name in unset}
        config = dataclasses.replace(config, **taken)
    except (LiteError, TypeError, ValueError, LookupError, AttributeError) as error:
        raise ModelParseError(f"{source}: the settings in meta.json are not valid: {error}") from error
    if not changed and _json(config.places) != record.get("places"):
        changed.append("valid_places")
    return Taken(config, tuple(changed))


def _saved(name: str, value: Any) -> Any:
    """The value of a field as it is saved."""
    if name in _SPECS and value:
        from lite.session.local_options import without_local_options  # imports what devices need

        return [without_local_options(text) for text in value]
    return _json(value)


def _json(value: Any) -> Any:
    """The value as JSON reads it back."""
    if isinstance(value, Place):
        return [value.target, None if value.dtype is None else value.dtype.label, str(value.layout)]
    if isinstance(value, tuple | list):
        return [_json(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _json(item) for name, item in value.items()}
    return value


def _field(name: str, record: Any) -> Any:
    """The value of a saved field."""
    if name == "valid_places" and record is not None:
        return [each if isinstance(each, str) else _place(*each) for each in record]
    if name == "partition_rules" and record is not None and "\n" not in str(record):
        raise ValueError("partition_rules: expected lines, got the name of a file")
    if name in _SPECS and record:
        from lite.session.local_options import check_portable

        for text in record:
            check_portable(text)
    if name in _MOST and not (type(record) is int and record <= _MOST[name]):
        raise ValueError(f"{name}: expected a number up to {_MOST[name]}, got {record!r}")
    return record


def _place(target: str, dtype: str | None, layout: str) -> Place:
    return Place(str(target), None if dtype is None else DType.from_name(dtype), Layout(layout))
