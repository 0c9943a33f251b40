"""The conversion of model files."""

from __future__ import annotations

import pytest

from lite.compat.paddle_inference import PlaceType, PrecisionType, convert_to_mixed_precision
from lite.errors import ConfigError


def test_conversion_to_mixed_precision_is_refused() -> None:
    with pytest.raises(
        ConfigError, match=r"a.pdmodel: litebridge does not support convert_to_mixed_precision \(to Half\)"
    ):
        convert_to_mixed_precision("a.pdmodel", "a", "b", "b", PrecisionType.Half, PlaceType.GPU)
