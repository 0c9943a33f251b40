"""BLAS is limited while any run goes on, and left as it was found."""

from __future__ import annotations

import threading

from threadpoolctl import ThreadpoolController

from lite.runtime.threads import BlasLimit


def blas_threads() -> list[int]:
    return [lib.num_threads for lib in ThreadpoolController().select(user_api="blas").lib_controllers]


def test_the_smallest_limit_holds_and_the_first_setting_comes_back() -> None:
    before = blas_threads()
    one, two = BlasLimit(1), BlasLimit(2)
    two.__enter__()
    assert set(blas_threads()) == {2}
    one.__enter__()
    assert set(blas_threads()) == {1}
    two.__exit__(None, None, None)
    assert set(blas_threads()) == {1}
    one.__exit__(None, None, None)
    assert blas_threads() == before


def test_a_limit_holds_whichever_thread_sets_it() -> None:
    before = blas_threads()
    first, second = BlasLimit(2), BlasLimit(1)
    first.__enter__()
    seen: list[list[int]] = []

    def work() -> None:
        second.__enter__()
        seen.append(blas_threads())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [[1] * len(before)]
    first.__exit__(None, None, None)
    leaver = threading.Thread(target=second.__exit__, args=(None, None, None))
    leaver.start()
    leaver.join()
    assert blas_threads() == before
