"""Reads pictures with PP-OCRv4 on devices, and counts the texts that are as in float32 on the host.

python -m lite.tools.bench.ocr_texts PICTURE… --det 'qnn{precision=w8a16}' --rec qnn --quantise det
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
import numpy as np

import lite
from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.quantization.ranges import measure_ranges
from lite.tools.demo.ocr_demo import load_engine
from lite.tools.demo.ppocr_models import OcrModel, ocr_models
from lite.tools.demo.sample_image import PICTURE
from lite.tools.options.output import page_option, print_or_write
from lite.tools.terminal import progress

if TYPE_CHECKING:
    from PIL import Image

WIDTH = 320
"""The recogniser's images get a multiple of this width, so that few sizes are compiled."""

Session = Callable[[Array], list[Array]]
"""A network as RapidOCR calls it: an image, and the list of outputs."""


@dataclass(frozen=True)
class Texts:
    """The texts of a picture in float32 on the host, and on devices."""

    picture: str
    expected: tuple[str, ...]
    got: tuple[str, ...]

    @property
    def equal(self) -> int:
        """How many of the expected texts the devices read."""
        return (Counter(self.expected) & Counter(self.got)).total()

    @property
    def lost(self) -> list[str]:
        """The expected texts that the devices did not read."""
        return list((Counter(self.expected) - Counter(self.got)).elements())

    @property
    def other(self) -> list[str]:
        """The texts that only the devices read."""
        return list((Counter(self.got) - Counter(self.expected)).elements())


class Reader:
    """RapidOCR, with a detector and a recogniser that are replaced for each reading.

    `side` is the height and width of the detector's images in pixels, a multiple of 32.
    """

    def __init__(self, side: int) -> None:
        self._engine = cast(Any, load_engine(1)[0])
        self._engine.text_rec.rec_batch_num = 1
        self._engine.text_det.limit_type = "max"
        self._side = side

    def read(self, path: Path, det: Session, rec: Session) -> tuple[str, ...]:
        """The texts in a picture, from top to bottom."""
        from PIL import Image

        self._engine.text_det.infer = det
        self._engine.text_rec.session = rec
        with Image.open(path) as picture:
            pixels = squared(picture, self._side)
        lines, _ = self._engine(np.ascontiguousarray(pixels[..., ::-1]))
        return tuple(text for _, text, _ in lines or ())


def squared(picture: Image.Image, side: int) -> Array:
    """A picture as uint8[side, side, 3]: resized to fit; the rest has the colour of its border."""
    from PIL import Image, ImageOps

    upright = ImageOps.exif_transpose(picture).convert("RGBA")
    opaque = Image.alpha_composite(Image.new("RGBA", upright.size, "white"), upright).convert("RGB")
    scale = side / max(opaque.size)
    width, height = (max(1, round(length * scale)) for length in opaque.size)
    pixels = np.asarray(opaque.resize((width, height), Image.Resampling.LANCZOS))
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    result = np.empty((side, side, 3), np.uint8)
    result[:] = np.median(border, axis=0)
    result[:height, :width] = pixels
    return result


def session(config: lite.Config) -> Session:
    """A network by litebridge; its images get a multiple of `WIDTH` as their width."""
    predictor = lite.create_predictor(config)
    (name,) = predictor.input_names

    def run(image: Array) -> list[Array]:
        missing = -image.shape[-1] % WIDTH if image.shape[-2] < WIDTH else 0
        padded = np.pad(image, [(0, 0)] * 3 + [(0, missing)])
        return [array.copy() for array in predictor.run({name: padded}).values()]

    return run


def recorded(inner: Session, images: list[Array]) -> Session:
    """The same network, which appends its images to a list."""

    def run(image: Array) -> list[Array]:
        images.append(image.copy())
        return inner(image)

    return run


def write_recipe(model: OcrModel, images: Sequence[Array], real: float, path: Path) -> None:
    """Write the ranges of a model's values, but not of the first ones, of which `real` is the share."""
    name = lite.create_predictor(lite.Config(model.paddle)).input_names[0]
    ranges = measure_ranges(model.paddle, [{name: image} for image in images], path)
    kept = list(ranges)[round(real * len(ranges)) :]
    path.write_text(json.dumps({"ranges": {each: ranges[each] for each in kept}}), encoding="utf-8")


@click.command()
@click.argument("pictures", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--det", "det_device", help="The device of the detector, with its options.")
@click.option("--rec", "rec_device", help="The device of the recogniser, with its options.")
@click.option(
    "--quantise",
    type=click.Choice(["det", "rec"]),
    multiple=True,
    help="Measure the ranges of this network's values for its device; can be repeated.",
)
@click.option(
    "--calibrate",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A picture to measure ranges with; can be repeated.  [default: the demo's sample picture]",
)
@click.option(
    "--real", default=0.0, show_default=True, help="The share of a network's first values that stay real."
)
@click.option("--side", default=640, show_default=True, help="The height and width of the detector's images.")
@page_option
def main(
    pictures: tuple[Path, ...],
    det_device: str | None,
    rec_device: str | None,
    quantise: tuple[str, ...],
    calibrate: tuple[Path, ...],
    real: float,
    side: int,
    out: Path | None,
) -> None:
    """Read the pictures with float32 on the host, and with the devices, without fallback.

    A network without a device stays on the host.  Exit status 3: less than 95 % of the texts are equal.
    """
    models = {model.name: model for model in ocr_models()}
    devices = {"det": det_device, "rec": rec_device}
    reader = Reader(side)
    host = {name: session(lite.Config(models[name].paddle)) for name in devices}
    with tempfile.TemporaryDirectory() as folder:
        seen: dict[str, list[Array]] = {"det": [], "rec": []}
        for picture in calibrate or (PICTURE,):
            if quantise:
                reader.read(picture, *(recorded(host[name], seen[name]) for name in seen))
        there = dict(host)
        for name, chosen in devices.items():
            if chosen is None:
                continue
            recipe = Path(folder, f"{name}.json") if name in quantise else None
            if recipe is not None:
                write_recipe(models[name], seen[name], real, recipe)
            there[name] = session(
                lite.Config(
                    models[name].paddle,
                    devices=[chosen],
                    fallback="error",
                    recipe=recipe,
                    max_signatures=64,
                    cache_dir=Path(folder, "cache"),
                )
            )
        rows: list[Texts] = []
        with progress(len(pictures), "reading") as advance:
            for picture in pictures:
                expected = reader.read(picture, host["det"], host["rec"])
                rows.append(Texts(picture.name, expected, reader.read(picture, there["det"], there["rec"])))
                advance()
    print_or_write(_page(rows, devices), out)
    if sum(row.equal for row in rows) < 0.95 * sum(len(row.expected) for row in rows):
        raise click.exceptions.Exit(3)


def _page(rows: Sequence[Texts], devices: dict[str, str | None]) -> str:
    places = ", ".join(f"{name} on {device or 'the host'}" for name, device in devices.items())
    equal, all_texts = sum(row.equal for row in rows), sum(len(row.expected) for row in rows)
    lines = [
        f"# Texts: {places}",
        "",
        f"{equal} of {all_texts} texts are as in float32 on the host ({equal / max(all_texts, 1):.1%}).",
        "",
        "| picture | texts | equal | only in float32 | only on the devices |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.picture} | {len(row.expected)} | {row.equal} | {_quoted(row.lost)} | {_quoted(row.other)} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def _quoted(texts: Sequence[str]) -> str:
    return ", ".join(f"`{text}`" for text in texts)


if __name__ == "__main__":
    main()
