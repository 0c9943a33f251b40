"""Which folders and files are trusted, by owner, permissions and links; other users need root to be tried."""

from __future__ import annotations

import os
import pwd
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lite import trusted_folder
from lite.trusted_folder import (
    TrustedFolder,
    UntrustedError,
    private_folder,
    read_trusted,
    trusted_or_private,
)

OTHER = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to other users")


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    trusted_or_private.cache_clear()
    private_folder.cache_clear()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A trusted folder with a file."""
    with TrustedFolder(tmp_path / "above" / "cache", create=True) as folder:
        folder.write("file", [b"content"])
    return tmp_path / "above" / "cache"


def refusal(path: Path) -> str:
    """Why a file is refused."""
    with pytest.raises(UntrustedError) as info:
        read_trusted(path)
    return str(info.value)


def test_files_and_folders_are_for_this_user_alone_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        with TrustedFolder(tmp_path / "a" / "b", create=True) as folder:
            folder.write("file", [b"content"])
    finally:
        os.umask(old)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a", "a/b", "a/b/file")]
    assert modes == [0o700, 0o700, 0o600]
    assert read_trusted(tmp_path / "a" / "b" / "file") == b"content"


def test_missing_folder_is_not_created_to_read(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_trusted(tmp_path / "none" / "file")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777, 0o2775])
def test_folder_that_others_may_write_to_is_refused(cache: Path, mode: int) -> None:
    cache.chmod(mode)
    assert refusal(cache / "file") == f"{cache}: other users may write to it (mode {mode:04o})"
    with pytest.raises(UntrustedError), TrustedFolder(cache, create=True):
        pass


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_folder_above_that_others_may_write_to_is_refused(cache: Path, mode: int) -> None:
    cache.parent.chmod(mode)
    assert refusal(cache / "file") == f"{cache.parent}: other users may write to it (mode {mode:04o})"


def test_sticky_folder_above_is_trusted(cache: Path) -> None:
    cache.parent.chmod(0o1777)
    assert read_trusted(cache / "file") == b"content"


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_file_that_others_may_write_to_is_refused(cache: Path, mode: int) -> None:
    (cache / "file").chmod(mode)
    assert refusal(cache / "file") == f"other users may write to it (mode {mode:04o})"


@needs_root
@pytest.mark.parametrize("name", ["file", ".", ".."])
def test_file_and_folders_of_another_user_are_refused(cache: Path, name: str) -> None:
    os.chown(cache / name, OTHER, OTHER)
    assert f"it belongs to user {OTHER}, not to user 0 or root" in refusal(cache / "file")


@needs_root
def test_sticky_folder_of_another_user_is_refused(cache: Path) -> None:
    cache.parent.chmod(0o1777)
    os.chown(cache.parent, OTHER, OTHER)
    assert f"it belongs to user {OTHER}" in refusal(cache / "file")


@needs_root
def test_files_of_root_are_trusted_by_other_users(open_folder: Path) -> None:
    cache = open_folder / "cache"
    with TrustedFolder(cache, create=True) as folder:
        folder.write("file", [b"content"])
    cache.chmod(0o755)
    (cache / "file").chmod(0o644)
    code = (
        "import os, sys; from pathlib import Path; from lite.trusted_folder import read_trusted;"
        f"os.setgroups([]); os.setgid({OTHER}); os.setuid({OTHER}); print(read_trusted(Path(sys.argv[1])))"
    )
    command = [sys.executable, "-c", code, str(cache / "file")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "b'content'\n"


def _special(kind: str) -> Callable[[Path], object]:
    return {
        "link": lambda path: path.symlink_to("file"),
        "dangling link": lambda path: path.symlink_to("none"),
        "folder": lambda path: path.mkdir(),
        "pipe": lambda path: os.mkfifo(path),
        "link to a device": lambda path: path.symlink_to("/dev/zero"),
    }[kind]


@pytest.mark.parametrize("kind", ["link", "dangling link", "folder", "pipe", "link to a device"])
def test_only_regular_files_are_opened(cache: Path, kind: str) -> None:
    _special(kind)(cache / "special")
    assert refusal(cache / "special") == "it is not a regular file"


def test_link_of_this_user_among_the_folders_is_followed(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "absolute").symlink_to(cache)
    (tmp_path / "relative").symlink_to("above/../above/cache/.")
    for name in ("absolute", "relative"):
        assert read_trusted(tmp_path / name / "file") == b"content"
    (tmp_path / "loop").symlink_to("loop")
    assert "leads through more than 40 links" in refusal(tmp_path / "loop" / "file")


@needs_root
def test_link_of_another_user_among_the_folders_is_refused(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "public").mkdir()
    (tmp_path / "public").chmod(0o1777)
    link = tmp_path / "public" / "link"
    link.symlink_to(cache)
    os.lchown(link, OTHER, OTHER)
    assert refusal(link / "file") == f"{link} is a link of user {OTHER}"


def test_link_does_not_lead_past_the_checks(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(cache)
    cache.parent.chmod(0o777)
    assert refusal(tmp_path / "link" / "file").startswith(f"{cache.parent}: other users may write")


def test_file_that_is_replaced_while_it_is_opened_is_never_read(cache: Path) -> None:
    """Another thread exchanges the file and a link to a foreign one."""
    foreign = cache.parent / "foreign"
    foreign.write_bytes(b"foreign")
    stops = threading.Event()

    def exchange() -> None:
        while not stops.is_set():
            (cache / "new").symlink_to(foreign)
            os.replace(cache / "new", cache / "file")
            (cache / "new").write_bytes(b"content")
            (cache / "new").chmod(0o600)
            os.replace(cache / "new", cache / "file")

    thread = threading.Thread(target=exchange)
    thread.start()
    outcomes = set()
    try:
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            try:
                outcomes.add(read_trusted(cache / "file"))
            except OSError:
                outcomes.add(b"refused")
    finally:
        stops.set()
        thread.join()
    assert b"foreign" not in outcomes
    assert outcomes <= {b"content", b"refused", b""}


def test_untrusted_cache_is_replaced_by_a_private_folder_with_one_warning(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
    assert trusted_or_private(cache) == cache
    trusted_or_private.cache_clear()
    cache.chmod(0o777)
    (instead,) = {trusted_or_private(cache) for _ in range(2)}
    assert instead.parent == tmp_path / "own" / "litebridge" / "caches"
    (record,) = caplog.records
    assert "other users may write to it (mode 0777); using" in record.getMessage()
    assert trusted_or_private(cache / "below") not in (cache / "below", instead)


def test_missing_cache_in_a_sticky_folder_is_not_replaced(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    assert trusted_or_private(tmp_path / "none") == tmp_path / "none"


@needs_root
def test_home_of_another_user_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after ``sudo`` that keeps HOME."""
    (tmp_path / "home").mkdir()
    os.chown(tmp_path / "home", OTHER, OTHER)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(pwd, "getpwuid", lambda _: (_ for _ in ()).throw(KeyError()))
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    assert private_folder() == tmp_path / f"litebridge-{os.geteuid()}"
    assert os.listdir(tmp_path / "home") == []


def test_environment_does_not_name_folders_in_a_program_with_other_rights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert tmp_path / "litebridge" in trusted_folder._private_folders()
    monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
    assert tmp_path / "litebridge" not in trusted_folder._private_folders()
