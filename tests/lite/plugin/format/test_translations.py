"""Tables of translations: one function per op, whose modules are imported for the ops that are looked up."""

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
    for name in ("tiny_ops", "tiny_ops.twice", "tiny_ops.half"):
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


@pytest.fixture
def indexed(table: Translations[Translator], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package has a second module, ``half``, and an index of the words in both."""
    (tmp_path / "tiny_ops/half.py").write_text(
        "import tiny_table\n@tiny_table.TABLE.register('Half')\ndef half(x): return x // 2\n"
    )
    index = {"Twice": ["another_format.twice", "tiny_ops.twice"], "Third": ["tiny_ops.twice"]}
    monkeypatch.setattr("lite.plugin.loader.modules_by_word", lambda _: index)


@pytest.mark.usefixtures("indexed")
def test_only_the_modules_that_name_an_op_are_imported(table: Translations[Translator]) -> None:
    assert "Twice" in table
    assert "Double" in table
    assert "tiny_ops.half" not in sys.modules


@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize("name", ["Half", "Third", "Quarter"])
def test_all_modules_are_imported_for_a_name_that_no_indexed_one_registers(
    table: Translations[Translator], name: str
) -> None:
    assert (name in table) is (name == "Half")
    assert {"tiny_ops.half", "tiny_ops.twice"} <= sys.modules.keys()


def test_a_module_that_cannot_be_imported_is_named(table: Translations[Translator], tmp_path: Path) -> None:
    (tmp_path / "tiny_ops/broken.py").write_text("import no_such_module\n")

    with pytest.raises(PluginError, match=r"tiny_ops\.broken cannot be imported: .*no_such_module"):
        table.get("Twice")
