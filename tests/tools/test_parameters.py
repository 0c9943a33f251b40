"""Values of options."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from lite.errors import ConfigError
from lite.tools.parameters import by_name, model_config, named_dims, named_sizes, named_text


def test_values_with_a_name() -> None:
    assert named_text("x=a=b") == ("x", "a=b")
    assert named_sizes("x/y:0=1, 3,0") == ("x/y:0", (1, 3, 0))
    assert named_sizes("x=") == ("x", ())
    assert named_dims("x=1,?,width") == ("x", (1, "?", "width"))


@pytest.mark.parametrize("text", ["x", "=1", ""])
def test_a_name_is_needed(text: str) -> None:
    for read in (named_text, named_sizes, named_dims):
        with pytest.raises(click.BadParameter, match="expected NAME="):
            read(text)


@pytest.mark.parametrize("text", ["x=1,", "x=a", "x=-1", "x=1.5", "x=?"])
def test_sizes_are_whole_numbers(text: str) -> None:
    with pytest.raises(click.BadParameter, match=r"expected NAME=1,3,224,224, got "):
        named_sizes(text)


@pytest.mark.parametrize("text", ["x=1,", "x=-1", "x=1.5", "x=a b"])
def test_dims_are_sizes_or_names(text: str) -> None:
    with pytest.raises(click.BadParameter, match=r"expected NAME=1,3,224,\?, got "):
        named_dims(text)


def test_by_name() -> None:
    assert by_name("--input", (("a", 1), ("b", 2))) == {"a": 1, "b": 2}
    with pytest.raises(ConfigError, match=r"--input is given twice for 'a'"):
        by_name("--input", (("a", 1), ("a", 2)))


def test_configs() -> None:
    assert model_config(Path("m"), None, threads=2).model_dir == Path("m")
    config = model_config(Path("m"), Path("p"), keep=("y",))
    assert (config.model_dir, config.model_file, config.params_file) == (None, Path("m"), Path("p"))
    assert config.keep == ("y",)
