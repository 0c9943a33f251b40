"""Options bound to the fields of a dataclass."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from lite.errors import ConfigError
from lite.spec.grammar import Spec, parse_spec
from lite.spec.options import bind


@dataclass(frozen=True)
class Options:
    ratio: float = 0.5
    count: int = 1
    name: str = ""
    on: bool = False
    sizes: tuple[int, ...] = ()
    mode: Literal["fast", "small"] = "fast"
    folder: Path | None = None
    device: Spec | str = ""


FIELDS = ("ratio", "count", "name", "on", "sizes", "mode", "folder", "device")


@dataclass(frozen=True)
class Required:
    path: str


def test_without_options_the_fields_have_their_defaults() -> None:
    assert bind(parse_spec("a"), Options, "pass") == Options()


def test_options_of_every_type_are_bound() -> None:
    spec = parse_spec(
        "a{ratio=2, count=3, name=x, on=true, sizes=[1, 2], mode=small, folder=d/e, device=n{k=1}}"
    )

    assert bind(spec, Options, "pass") == Options(
        2.0, 3, "x", True, (1, 2), "small", Path("d/e"), Spec("n", (("k", 1),))
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a{ratoi=1}",
            f"pass a: no option 'ratoi'; did you mean 'ratio'? (options: {', '.join(FIELDS)})",
        ),
        ("a{count=1.5}", "pass a: option count: expected an integer, got 1.5"),
        ("a{count=true}", "pass a: option count: expected an integer, got true"),
        ("a{ratio=x}", "pass a: option ratio: expected a number, got x"),
        ("a{name=3}", "pass a: option name: expected text, got 3"),
        ("a{on=1}", "pass a: option on: expected true or false, got 1"),
        ("a{sizes=3}", "pass a: option sizes: expected a list [an integer, …], got 3"),
        ("a{sizes=[1, x]}", "pass a: option sizes: expected a list [an integer, …], got [1, x]"),
        ("a{mode=slow}", "pass a: option mode: expected one of fast, small, got slow"),
        ("a{folder=1}", "pass a: option folder: expected a path, got 1"),
        ("a{device=[]}", "pass a: option device: expected name{key=value, …} or text, got []"),
    ],
)
def test_an_option_that_does_not_fit_is_an_error(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        bind(parse_spec(text), Options, "pass")
    assert str(error.value) == message


def test_a_missing_option_is_an_error() -> None:
    with pytest.raises(ConfigError, match="device x: option path is missing"):
        bind(parse_spec("x"), Required, "device")
