"""Workers that are killed, crash or hang, and main processes that end before their worker."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

from lite.errors import CompileError, ExecutionError
from lite.ir.types import DType
from lite.plugin.device.opening import open_device
from lite.runtime.isolation import TimeLimits, isolated
from lite.runtime.isolation.worker import FORKED
from tests.lite.runtime.isolation.processes import children, comes_true, is_running, linux_only
from tests.lite.runtime.isolation.regions import B, X, check, compiled
from tests.support.fake_worker_device import faulty

QUICK = TimeLimits(build=1.0, run=1.0)

ENDS = [
    ("exit", "ended with exit status 7"),
    ("kill", "was killed by signal SIGKILL"),
    ("crash", "was killed by signal SIGSEGV"),
]

RELU = "graph r(%x: float32[2,3]) { %y = relu(X=%x) return %y }"


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    """Check that no test leaves a process."""
    gc.collect()
    assert children() == set()
    yield
    gc.collect()
    assert comes_true(lambda: children() == set())


@pytest.mark.parametrize(("does", "ended"), ENDS)
def test_a_worker_that_ends_while_compiling_is_a_compile_error(does: str, ended: str) -> None:
    device = faulty(f"compile:{does}")
    for _ in range(2):
        with pytest.raises(CompileError, match=f"^faulty: its worker process {ended} while compiling$"):
            compiled(device)
    assert device.available() is None


@pytest.mark.parametrize(("does", "ended"), ENDS)
def test_a_worker_that_ends_while_running_makes_all_its_models_fail(does: str, ended: str) -> None:
    device = faulty(f"run:{does}")
    model, other = compiled(device), compiled(device)
    with pytest.raises(ExecutionError, match=f"^faulty: its worker process {ended} while running a model$"):
        model.run([X, B], [None, None])
    for lost in (model, other):
        with pytest.raises(ExecutionError, match=f"^faulty: its worker process {ended}$"):
            lost.run([X, B], [None, None])
        with pytest.raises(CompileError, match=f"^faulty: its worker process {ended}$"):
            lost.serialize()
    assert children() == set()
    assert compiled(device).serialize() is not None


@pytest.mark.parametrize(
    ("when", "does", "ended"),
    [
        ("available", *ENDS[0]),
        ("open", *ENDS[1]),
        ("version", *ENDS[2]),
        ("load", *ENDS[0]),
    ],
)
def test_a_worker_that_ends_during_other_requests_is_reported(when: str, does: str, ended: str) -> None:
    device = faulty(f"{when}:{does}")
    if when == "load":
        with pytest.raises(
            CompileError, match=f"^faulty: its worker process {ended} while loading a cached model$"
        ):
            device.load(b"")
    elif when == "version":
        with pytest.raises(
            CompileError, match=f"^faulty: its worker process {ended} while reading its version$"
        ):
            device.version()
    else:
        activity = "looking for the device" if when == "available" else "opening the device"
        assert device.available() == f"faulty: its worker process {ended} while {activity}"


@pytest.mark.parametrize("does", ["hang", "hang hard"])
def test_a_worker_that_exceeds_a_limit_is_killed(does: str) -> None:
    hung = re.escape("did not answer within 1 s and was killed")
    start = time.monotonic()
    with pytest.raises(CompileError, match=f"^faulty: its worker process {hung} while compiling$"):
        compiled(faulty(f"compile:{does}", QUICK))
    device = faulty(f"run:{does}", TimeLimits(run=1.0))
    model = compiled(device)
    with pytest.raises(ExecutionError, match=f"^faulty: its worker process {hung} while running a model$"):
        model.run([X, B], [None, None])
    with pytest.raises(ExecutionError, match=f"^faulty: its worker process {hung}$"):
        model.run([X, B], [None, None])
    assert time.monotonic() - start < 60
    assert children() == set()
    compiled(device)


def test_after_an_external_kill_the_next_compile_starts_a_new_worker() -> None:
    device = faulty()
    model = compiled(device)
    check(model)
    (pid,) = children()
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ExecutionError, match=r"^faulty: its worker process was killed by signal SIGKILL"):
        model.run([X, B], [None, None])
    check(compiled(device))
    (second,) = children()
    assert second != pid
    os.kill(second, signal.SIGTERM)
    os.waitid(os.P_PID, second, os.WEXITED | os.WNOWAIT)
    check(compiled(device))


def test_a_kill_during_a_run_ends_the_run_with_an_error() -> None:
    device = faulty("run:hang")
    model = compiled(device)
    (pid,) = children()
    killer = threading.Timer(0.5, os.kill, (pid, signal.SIGKILL))
    killer.start()
    with pytest.raises(ExecutionError, match="was killed by signal SIGKILL while running a model"):
        model.run([X, B], [None, None])
    killer.join()


def test_a_kill_ends_all_waiting_runs_with_an_error() -> None:
    device = faulty("run:hang")
    model = compiled(device)
    (pid,) = children()
    errors: list[str] = []

    def work() -> None:
        try:
            model.run([X, B], [None, None])
        except ExecutionError as error:
            errors.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    os.kill(pid, signal.SIGKILL)
    for thread in threads:
        thread.join()
    ended = "faulty: its worker process was killed by signal SIGKILL"
    assert sorted(errors) == [ended, ended, f"{ended} while running a model"]


def test_ctrl_c_during_a_run_kills_the_worker() -> None:
    device = faulty("run:hang")
    model = compiled(device)
    # The children of a background shell ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.run([X, B], [None, None])
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    with pytest.raises(ExecutionError, match="was killed by signal SIGKILL"):
        model.run([X, B], [None, None])
    assert compiled(device).serialize() is not None


def test_the_worker_ignores_ctrl_c() -> None:
    device = faulty()
    model = compiled(device)
    (pid,) = children()
    os.kill(pid, signal.SIGINT)
    check(model)


def test_a_worker_that_cannot_be_started_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert "faulty: its worker process cannot be started: " in (faulty().available() or "")


def test_a_simulated_npu_that_is_killed_can_be_compiled_for_again() -> None:
    spec = "sim_npu{kill=2}"
    device = isolated(open_device(spec), spec)
    model = compiled(device, RELU)
    np.testing.assert_array_equal(model.run([X], [None])[0], np.maximum(X, 0))
    with pytest.raises(ExecutionError, match="sim_npu: its worker process was killed by signal SIGKILL"):
        model.run([X], [None])
    recompiled = compiled(device, RELU)
    np.testing.assert_array_equal(recompiled.run([X], [None])[0], np.maximum(X, 0))


def test_a_slow_simulated_npu_exceeds_the_limit() -> None:
    spec = "sim_npu{slow_run=30.0}"
    model = compiled(isolated(open_device(spec), spec, QUICK), RELU)
    with pytest.raises(ExecutionError, match="did not answer within 1 s"):
        model.run([X], [None])


def test_handles_of_a_worker_that_ended_are_refused() -> None:
    spec = "sim_npu{memory=true}"
    device = isolated(open_device(spec), spec)
    model = compiled(device, RELU)
    memory = device.memory()
    assert memory is not None
    old = memory.allocate((2, 3), DType.FLOAT32)
    (pid,) = children()
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ExecutionError, match="SIGKILL"):
        model.run([old], [None])
    model = compiled(device, RELU)
    with pytest.raises(ExecutionError, match=r"^sim_npu: an input is in a worker process that ended$"):
        model.run([old], [None])
    with pytest.raises(ExecutionError, match="SIGKILL"):
        memory.copy_out(old, np.empty((2, 3), np.float32))
    new = memory.allocate((2, 3), DType.FLOAT32)
    memory.copy_in(new, X)
    assert len(model.run([new], [None])) == 1


PROGRAM = """
import os, signal, sys, time
from tests.support.fake_worker_device import faulty
from tests.lite.runtime.isolation.regions import B, X, check, compiled
from lite.runtime.isolation.worker import FORKED
from tests.lite.runtime.isolation.processes import children
"""


def program(code: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            sys.executable,
            "-W",
            "error",
            "-W",
            "ignore::DeprecationWarning",
            "-c",
            PROGRAM + textwrap.dedent(code),
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@linux_only
@pytest.mark.parametrize(
    "end",
    [
        "sys.exit(0)",
        "raise ValueError",
        "os.kill(os.getpid(), signal.SIGKILL)",
        "os._exit(0)",
        "faulty = model",
    ],
)
def test_the_worker_ends_with_the_main_process(end: str) -> None:
    process = program(
        f"""
        device = faulty()
        model = compiled(device)
        check(model)
        print(*children(), flush=True)
        {end}
        """
    )
    out, err = process.communicate(timeout=60)
    assert process.returncode == {"raise ValueError": 1, "os.kill(os.getpid(), signal.SIGKILL)": -9}.get(
        end, 0
    )
    assert ("Error" in err) == ("Error" in end), err
    assert "Warning" not in err
    assert comes_true(lambda: not is_running(int(out)))


@linux_only
def test_a_process_that_exits_during_a_run_ends_its_worker() -> None:
    process = program(
        """
        import threading
        from lite.errors import ExecutionError
        device = faulty("run:hang")
        model = compiled(device)

        def work():
            try:
                model.run([X, B], [None, None])
            except ExecutionError:
                pass

        threading.Thread(target=work, daemon=True).start()
        time.sleep(0.5)
        print(*children(), flush=True)
        """
    )
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert not is_running(int(out))


@linux_only
@pytest.mark.parametrize("does", ["hang", "hang hard"])
def test_a_hung_worker_ends_with_a_killed_main_process(does: str) -> None:
    process = program(
        f"""
        import threading
        device = faulty("run:{does}")
        model = compiled(device)
        threading.Thread(target=lambda: model.run([X, B], [None, None]), daemon=True).start()
        time.sleep(0.5)
        print(*children(), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    out, _ = process.communicate(timeout=60)
    assert comes_true(lambda: not is_running(int(out)))


@linux_only
def test_a_forked_process_starts_its_own_worker() -> None:
    process = program(
        """
        import gc
        device = faulty()
        model = compiled(device)
        check(model)
        pid = os.fork()
        if pid == 0:
            try:
                model.run([X, B], [None, None])
            except Exception as error:
                print(error, flush=True)
            check(compiled(device))
            print(len(children()), flush=True)
            sys.exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        check(model)
        check(compiled(device))
        print(len(children()), flush=True)
        """
    )
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert out == f"{FORKED}\n1\n1\n"
