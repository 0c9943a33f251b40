"""Runs that do not wait for kernels: the host answers until another process has compiled them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.ir.program import Program
from lite.ir.types import DType
from lite.plugin.kernel.compilation import COMPILERS, KernelTask
from lite.plugin.loader import load_compilers
from lite.session import compile_process
from lite.session.compile_process import CompileProcess
from lite.session.early_answers import answers_early
from tests.support.small_programs import make_program

pytest.importorskip("numba")

_PROGRAM = """
import json, logging, os, sys, time
import numpy as np
import lite
from lite.session.compile_process import COMPILE_PROCESS

folder, *statements = sys.argv[1:]
logged = []
class Lines(logging.Handler):
    def emit(self, record):
        logged.append(record.getMessage())
logging.getLogger("lite").addHandler(Lines())
logging.getLogger("lite").setLevel("INFO")
x = {"x": np.random.default_rng(0).standard_normal((32, 64)).astype(np.float32)}
config = lite.Config(folder)
said = {}

def no_process(*arguments, **options):
    raise OSError("no memory")

def wait(predictor):
    while predictor.compilation.left:
        time.sleep(0.05)

for statement in statements:
    exec(statement)
print(json.dumps({**said, "logged": logged}))
"""


def softmax_of_rows() -> Program:
    """A model with one kernel of its own, and that which joins calls."""
    ops = [("softmax", {"X": ["x"]}, {"Out": ["y"]}, {"axis": -1})]
    return make_program({"x": (DType.FLOAT32, (-1, 64))}, {}, ops, ["y"])


_RUN = "predictor = lite.create_predictor(config); first = predictor.run(x)"
_STATE = "said['state'] = vars(predictor.compilation)"
_VALUES = "said['values'] = np.concatenate([each.ravel() for each in first.values()]).tolist()"

_TWICE = (
    "said['names'] = [list(first), list(second)]; "
    "said['values'], said['later'] = first['y'].tolist(), second['y'].tolist()"
)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    lite.save_program(softmax_of_rows(), tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """A cache of kernels that has none."""
    folder = tmp_path / "kernels"
    folder.mkdir(mode=0o700)
    return folder


def run(model: Path, kernels: Path, *statements: str) -> dict[str, Any]:
    """What statements left in `said`, and the lines of the log; any warning is an error."""
    environment = {**os.environ, "LITEBRIDGE_KERNEL_CACHE": str(kernels), "PYTHONPATH": str(Path.cwd())}
    del environment["LITEBRIDGE_COMPILATION"]
    command = [sys.executable, "-W", "error", "-c", _PROGRAM, str(model), *statements]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    said: dict[str, Any] = json.loads(ended.stdout)
    return said


def test_the_host_answers_until_the_kernels_are_compiled(model: Path, kernels: Path) -> None:
    said = run(
        model,
        kernels,
        _RUN,
        _VALUES,
        _STATE,
        "said['warnings'] = predictor.report().warnings",
        "twin = predictor.clone(); twin.run(x); said['twin'] = vars(twin.compilation)",
        "wait(predictor); second = predictor.run(x); twin.run(x)",
        "said['second'] = np.concatenate([each.ravel() for each in second.values()]).tolist()",
        "said['later'], said['twin later'] = vars(predictor.compilation), vars(twin.compilation)",
        "said['warnings later'] = predictor.report().warnings",
    )
    total = said["state"]["total"]
    assert total > 1
    assert said["state"] == {"on_host": True, "left": total, "total": total, "problem": ""}
    assert said["twin"]["on_host"]
    for later in (said["later"], said["twin later"]):
        assert later == {"on_host": False, "left": 0, "total": total, "problem": ""}
    [warning] = said["warnings"]
    assert warning.startswith(f"{total} of {total} kernels are being compiled by another process")
    assert said["warnings later"] == []
    begin, end = said["logged"]
    assert begin.startswith(f"kernels that are not compiled for this machine yet: {total};")
    assert str(kernels) in begin
    assert end.startswith(f"kernels that were compiled: {total}, in ")

    x = {"x": np.random.default_rng(0).standard_normal((32, 64)).astype(np.float32)}
    by_host = lite.create_predictor(lite.Config(model, valid_places=["host"])).run(x)
    by_cpu = lite.create_predictor(lite.Config(model)).run(x)
    for values, expected in ((said["values"], by_host), (said["second"], by_cpu)):
        whole = np.concatenate([array.ravel() for array in expected.values()])
        np.testing.assert_array_equal(np.array(values, np.float32), whole)

    # The next process finds them all.
    assert run(model, kernels, _RUN, _STATE) == {
        "state": {"on_host": False, "left": 0, "total": 0, "problem": ""},
        "logged": [],
    }


def test_a_model_that_returns_a_value_twice_gets_early_answers(tmp_path: Path, kernels: Path) -> None:
    ops = [("softmax", {"X": ["x"]}, {"Out": ["y"]}, {"axis": -1})]
    program = make_program({"x": (DType.FLOAT32, (-1, 64))}, {}, ops, ["y", "y"])
    lite.save_program(program, tmp_path / "model")

    said = run(
        tmp_path / "model", kernels, _RUN, _STATE, "wait(predictor); second = predictor.run(x)", _TWICE
    )
    assert said["state"]["on_host"]
    assert said["names"] == [["y"], ["y"]]
    np.testing.assert_allclose(said["values"], said["later"], rtol=1e-6)


def test_the_process_that_compiles_outlives_the_program(model: Path, kernels: Path) -> None:
    said = run(model, kernels, _RUN, _STATE)
    assert said["state"]["left"]
    said = run(
        model,
        kernels,
        "import time; until = time.monotonic() + 120",
        f"total = {said['state']['total']}",
        "while len(os.listdir(folder + '/../kernels')) <= total: assert until > time.monotonic()",
        _RUN,
        _STATE,
    )
    assert said["state"] == {"on_host": False, "left": 0, "total": 0, "problem": ""}


@pytest.mark.parametrize(
    ("config", "by_default", "with_variable"),
    [
        (lite.Config("m", valid_places=["cpu"], compilation="background"), True, True),
        (lite.Config("m", valid_places=["cpu"], compilation="background", precision="strict"), False, False),
        (lite.Config("m", valid_places=["cpu"], compilation="background", devices=["x"]), False, False),
        (lite.Config("m", valid_places=["host"], compilation="background"), False, False),
        (lite.Config("m", valid_places=["cpu"], compilation="wait"), False, False),
        (lite.Config("m", valid_places=["cpu"]), True, False),
        (lite.Config("m", valid_places=["cpu"], precision="strict"), False, False),
    ],
)
def test_who_waits(
    config: lite.Config, by_default: bool, with_variable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert answers_early(config) is with_variable
    monkeypatch.delenv("LITEBRIDGE_COMPILATION")
    assert answers_early(config) is by_default


@pytest.mark.parametrize(
    "setting",
    [
        "config = lite.Config(folder, compilation='wait')",
        "sys.executable = '/usr/bin/uwsgi'",
        "from lite.session import compile_process as c; c._Process = no_process",
    ],
)
def test_a_run_compiles_where_the_config_says_so_or_no_process_can_be_started(
    model: Path, kernels: Path, setting: str
) -> None:
    said = run(model, kernels, setting, _RUN, _STATE)
    assert not said["state"]["on_host"]
    assert not said["state"]["left"]
    [line] = said["logged"]
    assert line.startswith("compiling kernels for this machine into ")


def test_a_run_waits_where_kernels_cannot_be_kept(model: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    no_folder = "from lite.kernels.cpu.native import folder as kept; kept.private_folder = lambda: None"
    said = run(model, tmp_path / "file" / "below", no_folder, _RUN, _STATE)
    assert said["state"] == {"on_host": False, "left": 0, "total": 0, "problem": ""}
    [line] = said["logged"]
    assert line.startswith("compiling kernels in each process, as no folder to keep them is writable")


@pytest.mark.parametrize(
    ("start", "reason"),
    [
        ("import sys; sys.exit('no space left')", "no space left"),
        ("import os; os._exit(3)", "the process ended with status 3"),
        ("import os; os.kill(os.getpid(), 9)", "the process that compiles was killed by signal 9"),
    ],
)
def test_a_process_that_fails_is_a_sentence_of_the_report(
    model: Path, kernels: Path, start: str, reason: str
) -> None:
    said = run(
        model,
        kernels,
        f"from lite.session import compile_process; compile_process._START = {start!r}",
        _RUN,
        "wait(predictor); again = predictor.run(x)",
        "said['equal'] = all((again[name] == first[name]).all() for name in first)",
        "said['warnings'] = predictor.report().warnings",
        _STATE,
    )
    assert said["equal"]
    assert said["state"]["on_host"]
    assert said["state"]["left"] == 0
    [warning] = said["warnings"]
    assert warning.startswith("the kernels ")
    assert warning.endswith(f"could not be compiled: {reason}")
    assert len(said["logged"]) == 2


def test_a_forked_process_gets_answers_and_the_kernels_too(model: Path, kernels: Path) -> None:
    said = run(
        model,
        kernels,
        _RUN,
        "from tests.soak.forked import Child",
        "child = Child.start(lambda: (predictor.run(x), wait(predictor), predictor.run(x), "
        "json.dumps(vars(predictor.compilation)))[-1])",
        "said['child'] = json.loads(child.answer(120))",
    )
    assert (said["child"]["on_host"], said["child"]["problem"]) == (False, "")


def test_the_missing_kernels_of_shapes_are_known_before_a_run(model: Path, kernels: Path) -> None:
    said = run(
        model,
        kernels,
        "config = lite.Config(folder, compilation='wait')",
        "predictor = lite.create_predictor(config)",
        "before = predictor.missing_kernels({'x': (32, 64)}); said['before'] = len(before)",
        "predictor.run(x); said['after'] = predictor.missing_kernels({'x': (32, 64)})",
        "said['kept'] = len([name for name in os.listdir(folder + '/../kernels') if name.endswith('.code')])",
    )
    assert said["after"] == []
    assert said["before"] == said["kept"] > 1


@dataclass
class Recorded:
    """A compiler that keeps nothing, or all."""

    keeps: bool
    kept: set[str]

    def why_not(self) -> str:
        return "" if self.keeps else "it keeps nothing"

    def folder(self) -> str:
        return "nowhere"

    def is_kept(self, task: KernelTask) -> bool:
        return task.name in self.kept

    def compile(self, tasks: object, is_wanted: object) -> None:
        raise AssertionError(tasks)


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Recorded:
    load_compilers()
    recorded = Recorded(keeps=True, kept=set())
    monkeypatch.setattr(COMPILERS, "get", lambda _: lambda: recorded)
    return recorded


def test_kernels_that_are_kept_meanwhile_need_no_process(
    registered: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compile_process, "_Process", None)
    task = KernelTask("cpu", "a.b")
    registered.kept.add("a.b")
    process = CompileProcess()
    assert process.request([task]) == ""
    assert not process.is_at_work([task])


def test_a_compiler_that_keeps_nothing_gets_no_process(registered: Recorded) -> None:
    registered.keeps = False
    process = CompileProcess()
    assert process.request([KernelTask("cpu", "a.b")]) == "it keeps nothing"
    assert not process.is_at_work([KernelTask("cpu", "a.b")])
