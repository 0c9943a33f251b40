"""Docstrings become Markdown for the site."""

from __future__ import annotations

import pytest

pytest.importorskip("griffe", reason="the site needs the extra docs")

from lite.tools.maintenance.docstring_lists import as_markdown


def test_parameters_become_a_list_after_an_empty_line() -> None:
    text = "Run it.\n\nThe inputs.\nx: an array\n    of floats\ny, z: two more\n\nRaises `InputError`."

    assert as_markdown(text) == (
        "Run it.\n\nThe inputs.\n\n- **x**: an array\n    of floats\n- **y, z**: two more\n\n"
        "Raises `InputError`."
    )


def test_examples_become_code_without_flags() -> None:
    assert as_markdown("A.\n\n>>> f(1)    # doctest: +SKIP\n2\n\nB.") == "A.\n\n    >>> f(1)\n    2\n\nB."


def test_literal_blocks_lose_a_colon() -> None:
    assert as_markdown("As in::\n\n    x = 1") == "As in:\n\n    x = 1"


def test_other_text_is_not_changed() -> None:
    text = "One sentence.\n\nA second one: with a colon, and code ``a: b``."

    assert as_markdown(text) == text
