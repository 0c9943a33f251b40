"""Readers of option values."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from lite.errors import ConfigError
from lite.ir.types import DType, Layout, Place
from lite.tools.options.values import by_name, count_option, named_dims, named_sizes, named_text, read_places


def test_named_values_are_split_at_the_first_equals_sign() -> None:
    assert named_text("x=a=b") == ("x", "a=b")
    assert named_sizes("x/y:0=1, 3,0") == ("x/y:0", (1, 3, 0))
    assert named_sizes("x=") == ("x", ())
    assert named_dims("x=1,?,width") == ("x", (1, "?", "width"))


@pytest.mark.parametrize("text", ["x", "=1", ""])
def test_a_text_without_a_name_is_refused(text: str) -> None:
    for read in (named_text, named_sizes, named_dims):
        with pytest.raises(click.BadParameter, match="expected NAME="):
            read(text)


@pytest.mark.parametrize(("text", "example"), [("in.npz", "x=in.npz"), ("1,3,8,8", "x=1,3,8,8")])
def test_a_text_without_a_name_is_shown_with_one(text: str, example: str) -> None:
    with pytest.raises(click.BadParameter, match=f"begin with an input's name, as in {example}$"):
        named_text(text)


@pytest.mark.parametrize("text", ["x=1,", "x=a", "x=-1", "x=1.5", "x=?"])
def test_sizes_must_be_natural_numbers(text: str) -> None:
    with pytest.raises(click.BadParameter, match=r"expected NAME=1,3,224,224, got "):
        named_sizes(text)


def test_a_size_of_minus_one_asks_for_a_number() -> None:
    with pytest.raises(click.BadParameter, match="got 'x=-1,3'; an open size needs a number here, such as 1"):
        named_sizes("x=-1,3")


@pytest.mark.parametrize("text", ["x=1,", "x=-1", "x=1.5", "x=a b"])
def test_dims_must_be_sizes_symbols_or_unknown(text: str) -> None:
    with pytest.raises(click.BadParameter, match=r"expected NAME=1,3,224,\?, got "):
        named_dims(text)


def test_a_name_may_occur_only_once() -> None:
    assert by_name("--input", (("a", 1), ("b", 2))) == {"a": 1, "b": 2}
    with pytest.raises(ConfigError, match=r"--input is given twice for 'a'"):
        by_name("--input", (("a", 1), ("a", 2)))


def test_a_place_may_omit_the_dtype_and_the_layout() -> None:
    assert read_places("x86, npu/float16,gpu/any/nhwc, host/float32/nchw,") == [
        Place("x86"),
        Place("npu", DType.FLOAT16),
        Place("gpu", None, Layout.NHWC),
        Place("host", DType.FLOAT32, Layout.NCHW),
    ]
    assert read_places("") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/float32", "expected target"),
        ("a/any/any/any", "expected target"),
        ("npu/float23", "did you mean 'float32'"),
        ("npu/any/nchv", "'npu/any/nchv': 'nchv' is not a valid Layout"),
    ],
)
def test_an_invalid_place_is_refused(text: str, message: str) -> None:
    with pytest.raises(click.BadParameter, match=message):
        read_places(text)


def test_a_count_has_a_default_and_a_minimum() -> None:
    @click.command()
    @count_option("--runs", "Run N times.", default=3, minimum=1)
    def command(runs: int) -> None:
        click.echo(runs)

    runner = CliRunner()
    assert runner.invoke(command).output == "3\n"
    assert runner.invoke(command, ["--runs", "1"]).output == "1\n"
    assert runner.invoke(command, ["--runs", "0"]).exit_code == 2
    assert "--runs N" in runner.invoke(command, ["--help"]).output
