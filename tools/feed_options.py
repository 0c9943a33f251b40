"""The options that say what a model is fed with."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import click

from lite.ir.types import Array
from lite.session.predictor import Predictor
from lite.tools.feeds import make_feeds
from lite.tools.parameters import by_name, named_sizes, named_text

NOTHING_RECORDED: Mapping[str, Array] = {}


@dataclass(frozen=True)
class FeedOptions:
    """What --input, --shape, --lod and --seed said."""

    sources: tuple[tuple[str, str], ...]
    shapes: tuple[tuple[str, tuple[int, ...]], ...]
    lods: tuple[tuple[str, tuple[int, ...]], ...]
    seed: int

    def arrays(
        self, predictor: Predictor, recorded: Mapping[str, Array] = NOTHING_RECORDED
    ) -> dict[str, Array]:
        """An array for every input; raises what `make_feeds` raises, and `ConfigError` for a name twice."""
        sources, shapes = by_name("--input", self.sources), by_name("--shape", self.shapes)
        return make_feeds(predictor, sources, shapes, recorded, self.seed)

    @property
    def levels(self) -> dict[str, list[tuple[int, ...]]]:
        """The LoD of each input that has one."""
        levels: dict[str, list[tuple[int, ...]]] = {}
        for name, offsets in self.lods:
            levels.setdefault(name, []).append(offsets)
        return levels


_OPTIONS = (
    click.option(
        "--input",
        "sources",
        type=named_text,
        metavar="NAME=SOURCE",
        multiple=True,
        help="Where an input comes from: FILE.npy, FILE.npz (its array NAME, or its only one), random, zeros "
        "or ones.  [default: random]",
    ),
    click.option(
        "--shape",
        "shapes",
        type=named_sizes,
        metavar="NAME=1,3,224,224",
        multiple=True,
        help="Sizes of a made-up input; nothing behind = is 0-D.",
    ),
    click.option(
        "--lod",
        "lods",
        type=named_sizes,
        metavar="NAME=0,2,5",
        multiple=True,
        help="Offsets that cut an input into sequences; once more for each deeper level.",
    ),
    click.option(
        "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of random inputs."
    ),
)


def feed_options(command: Callable[..., None]) -> Callable[..., None]:
    """--input, --shape, --lod and --seed: `feed`."""

    @functools.wraps(command)
    def with_feed(sources: Any, shapes: Any, lods: Any, seed: int, **others: Any) -> None:
        command(feed=FeedOptions(sources, shapes, lods, seed), **others)

    for option in reversed(_OPTIONS):
        with_feed = option(with_feed)
    return with_feed
