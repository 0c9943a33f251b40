"""The list of passes that a command runs, with pictures and checks of names."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lite.errors import ConfigError, suggest
from lite.passes.aliases import resolve
from lite.passes.pipelines import complete, default_pipeline
from lite.passes.spec import parse_spec

PICTURE = "graph_visualize_pass"


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


def with_pictures(specs: Sequence[str], after: Collection[str], at_end: bool) -> list[str]:
    """`specs` with `PICTURE` in front, behind each pass of `after` and, if wanted, at the end.

    Raises `ConfigError` for a name in `after` that the list has not.
    """
    wanted = check_listed(after, specs)
    pictured = [PICTURE]
    for spec in specs:
        pictured.append(spec)
        if our_name(spec) in wanted:
            pictured.append(PICTURE)
    return [*pictured, PICTURE] if at_end and pictured[-1] != PICTURE else pictured
