"""Places, and their translation to litebridge's targets."""

from __future__ import annotations

import pytest

import lite
from lite.compat.paddlelite import DataLayoutType, Place, PrecisionType, TargetType
from lite.compat.paddlelite.place import lite_places
from lite.errors import ConfigError


def test_a_place_has_paddle_lites_defaults() -> None:
    place = Place(TargetType.ARM)
    assert (place.target, place.precision, place.layout, place.device) == (
        TargetType.ARM,
        PrecisionType.FP32,
        DataLayoutType.NCHW,
        0,
    )
    assert repr(place) == "ARM/FP32/NCHW"


def test_both_spellings_of_precision_are_accepted() -> None:
    assert Place(TargetType.ARM, percision=PrecisionType.INT8) == Place(
        TargetType.ARM, precision=PrecisionType.INT8
    )
    assert Place(TargetType.ARM, PrecisionType.INT8) != Place(TargetType.ARM)
    assert len({Place(TargetType.ARM), Place(TargetType.ARM), Place(TargetType.X86)}) == 2


def test_a_place_is_valid_if_all_parts_are_set() -> None:
    assert Place(TargetType.Host).is_valid()
    assert not Place().is_valid()
    assert not Place(TargetType.Host, PrecisionType.Unk).is_valid()
    assert not Place(TargetType.Host, layout=DataLayoutType.Unk).is_valid()


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        ([], None),
        ([TargetType.X86], ["cpu", "host"]),
        ([TargetType.ARM, TargetType.X86], ["cpu", "host"]),
        ([TargetType.Host], ["host"]),
        ([TargetType.Host, TargetType.ARM], ["host", "cpu"]),
        ([TargetType.NNAdapter, TargetType.X86], ["cpu", "host"]),
        ([TargetType.NNAdapter], None),
    ],
)
def test_targets_are_translated_in_order(
    targets: list[TargetType], expected: list[str] | None, caplog: pytest.LogCaptureFixture
) -> None:
    places = lite_places([Place(target) for target in targets])
    assert places == (None if expected is None else [lite.Place(target) for target in expected])
    assert caplog.records == []


def test_other_hardware_gives_one_warning_each(caplog: pytest.LogCaptureFixture) -> None:
    places = [Place(TargetType.OpenCL, PrecisionType.FP16), Place(TargetType.OpenCL), Place(TargetType.NPU)]
    assert lite_places(places) is None
    assert [record.getMessage().split(" has no effect")[0] for record in caplog.records] == [
        "paddlelite: a place on OpenCL",
        "paddlelite: a place on NPU",
    ]


def test_an_object_of_another_type_is_refused() -> None:
    with pytest.raises(ConfigError, match="expected Place objects"):
        lite_places([TargetType.ARM])  # type: ignore[list-item]
