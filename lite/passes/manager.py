"""PassManager: runs a list of passes on a graph."""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable, Sequence

from lite.dataclass import dataclass
from lite.errors import CompileError, ConfigError, LiteError, PassError, suggest
from lite.ir.graph import Graph
from lite.passes.aliases import is_unneeded, known_names, resolve
from lite.passes.base import Outcome, Pass, PassContext, Retry
from lite.passes.registry import PASSES, is_pass, make_pass, pass_files
from lite.passes.value_types import ValueTypes
from lite.spec.grammar import Spec, parse_spec

AfterEach = Callable[[str, Graph, int, float, bool], None]
"""Called after each pass with its name, the graph, its number from 0, its time in seconds, and whether
it changed the graph."""

MAX_RETRIES = 5
"""How often a pass may run again on one graph."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PassRecord:
    """The time and effect of one pass; the numbers of ops include nested blocks."""

    name: str
    changed: bool
    seconds: float
    ops_before: int
    ops_after: int


class PassManager:
    """The passes that `specs` name, in that order.

    Names of Paddle-Lite are resolved; those that are not needed here are skipped with one line in the
    log.  With `debug`, the graph is verified after each pass that changed it: it keeps the rules of the IR,
    and values keep their dtypes and shapes.  A pass that comes before one of its `Pass.after` is an error
    or, with ``strict_order=False``, a warning.

    Raises `ConfigError` for a spec that cannot be parsed, an unknown pass or a wrong option, and
    `PassError` for the order.
    """

    def __init__(
        self,
        specs: Sequence[str],
        *,
        debug: bool = False,
        after_each: AfterEach | None = None,
        strict_order: bool = True,
    ) -> None:
        self._debug = debug
        self._after_each = after_each
        self._listed, skipped, problems = _checked(tuple(specs), PASSES.changes)
        if skipped:
            log.info("passes of Paddle-Lite that are not needed here are skipped: %s", ", ".join(skipped))
        for problem in problems:
            if strict_order:
                raise PassError(problem)
            log.warning(problem)

    @property
    def passes(self) -> list[Pass]:
        """The passes in order; those that no run needed so far are imported."""
        return [listed.made() for listed in self._listed]

    def run(self, graph: Graph, ctx: PassContext) -> list[PassRecord]:
        """Run every pass that applies to the targets of the context and to the ops of the program.

        Raises `PassError` for a pass that fails, and `CompileError` for a device that fails.
        """
        targets = {place.target for place in ctx.valid_places}
        records: list[PassRecord] = []
        graphs = list(graph.walk())
        total = 0.0
        ops, count = _ops(graphs), _count(graphs)
        types = ValueTypes(graph) if self._debug else None
        for listed in self._listed:
            name = listed.spec.name
            if listed.targets and targets.isdisjoint(listed.targets):
                log.debug("%s is skipped: it is for %s", name, "/".join(listed.targets))
                continue
            before, seconds, changed = count, 0.0, False
            if not listed.needs or not ops.isdisjoint(listed.needs):
                seconds, changed = _run_one(listed.made(), graphs, ctx, types)
                total += seconds
                ctx.limits.check("plan_seconds", total, f"the time for all passes up to {name}")
            if changed:
                graphs = list(graph.walk())
                ops, count = _ops(graphs), _count(graphs)
                types = ValueTypes(graph) if self._debug else None
            record = PassRecord(name, changed, seconds, before, count)
            if self._after_each is not None:
                self._after_each(name, graph, len(records), record.seconds, record.changed)
            records.append(record)
            ctx.results.history.append(name)
        return records


@dataclass(frozen=True)
class _Listed:
    """A pass of the list, and what is known about it before its file is imported."""

    spec: Spec
    after: tuple[str, ...]
    targets: tuple[str, ...]
    needs: tuple[str, ...]

    def made(self) -> Pass:
        """A new pass, imported if it was not needed so far."""
        return make_pass(self.spec)


@functools.lru_cache(maxsize=32)
def _checked(specs: tuple[str, ...], _: int) -> tuple[Sequence[_Listed], Sequence[str], Sequence[str]]:
    """The passes of a list, the names that are skipped, and what is wrong with the order.

    They are remembered, as most predictors of a process have the same list; the number of changes of the
    registry of passes is a part of the key.
    """
    passes: list[_Listed] = []
    skipped: list[str] = []
    for text in specs:
        spec = parse_spec(text)
        if is_unneeded(spec.name):
            skipped.append(spec.name)
            continue
        name = resolve(spec.name)
        if not is_pass(name):
            raise ConfigError(
                f"no pass is called {spec.name!r}{suggest(spec.name, known_names())}; "
                "litebridge passes lists them"
            )
        passes.append(_entry(Spec(name, spec.options)))
    return passes, skipped, _order_problems(passes)


def _entry(spec: Spec) -> _Listed:
    file = pass_files().get(spec.name)
    if file is not None and file.needs and not spec.options:
        return _Listed(spec, file.after, file.targets, file.needs)
    item = make_pass(spec)
    return _Listed(spec, item.after, item.targets, item.needs)


def _run_one(
    item: Pass, graphs: Sequence[Graph], ctx: PassContext, types: ValueTypes | None
) -> tuple[float, bool]:
    """The time that a pass takes on a graph and its nested graphs, and whether it changed one of them.

    With the types of values before the pass, a graph that it changed is verified.
    """
    try:
        start = time.perf_counter()
        changed = _apply(item, graphs, ctx)
        seconds = time.perf_counter() - start
        if changed and types is not None:
            # Imported here because it also imports the text form of graphs.
            from lite.ir.verify import verify

            verify(graphs[0])
            types.check(graphs[0])
    except CompileError:
        # A device failed, not the pass; the device boundary has named it already.
        raise
    except (LiteError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        earlier = f" after {', '.join(ctx.results.history)}" if ctx.results.history else ""
        raise PassError(f"pass {item.name} failed{earlier}: {_sentence(error)}") from error
    return seconds, changed


def _order_problems(passes: Sequence[_Listed]) -> list[str]:
    first: dict[str, int] = {}
    for index, listed in enumerate(passes):
        first.setdefault(listed.spec.name, index)
    return [
        f"pass {passes[index].spec.name} must come after {earlier}, which the list has later"
        for index in sorted(first.values())
        for earlier in passes[index].after
        if first.get(earlier, -1) > index
    ]


def _ops(graphs: Sequence[Graph]) -> set[str]:
    return {node.op for graph in graphs for node in graph}


def _apply(item: Pass, graphs: Sequence[Graph], ctx: PassContext) -> bool:
    chosen = graphs[:1] if item.whole_program else graphs[::-1]
    changes = [_apply_until_done(item, each, ctx) for each in chosen]
    return any(changes)


def _apply_until_done(item: Pass, graph: Graph, ctx: PassContext) -> bool:
    reason = ""
    for attempt in range(MAX_RETRIES + 1):
        result = item.run(graph, ctx)
        if not isinstance(result, Retry):
            return attempt > 0 or result is Outcome.CHANGED
        reason = result.reason
    raise PassError(f"it asked to run again more than {MAX_RETRIES} times on {graph.name}: {reason}")


def _count(graphs: Sequence[Graph]) -> int:
    return sum(len(each) for each in graphs)


def _sentence(error: Exception) -> str:
    return str(error) if isinstance(error, LiteError) else f"{type(error).__name__}: {error}"
