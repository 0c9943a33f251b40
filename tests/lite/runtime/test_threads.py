"""BlasLimit: BLAS is limited during runs, and its setting restored after them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from threadpoolctl import ThreadpoolController

from lite.runtime.threads import BlasLimit, limited_blas
from tests.support.interrupts import interrupted, lines_of


def blas_threads() -> list[int]:
    return [lib.num_threads for lib in ThreadpoolController().select(user_api="blas").lib_controllers]


def test_the_smallest_limit_holds_and_the_first_setting_is_restored() -> None:
    before = blas_threads()
    one, two = object(), object()
    BlasLimit.add(two, 2)
    assert set(blas_threads()) == {2}
    BlasLimit.add(one, 1)
    assert set(blas_threads()) == {1}
    BlasLimit.remove(two)
    assert set(blas_threads()) == {1}
    BlasLimit.remove(one)
    assert blas_threads() == before


def test_a_limit_set_by_another_thread_holds() -> None:
    before = blas_threads()
    first, second = object(), object()
    BlasLimit.add(first, 2)
    limited: list[list[int]] = []

    def work() -> None:
        BlasLimit.add(second, 1)
        limited.append(blas_threads())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert limited == [[1] * len(before)]
    BlasLimit.remove(first)
    other = threading.Thread(target=BlasLimit.remove, args=(second,))
    other.start()
    other.join()
    assert blas_threads() == before


def test_a_library_loaded_between_two_limits_is_limited(root: Path) -> None:
    """In a new process, since the first import of scipy.special loads another BLAS."""
    code = (
        "from threadpoolctl import ThreadpoolController\n"
        "from lite.runtime.threads import limited_blas\n"
        "with limited_blas(1): pass\n"
        "import scipy.special\n"
        "with limited_blas(1):\n"
        "    libraries = ThreadpoolController().select(user_api='blas').lib_controllers\n"
        "    print({lib.num_threads for lib in libraries})"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "{1}\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_process_forked_during_a_run_is_not_limited(root: Path) -> None:
    """Runs in a new process, where another thread is in a run and holds the lock."""
    code = (
        "import os, signal, threading\n"
        "from lite.runtime.threads import BlasLimit, limited_blas\n"
        "def hold():\n"
        "    with limited_blas(1), BlasLimit._lock:\n"
        "        held.set()\n"
        "        done.wait()\n"
        "held, done = threading.Event(), threading.Event()\n"
        "thread = threading.Thread(target=hold)\n"
        "thread.start()\n"
        "held.wait()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    signal.alarm(20)\n"
        "    with limited_blas(2):\n"
        "        limits = list(BlasLimit._entered.values())\n"
        "    os._exit(0 if limits == [2] else 1)\n"
        "done.set()\n"
        "print(os.waitpid(child, 0)[1])\n"
    )
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"


def test_an_interrupt_at_any_line_of_a_limit_leaves_none() -> None:
    def limit() -> None:
        with limited_blas(1):
            pass

    limit()
    before, reached = blas_threads(), 0
    for line in lines_of(limit):
        reached += interrupted(limit, line)
        assert (BlasLimit._entered, BlasLimit._before) == ({}, {}), line
    assert reached > 10
    assert blas_threads() == before
