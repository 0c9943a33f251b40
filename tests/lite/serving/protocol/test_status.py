"""Errors of requests that cross processes."""

from __future__ import annotations

import pickle

import pytest

from lite.serving.protocol.status import RequestError, Status


@pytest.mark.parametrize("retry_after", [None, 3])
def test_an_error_is_the_same_after_pickling(retry_after: int | None) -> None:
    again = pickle.loads(pickle.dumps(RequestError(Status.BUSY, "too many requests", retry_after)))
    assert type(again) is RequestError
    assert (again.status, str(again), again.retry_after) == (Status.BUSY, "too many requests", retry_after)
