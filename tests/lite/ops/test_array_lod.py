"""The LoD of a tensor array, from the LoDs of its elements."""

from __future__ import annotations

import pytest

from lite.ir.types import Lod
from lite.ops.array_lod import array_lod, element_lods

LOD: Lod = ((0, 2), (0, 3, 4))


@pytest.mark.parametrize("lods", [[], [(), ()], [LOD], [(), LOD, ((0, 1),)]])
def test_lods_of_elements_are_one_lod_of_the_array(lods: list[Lod]) -> None:
    assert element_lods(array_lod(lods), len(lods)) == lods


def test_an_array_without_lods_has_none() -> None:
    assert array_lod([(), ()]) == ()
