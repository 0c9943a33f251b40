"""The files that a Config names, and their conversion."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite.compat.paddle_inference import Config, PlaceType, PrecisionType, convert_to_mixed_precision
from lite.errors import ConfigError


def test_conversion_to_mixed_precision_is_refused() -> None:
    with pytest.raises(
        ConfigError, match=r"a.pdmodel: litebridge does not support convert_to_mixed_precision \(to Half\)"
    ):
        convert_to_mixed_precision("a.pdmodel", "a", "b", "b", PrecisionType.Half, PlaceType.GPU)


@pytest.mark.parametrize("suffix", ["json", "pdmodel"])
def test_a_directory_and_a_prefix_name_the_files_in_it(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"net.{suffix}").touch()
    config = Config(str(tmp_path), "net")
    assert config.prog_file() == str(tmp_path / f"net.{suffix}")
    assert config.params_file() == str(tmp_path / "net.pdiparams")
    assert config.model_dir() == ""


def test_two_files_are_kept_as_they_are_named(tmp_path: Path) -> None:
    config = Config(str(tmp_path / "net.json"), "weights")
    assert (config.prog_file(), config.params_file()) == (str(tmp_path / "net.json"), "weights")
