"""Cache keys: digests of fields, parts, and the explanation of a miss."""

from __future__ import annotations

import pytest

from lite.cache.key import CacheKey, KeyPart, digest_of, explain_miss
from tests.lite.cache.region_keys import made_up_key


def test_different_lists_of_fields_have_different_digests() -> None:
    lists: list[list[str | bytes]] = [
        [],
        [""],
        ["", ""],
        ["ab"],
        ["a", "b"],
        ["b", "a"],
        [b"ab"],
        ["a\0b"],
        ["a", "b", ""],
        ["\udc80"],
    ]
    digests = [digest_of(fields) for fields in lists]
    assert len(set(digests)) == len(lists)


def test_a_part_that_only_one_key_has_is_a_difference() -> None:
    first = CacheKey.of([KeyPart("a", "1"), KeyPart("b", "2")])
    second = CacheKey.of([KeyPart("a", "1"), KeyPart("c", "3")])
    assert first.difference(second) == [(KeyPart("b", "2"), None), (None, KeyPart("c", "3"))]
    assert first.digest != second.digest


def test_the_text_of_a_part_does_not_change_the_key() -> None:
    assert CacheKey.of([KeyPart("a", "1", "one")]) == CacheKey.of([KeyPart("a", "1", "uno")])


@pytest.mark.parametrize(
    ("stored", "explanation"),
    [
        ([], "no entry yet"),
        ([made_up_key("npu", kind="plan", ops="relu")], "no entry yet"),
        ([made_up_key("gpu", ops="relu")], "nearest entry differs in: device (npu, there gpu)"),
        (
            [made_up_key("gpu", ops="relu"), made_up_key("npu", ops="tanh", chip="A")],
            "nearest entry differs in: ops (relu, there tanh), chip (none, there A)",
        ),
    ],
)
def test_a_miss_is_explained_by_the_nearest_key_of_the_same_kind(
    stored: list[CacheKey], explanation: str
) -> None:
    assert explain_miss(made_up_key("npu", ops="relu"), stored) == explanation
