"""Builds artifacts: prepares a model for input shapes by running it, and saves it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lite.config import Config
from lite.errors import ConfigError
from lite.session.predictor import create_predictor
from lite.session.save_artifact import Saved, save_artifact
from lite.tools.arrays.feeds import make_feeds
from lite.tools.options.feeds import FeedOptions
from lite.tools.options.values import by_name

Sizes = tuple[int, ...]


def signatures_of(shapes: Sequence[tuple[str, Sizes]]) -> list[dict[str, Sizes]]:
    """The sets of input shapes in a list of names and shapes.

    The n-th shape of an input belongs to the n-th set; if an input has only one shape, it belongs to
    all sets.  Raises `ConfigError` if two inputs have several shapes each, but not equally many.
    """
    by_input: dict[str, list[Sizes]] = {}
    for name, sizes in shapes:
        by_input.setdefault(name, []).append(sizes)
    counts = {name: len(each) for name, each in by_input.items() if len(each) > 1}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{name} {count}" for name, count in counts.items())
        raise ConfigError(
            f"--shape: inputs with several shapes must have the same number of shapes, got {listed}"
        )
    total = max(map(len, by_input.values()), default=0)
    return [{name: each[n % len(each)] for name, each in by_input.items()} for n in range(total)]


def build_artifact(
    config: Config,
    path: Path,
    feed: FeedOptions,
    signatures: Sequence[Mapping[str, Sizes]],
    *,
    origin: bool,
    licence: str,
    compress: bool,
) -> Saved:
    """Run a model once for each set of input shapes, and save it as an artifact.

    A run also prepares the parts of the model whose shapes depend on computed values.  Without
    `signatures`, a model whose inputs all have fixed shapes is run with these shapes.  Raises the errors of
    `create_predictor`, `run` and `save_artifact`.
    """
    predictor = create_predictor(config)
    handles = [predictor.get_input(name) for name in predictor.input_names]
    is_fixed = all(h.shape is not None and all(isinstance(dim, int) for dim in h.shape) for h in handles)
    for shapes in signatures or ([{}] if is_fixed or feed.sources else []):
        sources = by_name("--input", feed.sources)
        predictor.run(make_feeds(predictor, sources, dict(shapes), {}, feed.seed), lods=feed.levels)
    return save_artifact(predictor, path, origin=origin, licence=licence, compress=compress)
