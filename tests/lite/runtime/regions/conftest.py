"""The models of the tests for regions."""

from __future__ import annotations

from pathlib import Path

import pytest

import lite
from tests.support.small_convnet import convnet
from tests.support.small_programs import affine


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Four ops of arithmetic, with two outputs; see `AFFINE`."""
    lite.save_program(affine(), tmp_path / "affine")
    return tmp_path / "affine"


@pytest.fixture
def net(tmp_path: Path) -> Path:
    """A network for images of any size; see `CONVNET`."""
    lite.save_program(convnet(), tmp_path / "net")
    return tmp_path / "net"
