"""Environments are installed by pip from the requirements, and removed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lite.environments import interpreters
from lite.environments.folder import environment_folder
from lite.environments.install import install, remove
from lite.environments.installed import Installed, find_installed
from lite.environments.interpreters import find_interpreter
from lite.errors import PluginError
from lite.plugin.device import WorkerEnvironment
from tests.support.fake_sdk_device import NAME, PYTHON
from tests.support.fake_sdk_environment import declared, make_environment, mark, write_wheel


def failure(environment: WorkerEnvironment, python: Path | None = None) -> str:
    with pytest.raises(PluginError) as caught:
        install(NAME, environment, lambda _: None, python=python)
    assert not environment_folder(NAME).exists()
    return str(caught.value)


def interpreter(tmp_path: Path, pip: str) -> Path:
    """A shell script that makes an empty environment with itself, and runs these commands in place of pip."""
    script = tmp_path / "python"
    script.write_text(f"""#!/bin/sh
case "$*" in
    *version_info*) echo {PYTHON} ;;
    *venv*) mkdir -p "$4/bin" "$4/lib/python{PYTHON}/site-packages" && cp "$0" "$4/bin/python" ;;
    *) {pip} ;;
esac
""")
    script.chmod(0o755)
    return script


def test_an_environment_is_installed_and_removed(tmp_path: Path) -> None:
    write_wheel(tmp_path / "wheels")
    lines: list[str] = []
    found = install(NAME, declared(), lines.append)
    assert found == find_installed(NAME, declared())
    assert (found.packages / "fakesdk.py").is_file()
    assert any("fakesdk" in line for line in lines)
    assert (environment_folder(NAME).stat().st_mode & 0o777) == 0o700
    code = "from importlib.metadata import version; print(version('fakesdk'))"
    command = [str(found.python), "-I", "-c", code]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "1.0\n"

    assert remove(NAME)
    assert not environment_folder(NAME).exists()
    assert not remove(NAME)


def test_a_complete_environment_is_left_as_it_is() -> None:
    packages = make_environment()
    lines: list[str] = []
    assert install(NAME, declared(), lines.append).packages == packages
    assert lines == [f"{environment_folder(NAME)} is up to date"]


def test_an_environment_of_other_requirements_is_replaced(tmp_path: Path) -> None:
    packages = make_environment("OLD = True")
    mark("another digest")
    found = install(NAME, declared(), lambda _: None, python=interpreter(tmp_path, "echo done"))
    assert found.packages == packages
    assert list(packages.iterdir()) == []


def test_without_the_packages_the_error_says_how_to_install_offline() -> None:
    message = failure(declared())
    assert message.startswith("fake_sdk: its environment cannot be installed: pip ended with status 1; ")
    assert "set PIP_FIND_LINKS to their folder and PIP_NO_INDEX=1" in message
    assert "fakesdk==1.0" in message


def test_a_missing_interpreter_is_named() -> None:
    environment = WorkerEnvironment("3.77", declared().requirements)
    message = failure(environment)
    assert message.startswith("fake_sdk: Python 3.77 is not installed; install it (for example `uv python ")


def test_a_given_interpreter_must_have_the_version(tmp_path: Path) -> None:
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\necho 2.7\n")
    script.chmod(0o755)
    assert failure(declared(), python=script) == f"fake_sdk: {script} is Python 2.7, expected Python {PYTHON}"
    script.chmod(0o644)
    assert failure(declared(), python=script) == (
        f"fake_sdk: {script} is no interpreter, expected Python {PYTHON}"
    )


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    python = interpreter(tmp_path, 'echo "OSError: [Errno 28] No space left on device"; exit 1')
    assert "; the disk is full: free some space in " in failure(declared(), python=python)


def test_dependencies_are_not_installed_for_a_complete_list(tmp_path: Path) -> None:
    python = interpreter(tmp_path, 'echo "$@"')
    for complete in (False, True):
        lines: list[str] = []
        environment = WorkerEnvironment(PYTHON, declared().requirements, complete=complete)
        install(NAME, environment, lines.append, python=python)
        assert ("--no-deps" in lines[-1].split()) == complete


def test_two_installations_do_not_run_at_once(tmp_path: Path) -> None:
    seen: list[str] = []

    def report(line: str) -> None:
        seen.append(line)
        with pytest.raises(PluginError, match="another process installs or removes it right now"):
            remove(NAME)

    found = install(NAME, declared(), report, python=interpreter(tmp_path, "echo done"))
    assert isinstance(found, Installed)
    assert seen[-1] == "done"


def test_the_data_folder_must_be_trusted(data: Path) -> None:
    data.chmod(0o777)
    assert "other users may write to it" in failure(declared())


def test_an_interpreter_that_does_not_answer_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\nexec sleep 100\n")
    script.chmod(0o755)
    monkeypatch.setattr(interpreters, "_ANSWER_SECONDS", 0.1)
    assert find_interpreter(PYTHON, script) == f"{script} is no interpreter, expected Python {PYTHON}"
