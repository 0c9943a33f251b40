"""litebridge opt: runs the passes on a model and shows what each one changes."""

from __future__ import annotations

import dataclasses
import difflib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from pathlib import Path

import click

from lite.dataclass import dataclass
from lite.io.load import load_program
from lite.io.save import save_program
from lite.ir.graph import Graph
from lite.ir.lower import lower_graph
from lite.ir.text import print_graph
from lite.ir.types import HOST, Shape
from lite.passes.aliases import resolve
from lite.passes.base import Pass
from lite.passes.manager import PassManager, PassRecord
from lite.passes.quantize.restore_quantization_pass import restore
from lite.session.build import optimize
from lite.session.save_artifact import save_artifact
from lite.spec.grammar import value_text
from lite.tools.options.model import input_shape_option, model_argument, model_config
from lite.tools.options.output import debug_option, json_option
from lite.tools.options.passes import check_listed, full_list, passes_option
from lite.tools.options.values import by_name
from lite.tools.pictures import new_pictures, pictures_in, with_pictures
from lite.tools.terminal import line_width, print_json, print_table, print_text, progress, working

ALL = "all"
PROTOBUF, ARTIFACT = "protobuf", "lbm"
"""What the optimised model is written as, by Paddle-Lite's names where it has them."""
LOADED = "loaded"
"""The name of the step before all passes, for `--diff`."""


@dataclass(frozen=True)
class Snapshot:
    """The text of the graph before or after a pass."""

    when: str
    name: str
    text: str


@dataclass
class Watcher:
    """Follows a graph through the passes: counts its ops, and keeps and dumps its text."""

    before: Collection[str]
    after: Collection[str]
    dump_dir: Path | None
    steps: Collection[str] = ()
    """Steps whose text is kept: `LOADED` and passes (the last occurrence of each)."""
    advance: Callable[[], None] = lambda: None
    snapshots: list[Snapshot] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    written: list[Path] = field(default_factory=list)
    first_ops: Mapping[str, int] = field(default_factory=dict)
    last_ops: Mapping[str, int] = field(default_factory=dict)
    _last_text: str = ""

    def __call__(self, name: str, graph: Graph, index: int, seconds: float, changed: bool) -> None:
        """Look at the graph after a pass, or before all passes (index -1)."""
        needs_text = self.before or self.after or self.dump_dir or self.steps
        text = print_graph(graph).rstrip("\n") + "\n" if needs_text else ""
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

    def _dump(self, name: str, text: str) -> None:
        if self.dump_dir is not None:
            self.dump_dir.mkdir(parents=True, exist_ok=True)
            self.written.append(self.dump_dir / name)
            self.written[-1].write_text(text, encoding="utf-8")


@click.command(short_help="Show what each pass changes in MODEL.")
@model_argument
@passes_option
@click.option(
    "--print-before", "before", multiple=True, metavar="PASS", help="Print the graph before this pass."
)
@click.option(
    "--print-after",
    "after",
    multiple=True,
    metavar="PASS|all",
    help="Print the graph after this pass, or after each pass.",
)
@click.option(
    "--save",
    type=click.Path(path_type=Path),
    metavar="DIR|FILE.lbm",
    help="Write the optimised model in Paddle's format, or as an artifact; both run like MODEL.",
)
@click.option(
    "--optimize-out-type",
    "out_type",
    type=click.Choice([PROTOBUF, ARTIFACT]),
    help="What --save writes; by default an artifact for a name that ends with .lbm.",
)
@click.option(
    "--dump",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write the text of the graph as loaded and after each pass that changed it.",
)
@click.option(
    "--diff",
    "steps",
    nargs=2,
    metavar="STEP STEP",
    help="Print the difference of the graph's text between two steps: passes, or 'loaded'.",
)
@click.option(
    "--dot",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Draw the graph as loaded and as optimised.  `litebridge visualize` can do more.",
)
@input_shape_option("Fix the shape of an input, and fold what depends on it.")
@click.option("--show-passes", is_flag=True, help="Show the list of passes, and do not run it.")
@json_option
@debug_option
def opt(
    model: Path,
    params: Path | None,
    passes: list[str] | None,
    before: tuple[str, ...],
    after: tuple[str, ...],
    save: Path | None,
    out_type: str | None,
    dump: Path | None,
    steps: tuple[str, str] | None,
    dot: Path | None,
    input_shapes: tuple[tuple[str, Shape], ...],
    show_passes: bool,
    as_json: bool,
) -> None:
    """Run the passes on MODEL, and show the changes and the time of each.

    \b
    Examples:
      litebridge opt model_dir
      litebridge opt model_dir --input-shape x=1,4 --save optimised
      litebridge opt model_dir --save model.lbm
      litebridge opt model_dir --print-before fc_fuse_pass
      litebridge opt model_dir --diff loaded canonicalize_pass
      litebridge opt model_dir -p "fc_fuse_pass,graph_visualize_pass{svg=false}" \\
          --dot pictures
      litebridge opt model_dir -p lite_conv_bn_fuse_pass --show-passes

    The first table has a line for each pass that changed the graph, with --wide for each pass: the number of
    ops before and after it, nested blocks included, and its milliseconds.  The second table has the number of
    ops of each type, as loaded and as optimised.  Graphs are printed in litebridge's text form, after a
    comment with the name of the pass.  `litebridge build` has more options for artifacts.
    """
    if out_type is not None and save is None:
        raise click.UsageError("--optimize-out-type needs --save")
    specs = full_list(passes)
    if show_passes:
        _show_passes(specs, as_json)
        return
    print_before = check_listed(before, specs)
    print_after = [ALL] if ALL in after else check_listed(after, specs)
    compared = check_listed([step for step in steps or () if step != LOADED], specs)
    if dot is not None:
        specs = with_pictures(specs, (), at_end=True)
    config = model_config(
        model, params, passes=specs, input_shapes=by_name("--input-shape", input_shapes), dot_dir=dot
    )
    is_artifact = save is not None and (out_type or save.suffix[1:]) == ARTIFACT
    if save is not None and not is_artifact:
        # The saved model is for the host: loading it picks kernels and their layouts again.
        config = dataclasses.replace(config, valid_places=[HOST])
    with working("reading"):
        program = load_program(config)
    old = {} if dot is None else pictures_in(dot)
    watcher = Watcher(print_before, print_after, dump, (LOADED, *compared) if steps else ())
    with progress(len(specs), "optimising") as watcher.advance:
        optimized = optimize(program, config, watcher)
    if save is not None and is_artifact:
        with working("saving"):
            watcher.written.append(save_artifact(config, save).path)
    elif save is not None:
        restore(optimized.graph, regions=True)
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
    """A unified diff of the graph's text at two steps; empty without a difference or without `steps`."""
    if steps is None:
        return ""
    first, second = (resolve(step) if step != LOADED else step for step in steps)
    before, after = (watcher.texts[step].splitlines(keepends=True) for step in (first, second))
    return "".join(difflib.unified_diff(before, after, first, second, n=1))


def _show_passes(specs: Sequence[str], as_json: bool) -> None:
    # The manager checks the names and options.
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
    columns = ("number", "pass", "changed", "ops before", "ops after", "ms")
    shown = rows if line_width() is None else [row for row in rows if row[2]]
    print_table(columns, shown, "passes", drop=("number", "ops before"))
    if len(shown) < len(rows):
        ms = sum(row[5] for row in rows if not row[2])
        print_text(f"{len(rows) - len(shown)} others changed nothing, in {ms:.4g} ms (--wide shows them)")
    types = sorted({*watcher.first_ops, *watcher.last_ops})
    counts = [(name, watcher.first_ops.get(name, 0), watcher.last_ops.get(name, 0)) for name in types]
    print_table(("type", "as loaded", "optimised"), counts, "\nops by type")
    for path in watcher.written:
        click.echo(f"wrote {path}")
