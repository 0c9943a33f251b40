"""litebridge opt: take a model through the passes and see what each did."""

from __future__ import annotations

import dataclasses
import difflib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from lite.io.load import load_program
from lite.io.save import save_program
from lite.ir.graph import Graph
from lite.ir.lower import lower_graph
from lite.ir.text import print_graph
from lite.ir.types import HOST, Shape
from lite.passes.aliases import resolve
from lite.passes.base import Pass
from lite.passes.manager import PassManager, PassRecord
from lite.session.build import optimize
from lite.spec.grammar import value_text
from lite.tools.parameters import (
    by_name,
    debug_option,
    json_option,
    model_argument,
    model_config,
    named_dims,
    passes_option,
)
from lite.tools.pass_list import check_listed, full_list
from lite.tools.pictures import new_pictures, pictures_in, with_pictures
from lite.tools.terminal import print_json, print_table, progress

ALL = "all"
LOADED = "loaded"
"""The step of `--diff` before all passes."""


@dataclass(frozen=True)
class Snapshot:
    """The graph's text before or after a pass."""

    when: str
    name: str
    text: str


@dataclass
class Watcher:
    """Follows a graph through the passes: counts its ops, keeps the texts that are wanted."""

    before: Collection[str]
    after: Collection[str]
    dump_dir: Path | None
    steps: Collection[str] = ()
    """Steps whose text is kept: `LOADED`, and passes (where one runs several times, its last)."""
    advance: Callable[[], None] = lambda: None
    snapshots: list[Snapshot] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    written: list[Path] = field(default_factory=list)
    first_ops: Mapping[str, int] = field(default_factory=dict)
    last_ops: Mapping[str, int] = field(default_factory=dict)
    _last_text: str = ""

    def __call__(self, name: str, graph: Graph, index: int, seconds: float, changed: bool) -> None:
        """Look at the graph behind a pass, or before all of them (index -1)."""
        wanted = self.before or self.after or self.dump_dir or self.steps
        text = self._text(graph) if wanted else ""
        if (name or LOADED) in self.steps:
            self.texts[name or LOADED] = text
        if name in self.before:
            self.snapshots.append(Snapshot("before", name, self._last_text))
        if name and (name in self.after or ALL in self.after):
            self.snapshots.append(Snapshot("after", name, text))
        if self.dump_dir is not None and (changed or index < 0):
            self._dump(f"{index + 1:02d}_{name or 'start'}.txt", text)
        self._last_text = text
        self.last_ops = Counter(node.op for each in graph.walk() for node in each)
        if index < 0:
            self.first_ops = self.last_ops
        else:
            self.advance()

    def _text(self, graph: Graph) -> str:
        return print_graph(graph).rstrip("\n") + "\n"

    def _dump(self, name: str, text: str) -> None:
        if self.dump_dir is not None:
            self.dump_dir.mkdir(parents=True, exist_ok=True)
            self.written.append(self.dump_dir / name)
            self.written[-1].write_text(text, encoding="utf-8")


@click.command(short_help="Show what each pass does to MODEL.")
@model_argument
@passes_option
@click.option(
    "--print-before", "before", multiple=True, metavar="PASS", help="Print the graph as this pass finds it."
)
@click.option(
    "--print-after",
    "after",
    multiple=True,
    metavar="PASS|all",
    help="Print the graph as this pass, or every pass, leaves it.",
)
@click.option(
    "--save",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write the optimised model in Paddle's format; it loads and runs like the original.",
)
@click.option(
    "--dump",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write the graph as text: as loaded, and behind each pass that changed it.",
)
@click.option(
    "--diff",
    "steps",
    nargs=2,
    metavar="STEP STEP",
    help="Print what changed in the text between two steps: passes, or 'loaded'.",
)
@click.option(
    "--dot",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Draw the graph as loaded and as optimised; see also `litebridge visualize`.",
)
@click.option(
    "--input-shape",
    "shapes",
    type=named_dims,
    metavar="NAME=1,3,224,?",
    multiple=True,
    help="Promise the shape of an input, so that what depends on it is folded.",
)
@click.option("--show-passes", is_flag=True, help="Only show the list of passes that would run.")
@json_option
@debug_option
def opt(
    model: Path,
    params: Path | None,
    passes: list[str] | None,
    before: tuple[str, ...],
    after: tuple[str, ...],
    save: Path | None,
    dump: Path | None,
    steps: tuple[str, str] | None,
    dot: Path | None,
    shapes: tuple[tuple[str, Shape], ...],
    show_passes: bool,
    as_json: bool,
) -> None:
    """Take MODEL through the passes: what each did, in which time, and what is left.

    \b
    Examples:
      litebridge opt model_dir
      litebridge opt model_dir --input-shape x=1,4 --save optimised
      litebridge opt model_dir --print-before fc_fuse_pass --print-after fc_fuse_pass
      litebridge opt model_dir --diff loaded canonicalize_pass
      litebridge opt model_dir -p "conv_bn_fuse_pass,graph_visualize_pass{svg=false}" --dot pictures
      litebridge opt model_dir -p "lite_conv_bn_fuse_pass" --show-passes

    The first table has one line per pass: whether it changed the graph, how many ops there were
    before and after it (with those of nested blocks), and milliseconds.  The second counts ops by
    type, as loaded and as optimised.  Printed graphs are in the engine's text form, which parses
    back; a comment says which pass it is.
    """
    specs = full_list(passes)
    if show_passes:
        _show_passes(specs, as_json)
        return
    wanted_before = check_listed(before, specs)
    wanted_after = [ALL] if ALL in after else check_listed(after, specs)
    compared = check_listed([step for step in steps or () if step != LOADED], specs)
    if dot is not None:
        specs = with_pictures(specs, (), at_end=True)
    config = model_config(
        model, params, passes=specs, input_shapes=by_name("--input-shape", shapes), dot_dir=dot
    )
    if save is not None:
        # What is saved is said for the host: whoever loads it picks kernels and their layouts anew.
        config = dataclasses.replace(config, valid_places=[HOST])
    program = load_program(config)
    old = {} if dot is None else pictures_in(dot)
    watcher = Watcher(wanted_before, wanted_after, dump, (LOADED, *compared) if steps else ())
    with progress(len(specs), "optimising") as watcher.advance:
        optimized = optimize(program, config, watcher)
    if save is not None:
        watcher.written += save_program(lower_graph(optimized.graph, like=program), save)
    if dot is not None:
        watcher.written += new_pictures(dot, old)
    if as_json:
        print_json(
            {
                "passes": optimized.records,
                "ops": {"before": watcher.first_ops, "after": watcher.last_ops},
                "graphs": watcher.snapshots,
                "diff": _difference(watcher, steps),
                "written": watcher.written,
            }
        )
    else:
        click.echo(_difference(watcher, steps), nl=False)
        _print(optimized.records, watcher)


def _difference(watcher: Watcher, steps: tuple[str, str] | None) -> str:
    """A unified diff of the graph's text at two steps; empty where it is the same or nothing was asked."""
    if steps is None:
        return ""
    first, second = (resolve(step) if step != LOADED else step for step in steps)
    before, after = (watcher.texts[step].splitlines(keepends=True) for step in (first, second))
    return "".join(difflib.unified_diff(before, after, first, second, n=1))


def _show_passes(specs: Sequence[str], as_json: bool) -> None:
    # Making the passes checks their names and options.
    items = PassManager(specs, strict_order=False).passes
    rows = [(item.name, _options(item)) for item in items]
    if as_json:
        print_json({"passes": [{"name": name, "options": options} for name, options in rows]})
        return
    lines = [
        (number, name, ", ".join(f"{key}={text}" for key, text in options.items()))
        for number, (name, options) in enumerate(rows)
    ]
    print_table(("number", "pass", "options"), lines)


def _options(item: Pass) -> dict[str, str]:
    values = {field.name: getattr(item, field.name) for field in dataclasses.fields(item)}
    return {
        name: value_text(str(value) if isinstance(value, Path) else value) for name, value in values.items()
    }


def _print(records: Sequence[PassRecord], watcher: Watcher) -> None:
    for snapshot in watcher.snapshots:
        click.echo(f"// {snapshot.when} {snapshot.name}\n{snapshot.text}")
    rows = [
        (number, each.name, each.changed, each.ops_before, each.ops_after, round(each.seconds * 1e3, 3))
        for number, each in enumerate(records)
    ]
    print_table(("number", "pass", "changed", "ops before", "ops after", "ms"), rows, "passes")
    types = sorted({*watcher.first_ops, *watcher.last_ops})
    counts = [(name, watcher.first_ops.get(name, 0), watcher.last_ops.get(name, 0)) for name in types]
    print_table(("type", "as loaded", "optimised"), counts, "\nops by type")
    for path in watcher.written:
        click.echo(f"wrote {path}")
