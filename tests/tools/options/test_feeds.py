"""--input, --shape, --lod and --seed."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner

import lite
from lite.errors import ConfigError
from lite.tools.options.feeds import FeedOptions, feed_options
from tests.tools.tiny_model import X


def read(*arguments: str) -> FeedOptions:
    """The options as a command receives them."""
    received: list[FeedOptions] = []

    @click.command()
    @feed_options
    @click.option("--other", type=int)
    def command(feed: FeedOptions, other: int | None) -> None:
        assert other == 1
        received.append(feed)

    CliRunner().invoke(command, [*arguments, "--other", "1"], catch_exceptions=False, standalone_mode=False)
    return received[0]


def test_the_defaults_name_no_input() -> None:
    assert read() == FeedOptions((), (), (), 0)
    assert read().levels == {}


def test_all_options_are_read() -> None:
    feed = read("--input", "x=ones", "--shape", "x=5,4", "--lod", "x=0,1", "--lod", "x=0,5", "--seed", "3")
    assert feed == FeedOptions((("x", "ones"),), (("x", (5, 4)),), (("x", (0, 1)), ("x", (0, 5))), 3)
    assert feed.levels == {"x": [(0, 1), (0, 5)]}


def test_options_take_precedence_over_recorded_arrays(workplace: Path) -> None:
    predictor = lite.create_predictor(lite.Config("model_dir"))
    np.testing.assert_array_equal(read("--input", "x=x.npy").arrays(predictor)["x"], X)
    np.testing.assert_array_equal(read().arrays(predictor, {"x": X + 1})["x"], X + 1)
    ones = read("--shape", "x=3,4", "--input", "x=ones").arrays(predictor, {"x": X})
    np.testing.assert_array_equal(ones["x"], np.ones((3, 4), np.float32))


def test_an_input_may_occur_only_once_per_option(workplace: Path) -> None:
    predictor = lite.create_predictor(lite.Config("model_dir"))
    with pytest.raises(ConfigError, match="--shape is given twice for 'x'"):
        read("--shape", "x=1,4", "--shape", "x=2,4").arrays(predictor)
