"""Passes are found by name."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import pytest

from lite.errors import ConfigError, PluginError
from lite.ir.graph import Graph
from lite.ops import get_schema
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.registry import PASSES, find_pass, make_pass, pass_files, pass_names, register_pass
from lite.spec.grammar import parse_spec


@dataclass(frozen=True)
class UserPass(Pass):
    """Does nothing."""

    depth: int = 1
    name: ClassVar[str] = "user_pass"

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        return Outcome.UNCHANGED


@pytest.fixture
def user_pass() -> Iterator[None]:
    register_pass(UserPass)
    yield
    PASSES.remove("user_pass")


@pytest.mark.parametrize("name", sorted(pass_files()))
def test_every_file_contains_the_pass_of_its_name(name: str) -> None:
    cls = find_pass(name)

    assert cls is not None
    assert cls.name == name
    file = pass_files()[name]
    assert (cls.__module__, cls.after, cls.targets, cls.needs) == (
        file.module,
        file.after,
        file.targets,
        file.needs,
    )
    assert [op for op in cls.needs if get_schema(op).canonical is not None] == []


@pytest.mark.parametrize("name", sorted(pass_files()))
def test_every_docstring_of_a_pass_shows_its_effect(name: str) -> None:
    cls = find_pass(name)

    assert cls is not None
    doc = cls.__doc__ or ""
    assert "->" in doc or ("Before:" in doc and "After:" in doc)
    assert set(cls.after) <= set(pass_files())


def test_users_can_register_passes(user_pass: None) -> None:
    assert make_pass(parse_spec("user_pass{depth=3}")) == UserPass(3)
    assert "user_pass" in pass_names()


def test_a_name_has_one_owner(user_pass: None) -> None:
    with pytest.raises(
        PluginError, match=f"pass user_pass is registered twice: by {__name__} and by {__name__}"
    ):
        register_pass(UserPass)


def test_names_of_files_are_taken_before_the_import() -> None:
    @dataclass(frozen=True)
    class Impostor(UserPass):
        name: ClassVar[str] = "constant_fold_pass"

    ours = "lite.passes.fold.constant_fold_pass"
    with pytest.raises(PluginError, match=f"twice: by {ours} and by {__name__}"):
        register_pass(Impostor)
    importlib.import_module(ours)


def test_unknown_passes_are_errors() -> None:
    assert find_pass("constant_flod_pass") is None
    with pytest.raises(ConfigError, match="'constant_flod_pass'; did you mean 'constant_fold_pass'"):
        make_pass(parse_spec("constant_flod_pass"))
