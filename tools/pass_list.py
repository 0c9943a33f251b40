"""The list of passes that a command runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lite.errors import ConfigError, suggest
from lite.passes.aliases import resolve
from lite.passes.pipelines import complete, default_pipeline
from lite.spec.grammar import parse_spec


def full_list(passes: Sequence[str] | None) -> list[str]:
    """The user's list with the mandatory passes, or the default one."""
    return default_pipeline() if passes is None else complete(passes)


def our_name(spec: str) -> str:
    """Our name of the pass that a spec names."""
    return resolve(parse_spec(spec).name)


def check_listed(names: Collection[str], specs: Sequence[str]) -> list[str]:
    """Our names of passes that the list has; raises `ConfigError` for one that it has not."""
    listed = [our_name(spec) for spec in specs]
    for name in names:
        if resolve(name) not in listed:
            raise ConfigError(
                f"no pass {name!r} is in the list{suggest(name, listed)}; the list: {', '.join(listed)}"
            )
    return [resolve(name) for name in names]
