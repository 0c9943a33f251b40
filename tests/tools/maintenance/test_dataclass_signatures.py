"""The site shows the parameters of dataclasses."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from lite import Place

griffe = pytest.importorskip("griffe", reason="griffe is installed with the extra docs")

REPOSITORY = Path(__file__).parents[3]


def test_parameters_are_the_fields() -> None:
    from lite.tools.maintenance.dataclass_signatures import DataclassSignatures

    extensions = griffe.load_extensions(DataclassSignatures)
    module = griffe.load("lite.config", search_paths=[REPOSITORY], extensions=extensions)

    parameters = [parameter.name for parameter in module["Place"].parameters]

    assert parameters == ["self", *(field.name for field in fields(Place))]
