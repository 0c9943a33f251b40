"""The package that `litebridge new-device` writes: its files, its size, and that it works at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lite.errors import ConfigError
from lite.tools.new_device.write import FILES, check_name, write_device
from tests.support.virtual_environment import Workshop
from tests.tools.tiny_model import call

MOST_LINES = 150
VENDOR_FILES = ("sdk.py",)
"""Files of the package that the vendor replaces."""


def test_every_file_is_written(tmp_path: Path) -> None:
    written = write_device("my_npu", tmp_path)
    names = [path.relative_to(tmp_path / "my_npu").as_posix() for path in written]
    assert names == [name.format(package="litebridge_my_npu") for name in FILES]
    assert all("{{" not in path.read_text() for path in written)


def test_five_ops_take_under_150_lines(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    write_device("my_npu", tmp_path)
    package = tmp_path / "my_npu" / "litebridge_my_npu"
    lines = {
        path.name: len(path.read_text().splitlines())
        for path in package.glob("*.py")
        if path.name not in VENDOR_FILES
    }
    record_property("lines", lines)
    assert (package / "bridges.py").read_text().count('bridge("my_npu", ') == 5
    assert 100 < sum(lines.values()) < MOST_LINES, lines


@pytest.mark.parametrize("name", ["Npu", "1npu", "my__npu", "_npu", "npu_", "my-npu", "class", "", "a/b"])
def test_an_invalid_name_is_an_error(name: str) -> None:
    with pytest.raises(ConfigError, match="cannot be a device's name"):
        check_name(name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sim_npu", "a device 'sim_npu' exists already, in lite.bridges.sim_npu"),
        ("host", "is the name of the host"),
    ],
)
def test_a_taken_name_is_an_error(name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        check_name(name)


def test_an_installed_package_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "litebridge_other").mkdir()
    (tmp_path / "litebridge_other" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ConfigError, match="litebridge_other is installed already"):
        check_name("other")


def test_an_existing_directory_is_an_error_and_stays_unchanged(tmp_path: Path) -> None:
    (tmp_path / "my_npu").mkdir()
    done = call("new-device", "my_npu", "--out", tmp_path)
    assert done.exit_code == 1
    assert "exists already" in done.stderr
    assert list((tmp_path / "my_npu").iterdir()) == []


def test_next_steps_are_printed(tmp_path: Path) -> None:
    done = call("new-device", "my_npu", "--out", tmp_path)
    assert done.exit_code == 0
    assert f"pip install --editable {tmp_path / 'my_npu'}" in done.stdout
    assert "litebridge check-device my_npu" in done.stdout


@pytest.mark.slow
def test_the_package_conforms_and_passes_its_tests(tmp_path: Path, root: Path) -> None:
    workshop = Workshop(tmp_path / "venv", root)
    workshop.run("litebridge new-device my_npu", tmp_path)
    workshop.run("python -m pip install --editable my_npu", tmp_path)
    printed = workshop.run("litebridge check-device my_npu --json conformance.json", tmp_path)
    assert "my_npu conforms: score 100 %" in printed
    conformance = json.loads((tmp_path / "conformance.json").read_text())
    assert [op["name"] for op in conformance["ops"] if op["passed"]] == [
        "elementwise_add", "matmul", "matmul_v2", "relu", "sigmoid", "tanh",
    ]  # fmt: skip
    assert "14 passed" in workshop.run("python -m pytest -q -p no:cacheprovider my_npu/tests", tmp_path)
