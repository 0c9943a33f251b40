"""Tables of translations: one function per op, loaded at the first look-up."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from lite.errors import ModelParseError, PluginError
from lite.plugin.format import Translations

Translator = Callable[[int], int]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Translations[Translator]]:
    """A table whose package has a module that registers ``Twice`` and ``Double``."""
    (tmp_path / "tiny_ops").mkdir()
    (tmp_path / "tiny_ops/__init__.py").write_text("")
    (tmp_path / "tiny_ops/twice.py").write_text(
        "import tiny_table\n@tiny_table.TABLE.register('Twice', 'Double')\ndef twice(x): return 2 * x\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    table = Translations[Translator]("tiny op", "tiny_ops")
    module = ModuleType("tiny_table")
    module.__dict__["TABLE"] = table
    monkeypatch.setitem(sys.modules, "tiny_table", module)
    yield table
    for name in ("tiny_ops", "tiny_ops.twice"):
        sys.modules.pop(name, None)


def test_a_function_translates_all_its_names(table: Translations[Translator]) -> None:
    assert [table.get(name)(3) for name in ("Twice", "Double")] == [6, 6]


def test_supported_ops_are_accepted(table: Translations[Translator]) -> None:
    table.check_supported(["Twice", "Double", "Twice"], "m")


def test_all_unsupported_ops_are_listed_with_counts_and_near_names(table: Translations[Translator]) -> None:
    with pytest.raises(ModelParseError) as caught:
        table.check_supported(["Twise", "Twice", "Half", "Twise"], "m")
    assert str(caught.value) == (
        "m: 2 tiny op types are not supported: Half (1x), Twise (2x, did you mean 'Twice')"
    )


def test_a_second_function_of_a_name_is_refused(table: Translations[Translator]) -> None:
    table.get("Twice")
    with pytest.raises(PluginError, match=r"tiny op Twice is registered twice: by tiny_ops\.twice and by"):
        table.register("Twice")(lambda x: x)
