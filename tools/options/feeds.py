"""--input, --shape, --lod and --seed: the inputs of a model."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import click

from lite.dataclass import dataclass
from lite.ir.types import Array, Shape, is_known
from lite.session.predictor import Predictor
from lite.tools.arrays.feeds import make_feeds
from lite.tools.options.values import by_name, count_option, named_sizes, named_text

NOTHING_RECORDED: Mapping[str, Array] = {}


@dataclass(frozen=True)
class FeedOptions:
    """The values of --input, --shape, --lod and --seed."""

    sources: tuple[tuple[str, str], ...]
    shapes: tuple[tuple[str, tuple[int, ...]], ...]
    lods: tuple[tuple[str, tuple[int, ...]], ...]
    seed: int

    def arrays(
        self, predictor: Predictor, recorded: Mapping[str, Array] = NOTHING_RECORDED, *, draws: bool = False
    ) -> dict[str, Array]:
        """An array for each input; with `draws`, one that can be an image is drawn by default.

        Raises the errors of `make_feeds`, and `ConfigError` if an option names an input twice.
        """
        sources, shapes = by_name("--input", self.sources), by_name("--shape", self.shapes)
        return make_feeds(predictor, sources, shapes, recorded, self.seed, draws=draws)

    def with_shapes(self, shapes: Mapping[str, Shape]) -> FeedOptions:
        """The same with further shapes, where all sizes are known, of inputs that --shape does not name."""
        named = {name for name, _ in self.shapes}
        more = [
            (name, tuple(int(dim) for dim in shape))
            for name, shape in shapes.items()
            if name not in named and is_known(shape)
        ]
        return replace(self, shapes=(*self.shapes, *more))

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
        help="The source of an input: FILE.npy, FILE.npz (the array NAME, or the only array), an image file "
        "(resized, floats normalised as for ImageNet), random, zeros, ones, or image, which draws one.  "
        "[default: random; convert, export and compare draw an image where one fits]",
    ),
    click.option(
        "--shape",
        "shapes",
        type=named_sizes,
        metavar="NAME=1,3,224,224",
        multiple=True,
        help="The shape of an input that is not read from arrays; NAME= is a scalar.",
    ),
    click.option(
        "--lod",
        "lods",
        type=named_sizes,
        metavar="NAME=0,2,5",
        multiple=True,
        help="The offsets that divide an input into sequences; repeat it for each further LoD level.",
    ),
    count_option("--seed", "The seed of random inputs.", default=0, minimum=0),
)


def feed_options(command: Callable[..., None]) -> Callable[..., None]:
    """--input, --shape, --lod and --seed, as `feed`."""

    @functools.wraps(command)
    def with_feed(sources: Any, shapes: Any, lods: Any, seed: int, **others: Any) -> None:
        command(feed=FeedOptions(sources, shapes, lods, seed), **others)

    for option in reversed(_OPTIONS):
        with_feed = option(with_feed)
    return with_feed
