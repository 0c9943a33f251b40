"""MODEL and its parameters."""

from __future__ import annotations

from pathlib import Path

from lite.tools.options.model import model_config


def test_a_model_is_a_directory_or_two_files() -> None:
    assert model_config(Path("m"), None, threads=2).model_dir == Path("m")
    config = model_config(Path("m"), Path("p"), keep=("y",))
    assert (config.model_dir, config.model_file, config.params_file) == (None, Path("m"), Path("p"))
    assert config.keep == ("y",)
