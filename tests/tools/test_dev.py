"""The parts of tools/dev.py that need no network."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from lite.tools import dev
from lite.tools.dev import Step

PYTEST = ("-m", "pytest", "-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The folders and links of a checkout."""
    (tmp_path / "lite").mkdir()
    for name in dev.LINKS:
        (tmp_path / name).mkdir()
        (tmp_path / "lite" / name).symlink_to(Path("..") / name)
    (tmp_path / "setup.cfg").write_text("a")
    (tmp_path / "pyproject.toml").write_text("b")
    return tmp_path


def fake_python(folder: Path, name: str, body: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def test_valid_links_are_accepted(checkout: Path) -> None:
    assert dev.link_problem(checkout) is None


def test_a_link_that_is_a_text_file_is_a_problem(checkout: Path) -> None:
    (checkout / "lite" / "kernels").unlink()
    (checkout / "lite" / "kernels").write_text("../kernels")

    problem = dev.link_problem(checkout)

    assert problem is not None
    assert problem.startswith("lite/kernels: expected a symbolic link to a folder")
    assert "core.symlinks" in problem


def test_the_fingerprint_depends_on_files_and_parts(checkout: Path) -> None:
    before = dev.fingerprint(checkout, "3.11", "dev")
    assert dev.fingerprint(checkout, "3.11", "dev") == before
    assert dev.fingerprint(checkout, "3.11d", "ev") != before

    (checkout / "setup.cfg").write_text("ab")
    (checkout / "pyproject.toml").write_text("")
    assert dev.fingerprint(checkout, "3.11", "dev") != before


def test_the_version_of_this_python_is_read() -> None:
    assert dev.python_version(sys.executable) == sys.version_info[:2]


def test_a_program_that_does_not_run_has_no_version(tmp_path: Path) -> None:
    assert dev.python_version(str(tmp_path / "none")) is None
    assert dev.python_version(str(fake_python(tmp_path, "python3.11", "exit 127"))) is None


def test_pythons_on_path_run_and_are_supported(tmp_path: Path) -> None:
    fake_python(tmp_path / "a", "python3.12", "exit 127")
    good = fake_python(tmp_path / "b", "python3.12", "echo 3 12")
    other = fake_python(tmp_path / "b", "python3.11", "echo 3 11")
    fake_python(tmp_path / "b", "python3.13", "echo 3 13")

    pythons = dev.pythons_on_path(os.pathsep.join(["", str(tmp_path / "a"), str(tmp_path / "b")]))

    assert pythons == [str(good), str(other)]


@pytest.mark.parametrize(
    ("version", "command"), [((3, 10), "demo"), ((3, 12), "demo"), ((3, 10), "test"), ((3, 13), "test")]
)
def test_supported_versions_have_no_problem(version: tuple[int, int], command: str) -> None:
    assert dev.version_problem(version, command) is None


def test_an_old_python_is_refused() -> None:
    problem = dev.version_problem((3, 9), "test")
    assert problem == "litebridge needs Python 3.10 or newer, got 3.9; use --python"


def test_the_demo_suggests_an_older_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = fake_python(tmp_path, "python3.12", "echo 3 12")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert dev.version_problem((3, 13), "demo") == (
        "the demo needs rapidocr_paddle, which has no release for Python 3.13; "
        f"run 'python3 tools/dev.py demo --python {good}' (on PATH: {good})"
    )

    monkeypatch.setenv("PATH", "")
    problem = dev.version_problem((3, 13), "demo")
    assert problem is not None
    assert problem.endswith("install Python 3.12 and run 'python3 tools/dev.py demo --python python3.12'")


def test_arguments_after_the_dashes_are_kept() -> None:
    options, rest = dev.parse(["test", "--fast", "--", "-k", "conv", "--", "x"])
    assert (options.command, options.fast, rest) == ("test", True, ["-k", "conv", "--", "x"])


def test_an_unknown_command_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        dev.parse(["tset"])
    assert stopped.value.code == 2
    assert "tset" in capsys.readouterr().err


def test_each_step_has_an_exit_status() -> None:
    steps = dev.all_steps(Path("v"), False, ["-x"])
    assert [(step.name, step.status) for step in steps] == [
        ("format", 11),
        ("lint", 12),
        ("imports", 13),
        ("types", 14),
        ("docs", 17),
        ("tests", 15),
        ("wheel", 16),
    ]
    assert steps[5].command[1:] == (*PYTEST, "-x")


def test_coverage_is_measured_without_the_suites_of_whole_models() -> None:
    coverage = dev.long_steps(Path("v"))[0]
    assert coverage.name == "coverage"
    assert coverage.command[1:] == (
        *PYTEST,
        "--cov=.",
        "--cov-branch",
        "--cov-report=term",
        "--ignore=tests/suite",
        "--ignore=tests/soak",
    )


def test_fast_leaves_out_the_site_and_the_wheel() -> None:
    steps = dev.all_steps(Path("v"), True, [])
    assert [step.name for step in steps] == ["format", "lint", "imports", "types", "tests"]
    assert steps[4].command[1:] == PYTEST


def test_long_checks_have_a_status_and_some_check_the_bounds_of_kernels() -> None:
    steps = dev.long_steps(Path("v"))
    assert {step.status for step in steps} == {18}
    assert [step.name for step in steps if step.checked] == ["checked kernels", "checked graphs"]


def test_a_checked_step_sets_the_variable(capfd: pytest.CaptureFixture[str]) -> None:
    code = "import os; print(os.environ.get('LITEBRIDGE_CHECKED'))"
    for checked in (True, False):
        assert dev.run_steps([Step("one", 11, (sys.executable, "-c", code), checked)]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert [line for line in lines if line in ("1", "None")] == ["1", "None"]


def test_steps_stop_at_the_first_failure(capfd: pytest.CaptureFixture[str]) -> None:
    def python(code: str) -> tuple[str, ...]:
        return (sys.executable, "-c", code)

    status = dev.run_steps(
        [
            Step("one", 11, python("print('1')")),
            Step("two", 12, python("raise SystemExit(7)")),
            Step("three", 13, python("print('not reached')")),
        ]
    )

    out = capfd.readouterr().out
    assert status == 12
    assert "[1/3] one" in out
    assert "two FAILED" in out
    assert "not reached" not in out


def test_the_locked_versions_are_those_of_this_python() -> None:
    assert "\nnumpy==" in dev.locked_versions((3, 11))
    assert dev.locked_versions((3, 9)) == ""


def test_a_folder_that_is_not_an_environment_is_not_emptied(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("all my work")

    with pytest.raises(dev.DevError, match="this is not a virtual environment"):
        dev.environment(sys.executable, sys.version_info[:2], "test", tmp_path)

    assert (tmp_path / "thesis.txt").read_text() == "all my work"


def test_clean_removes_generated_files_and_does_not_follow_links(checkout: Path, tmp_path: Path) -> None:
    for name in (".venv-test-3.11", ".mypy_cache", "build", "x.egg-info", "kernels/__pycache__"):
        (checkout / name).mkdir()
    (checkout / ".coverage").write_text("")
    (checkout / "kept.py").write_text("")
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    (outside / "deep").mkdir(parents=True)
    (checkout / "dist").symlink_to(outside)

    dev.clean(checkout)

    assert sorted(path.name for path in checkout.iterdir()) == sorted(
        [*dev.LINKS, "kept.py", "lite", "pyproject.toml", "setup.cfg"]
    )
    assert (outside / "deep").is_dir()
    assert list((checkout / "kernels").iterdir()) == []


def test_an_error_prints_one_message_and_has_a_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["dev.py", "test", "--python", "no-such-python"])

    assert dev.main() == dev.NO_PYTHON

    assert capsys.readouterr().err == (
        "tools/dev.py: --python no-such-python: this program does not exist or does not run\n"
    )


def test_a_quiet_call_prints_the_output_only_after_a_failure(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert dev.call([sys.executable, "-c", "print('fine')"], tmp_path, quiet=True) == 0
    assert capfd.readouterr().out == ""

    assert dev.call([sys.executable, "-c", "raise SystemExit('broken')"], tmp_path, quiet=True) == 1
    assert capfd.readouterr().out.strip() == "broken"


def test_a_matching_environment_is_reused(tmp_path: Path) -> None:
    version = sys.version_info[:2]
    fake_python(tmp_path / "bin", "python", "echo {} {}".format(*version))
    stamp = dev.fingerprint(
        dev.ROOT, dev.EXTRAS["demo"], "{}.{}".format(*version), str(dev.ROOT), dev.locked_versions(version)
    )
    (tmp_path / "litebridge.stamp").write_text(stamp)

    assert dev.environment("not-called", version, "demo", tmp_path) == tmp_path


class Pip:
    """Replaces `dev.call`, and records the commands."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.commands: list[str] = []
        monkeypatch.setattr(dev, "call", self.call)

    def call(self, command: list[str]) -> int:
        self.commands.append(" ".join(command[1:]))
        return 0


def test_opencv_without_opengl_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    message = "ImportError: libGL.so.1: cannot open shared object file: No such file or directory"
    python = fake_python(tmp_path, "python", f"echo '{message}' >&2; exit 1")
    pip = Pip(monkeypatch)

    dev.replace_opencv(str(python))

    uninstall, install = pip.commands
    assert uninstall.endswith("uninstall -qq --yes opencv-python")
    assert install.endswith("install -qq --force-reinstall --no-deps opencv-python-headless")
    assert message in capsys.readouterr().out


def test_a_working_opencv_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pip = Pip(monkeypatch)
    dev.replace_opencv(str(fake_python(tmp_path, "python", "exit 0")))
    assert pip.commands == []


def test_another_failure_of_opencv_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Pip(monkeypatch)
    python = fake_python(tmp_path, "python", "echo 'ImportError: numpy is too old' >&2; exit 1")
    with pytest.raises(dev.DevError, match="cannot be imported: ImportError: numpy is too old"):
        dev.replace_opencv(str(python))


def test_an_old_python_stops_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    python = fake_python(tmp_path, "python3.9", "echo 3 9")
    monkeypatch.setattr(sys, "argv", ["dev.py", "demo", "--python", str(python)])
    assert dev.main() == dev.NO_PYTHON
