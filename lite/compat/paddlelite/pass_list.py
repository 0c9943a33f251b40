"""The list of passes that a CxxConfig asks for."""

from __future__ import annotations

from collections.abc import Sequence

from lite.compat.paddlelite.notice import warn_once
from lite.errors import ConfigError
from lite.passes.aliases import is_unneeded
from lite.passes.pipelines import DEFAULT, remove


def pass_list(added: Sequence[str], discarded: Sequence[str]) -> list[str] | None:
    """The default passes and behind them the `added` ones, less the first of each of the `discarded`.

    None where nothing was added or discarded.  The passes that make the plan stay behind all of these,
    and cannot be discarded.
    """
    if not added and not discarded:
        return None
    names = [*DEFAULT, *added]
    for name in discarded:
        if is_unneeded(name):
            continue
        try:
            names = remove(names, name, first_only=True)
        except ConfigError:
            warn_once(
                f"add_discarded_pass({name!r})", f"the list has no such pass; it has {', '.join(names)}"
            )
    return names
