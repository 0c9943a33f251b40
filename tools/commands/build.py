"""litebridge build: compiles a model for devices ahead of time, or writes it as C."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from lite.codegen import Export
from lite.errors import ConfigError
from lite.session.predictor import create_predictor
from lite.tools.analysis.device_build import build_regions, check_folder
from lite.tools.analysis.source_build import build_source
from lite.tools.options.devices import DeviceOptions, device_options
from lite.tools.options.feeds import FeedOptions, feed_options
from lite.tools.options.model import model_config, params_option
from lite.tools.options.output import ANSWER_IS_NO, debug_option, json_option
from lite.tools.options.runs import threads_option
from lite.tools.options.source import SourceOptions, source_options
from lite.tools.terminal import print_facts, print_json, print_table


@click.command(short_help="Compile MODEL for devices, or write it as C.")
@click.argument("model", type=click.Path(path_type=Path), required=False)
@params_option
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The folder for the files; an earlier build there is replaced.",
)
@click.option(
    "--check",
    "checked",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Compare the files of an earlier build with its manifest, instead of building.",
)
@feed_options
@device_options
@source_options
@threads_option
@json_option
@debug_option
def build(
    model: Path | None,
    params: Path | None,
    out: Path | None,
    checked: Path | None,
    feed: FeedOptions,
    on: DeviceOptions,
    source: SourceOptions,
    threads: int,
    as_json: bool,
) -> None:
    """Compile the regions of MODEL for devices ahead of time, and write their models to DIR.

    \b
    Examples:
      litebridge build model_dir --shape x=2,4 --device sim_npu -o built
      litebridge build model_dir --target c --shape x=1,3,224,224 -o model_c
      litebridge build model_dir --target cortex-m --shape x=1,3,96,96 --ram 256K --flash 1M -o model_m4
      litebridge build --check earlier_build

    The devices need not run here: coreml builds packages on any system.  Each region becomes a folder with
    the vendor's own files.  manifest.json lists the regions with their ops, tensors, shapes, precision and
    the checksums of all files, and the ops that remain for the host, with the reasons; report.json is the
    whole report.  Regions are built for the shapes of the inputs; give --shape for open sizes.  With --check,
    the exit status is 3 if a file is missing, differs or is unknown.

    With --target, the whole model becomes C that needs neither Python nor a device: model.c, model.h, the
    weights, an example and a Makefile.  Shapes are fixed.  An op without C code is an error that names all of
    them, and the values up to which the model can be written.
    """
    if checked is not None:
        _check(checked, as_json)
        return
    if source.target is not None:
        if model is None or out is None:
            raise click.UsageError("--target needs MODEL and --out")
        exported = build_source(model, params, feed, source, out)
        print_json(exported.facts()) if as_json else _print_source(exported, out)
        return
    if model is None or out is None or not on.settings["devices"]:
        raise click.UsageError("give MODEL, --device or --target, and --out; or --check")
    feeds = feed.arrays(create_predictor(model_config(model, params, passes=[])))
    shapes = {name: array.shape for name, array in feeds.items()}
    if on.settings["isolate"]:
        raise ConfigError("--isolate: build compiles in this process, which reads the vendor's files")
    config = model_config(model, params, threads=threads, input_shapes=shapes, **on.settings)
    manifest = build_regions(create_predictor(config), feeds, out)
    if as_json:
        print_json(manifest)
    else:
        _print(manifest, out)


def _print_source(exported: Export, folder: Path) -> None:
    rows = [
        [kind, each.name, str(each.dtype), "×".join(map(str, each.shape))]
        for kind, arguments in (("input", exported.inputs), ("output", exported.outputs))
        for each in arguments
    ]
    print_table(["argument", "name", "type", "shape"], rows)
    facts = exported.facts()
    print_facts({"arena bytes": facts["arena"], "weights bytes": facts["weights"], "steps": facts["steps"]})
    print_facts({"written": folder / "README.md"})


def _check(folder: Path, as_json: bool) -> None:
    result = check_folder(folder)
    if as_json:
        print_json(vars(result))
    else:
        for problem in result.problems:
            click.echo(problem)
        whole = "all as in the manifest" if not result.problems else f"{len(result.problems)} problems"
        click.echo(f"{folder}: {result.files} files, {whole}")
    if result.problems:
        click.get_current_context().exit(ANSWER_IS_NO)


def _print(manifest: Mapping[str, Any], folder: Path) -> None:
    rows = [
        [
            region["name"],
            region["device"],
            region["precision"],
            len(region["ops"]),
            len(region["files"]),
            sum(each["bytes"] for each in region["files"]),
            region["reason"] or region["state"],
        ]
        for region in manifest["regions"]
    ]
    print_table(["region", "device", "precision", "ops", "files", "bytes", "on this machine"], rows)
    print_facts({"ops for the host": len(manifest["host"]), "written": folder / "manifest.json"})
