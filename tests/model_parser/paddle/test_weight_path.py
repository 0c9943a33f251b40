from pathlib import Path

import pytest

from lite.errors import ModelParseError
from lite.model_parser.paddle.weight_path import weight_path


@pytest.mark.parametrize("name", ["w", "conv2d_0.w_0", "save_infer_model/scale_0", "a..b", "...", "x@GRAD"])
def test_names_inside(name: str) -> None:
    assert weight_path(Path("m"), name) == Path("m") / name


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../w", "a/../../w", "/w", "//w/x", r"..\w", r"a\..\..\w", r"\w", "a\0b", "a/.."]
)
def test_names_that_lead_out(name: str) -> None:
    with pytest.raises(ModelParseError) as caught:
        weight_path(Path("m"), name)
    assert str(caught.value) == (
        f"m: the variable name {name!r} is not a path inside the model's directory, so it cannot have a "
        "parameter file of its own; use one combined parameter file"
    )
