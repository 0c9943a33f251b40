"""Models of single functions, which Paddle 3.3.1 saved, have the results of Paddle's predictor.

`tests/record_paddle_ops.py` recorded the models and results.
"""

from __future__ import annotations

import functools
import io
import tarfile
from pathlib import Path

import numpy as np
import pytest

import lite
from tests.support.paddle_op_cases import CASES

DATA = Path(__file__).resolve().parents[2] / "data"


@functools.cache
def recorded(form: str) -> dict[str, bytes]:
    """The files of a format by name."""
    with tarfile.open(DATA / f"paddle_ops_{form}.tar.xz") as archive:
        members = ((member.name, archive.extractfile(member)) for member in archive)
        return {name: file.read() for name, file in members if file is not None}


MODELS = {
    (form, Path(name).stem): name
    for form in ("pir", "legacy")
    for name in sorted(recorded(form))
    if not name.endswith(".npz")
}


@pytest.mark.parametrize("place", ["host", "cpu"])
@pytest.mark.parametrize(("form", "name"), MODELS)
def test_results_are_those_of_paddle(form: str, name: str, place: str, tmp_path: Path) -> None:
    model = tmp_path / MODELS[form, name]
    model.write_bytes(recorded(form)[model.name])
    arrays = np.load(io.BytesIO(recorded(form)[f"{name}.npz"]))
    config = lite.Config(model, valid_places=[place], precision="strict")
    predictor = lite.create_predictor(config)

    outputs = predictor.run({key.removeprefix("in_"): arrays[key] for key in arrays if key.startswith("in_")})

    assert len(outputs) == sum(key.startswith("out_") for key in arrays)
    for number, output in enumerate(predictor.output_names):
        expected, found = arrays[f"out_{number}"], outputs[output]
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        if expected.dtype.kind in "biu":
            np.testing.assert_array_equal(found, expected)
        else:
            limit = 1e-5 * float(np.abs(expected[np.isfinite(expected)]).max(initial=1e-3))
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=limit)


def test_all_cases_are_recorded_as_pir() -> None:
    assert {name for form, name in MODELS if form == "pir"} == set(CASES)
