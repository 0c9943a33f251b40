"""Names that are imported at first use."""

from __future__ import annotations

import pytest

from lite.lazy_names import names_of_modules


def test_a_name_is_imported_once_and_kept() -> None:
    namespace: dict[str, object] = {"__name__": "package"}
    modules = {"Fraction": "fractions"}
    find = names_of_modules(namespace, modules)

    found = find("Fraction")

    assert found is __import__("fractions").Fraction
    assert namespace["Fraction"] is found


def test_an_unknown_name_is_an_attribute_error() -> None:
    find = names_of_modules({"__name__": "package"}, {})
    with pytest.raises(AttributeError, match="module 'package' has no attribute 'nothing'"):
        find("nothing")
