"""PNNX models equal the recorded outputs, with and without passes, for every set of inputs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.types import Array
from tests.support.data_folders import SHARED
from tests.support.reference_models import difference

FOLDER = SHARED / "models" / "pnnx"


def models() -> list[str]:
    """The models whose outputs are torch's: models that PNNX converted wrongly are left out."""
    if not FOLDER.is_dir():
        return []
    index = json.loads((FOLDER / "index.json").read_text())
    bad = {name for name, entry in index.items() if entry["known_bad"]}
    names = {path.name.removesuffix(".pnnx.param") for path in FOLDER.glob("*.pnnx.param")}
    return sorted(names - bad)


def arrays(path: Path, prefix: str) -> list[Array]:
    """Those called prefix0, prefix1, ... in an archive."""
    with np.load(path) as stored:
        count = sum(name.startswith(prefix) for name in stored)
        return [stored[f"{prefix}{n}"] for n in range(count)]


@pytest.mark.parametrize("passes", [None, []], ids=["all", "none"])
@pytest.mark.parametrize("name", models())
def test_outputs_equal_the_recorded_ones(name: str, passes: list[str] | None) -> None:
    config = lite.Config(FOLDER / f"{name}.pnnx.param", passes=passes, debug=True)
    predictor = lite.create_predictor(config)
    compared = 0
    for prefix in ("", "dyn_"):
        expected = arrays(FOLDER / f"{name}.npz", f"{prefix}out")
        if not expected:
            continue
        inputs = dict(zip(predictor.input_names, arrays(FOLDER / f"{name}.npz", f"{prefix}in"), strict=True))
        outputs = dict(zip(predictor.output_names, expected, strict=True))
        assert difference(predictor.run(inputs), outputs) == ""
        compared += 1
    assert compared == 1 + ("dyn" in name)


@pytest.mark.parametrize("name", models())
def test_outputs_are_the_same_after_saving_as_paddle(name: str, tmp_path: Path) -> None:
    lite.save_program(lite.load_program(FOLDER / f"{name}.pnnx.param"), tmp_path)
    predictor = lite.create_predictor(lite.Config(tmp_path))
    outputs = predictor.run(arrays(FOLDER / f"{name}.npz", "in"))
    expected = dict(zip(predictor.output_names, arrays(FOLDER / f"{name}.npz", "out"), strict=True))
    assert difference(outputs, expected) == ""
