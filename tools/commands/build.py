"""litebridge build: writes an artifact of a model or its C code, or compiles it for devices ahead of time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from lite.artifact.sniff import SUFFIX
from lite.codegen import Export
from lite.errors import ConfigError
from lite.session.predictor import create_predictor
from lite.session.save_artifact import Saved
from lite.tools.analysis.artifact_build import build_artifact, signatures_of
from lite.tools.analysis.device_build import build_regions, check_folder
from lite.tools.analysis.source_build import build_source
from lite.tools.options.devices import DeviceOptions, device_options
from lite.tools.options.feeds import FeedOptions, feed_options
from lite.tools.options.model import model_config, params_option
from lite.tools.options.output import ANSWER_IS_NO, debug_option, json_option
from lite.tools.options.runs import threads_option
from lite.tools.options.source import SourceOptions, source_options
from lite.tools.terminal import print_facts, print_json, print_table, working


@click.command(short_help="Write MODEL as an artifact, as C, or for devices.")
@click.argument("model", type=click.Path(path_type=Path), required=False)
@params_option
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE.lbm|DIR",
    help="An artifact, or a folder for the vendor's files; an earlier build there is replaced.",
)
@click.option(
    "--check",
    "checked",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Compare the files of an earlier build with its manifest, instead of building.",
)
@click.option(
    "--fix-shapes", is_flag=True, help="Artifact: specialise the model for --shape; it refuses other shapes."
)
@click.option(
    "--no-origin",
    is_flag=True,
    help="Artifact: leave out the model before optimisation, which is the fallback.",
)
@click.option(
    "--compress", is_flag=True, help="Artifact: compress the weights; each start then takes longer."
)
@click.option("--licence", default="", metavar="TEXT", help="Artifact: the licence of the model.")
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
    fix_shapes: bool,
    no_origin: bool,
    compress: bool,
    licence: str,
    feed: FeedOptions,
    on: DeviceOptions,
    source: SourceOptions,
    threads: int,
    as_json: bool,
) -> None:
    """Write MODEL as an artifact that starts at once, or the models of its regions for devices to a folder.

    \b
    Examples:
      litebridge build model_dir -o model.lbm
      litebridge build model_dir --shape x=1,4 --shape x=8,4 -o model.lbm
      litebridge build model_dir --shape x=2,4 --device sim_npu -o built
      litebridge build model_dir --target c --shape x=2,4 -o model_c
      litebridge build model_dir --target cortex-m --shape x=2,4 \\
          --ram 256K --flash 1M -o model_m4
      litebridge build model_dir --target shared --shape x=2,4 -o model_so
      litebridge build --check earlier_build

    An artifact (.lbm) has the optimised plan, the weights as kernels and devices need them, the compiled
    models of devices, and the model itself for machines where a part does not fit.  It loads without the
    source format and without optimising.  Weights are packed and device models compiled for the shapes given;
    repeat --shape of an input for further sets.  Other shapes work, too, and take longer at first.

    With a folder, the regions are compiled for --device into the vendor's own files.  The devices need not
    run here: coreml builds packages on any system.  Each region becomes a folder with the vendor's own files.
    manifest.json lists the regions with their ops, tensors, shapes, precision and the checksums of all files,
    and the ops that remain for the host, with the reasons; report.json is the whole report.  Regions are
    built for the shapes of the inputs; give --shape for open sizes.  With --check, the exit status is 3 if a
    file is missing, differs or is unknown.

    With --target, the whole model becomes C that needs neither Python nor a device: model.c, model.h, the
    weights, an example and a Makefile.  Shapes are fixed.  An op without C code is an error that names all of
    them, and the values up to which the model can be written.  --target shared also compiles it for this
    machine, into a library whose functions are the same for every model.
    """
    if checked is not None:
        _check(checked, as_json)
        return
    if source.target is not None:
        if model is None or out is None:
            raise click.UsageError("--target needs MODEL and --out")
        with working("writing C"):
            exported = build_source(model, params, feed, source, out)
        print_json(exported.facts()) if as_json else _print_source(exported, out)
        return
    if model is not None and out is not None and out.suffix == SUFFIX:
        signatures = signatures_of(feed.shapes)
        if fix_shapes and len(signatures) != 1:
            raise click.UsageError("--fix-shapes needs one set of shapes")
        fixed = {"input_shapes": signatures[0]} if fix_shapes else {}
        config = model_config(model, params, threads=threads, **on.settings, **fixed)
        with working("building"):
            saved = build_artifact(
                config, out, feed, signatures, origin=not no_origin, licence=licence, compress=compress
            )
        print_json(vars(saved)) if as_json else _print_saved(saved)
        return
    if model is None or out is None or not on.settings["devices"]:
        raise click.UsageError(
            f"give MODEL and --out FILE{SUFFIX}, or MODEL, --device or --target, and --out DIR; or --check"
        )
    if fix_shapes or no_origin or compress or licence:
        raise click.UsageError(
            f"--fix-shapes, --no-origin, --compress and --licence are for --out FILE{SUFFIX}"
        )
    with working("loading"):
        feeds = feed.arrays(create_predictor(model_config(model, params, passes=[])))
    shapes = {name: array.shape for name, array in feeds.items()}
    if on.settings["isolate"]:
        raise ConfigError("--isolate: build compiles in this process, which reads the vendor's files")
    config = model_config(model, params, threads=threads, input_shapes=shapes, **on.settings)
    with working("building"):
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
    for text in exported.stripes:
        print_facts({"in stripes": text})
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


def _print_saved(saved: Saved) -> None:
    print_table(["member", "bytes"], list(saved.members.items()))
    print_facts({"written": saved.path, "bytes": saved.bytes, "notes": "; ".join(saved.notes) or "none"})


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
