"""Code and plans that another user planted are not used, in each arrangement that lets them be planted.

The planted machine code has a right signature and the entry a right checksum: only owners, permissions and
links tell that they are foreign.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lite import trusted_folder
from lite.cache import CacheDirectory
from lite.kernels.cpu.native import folder as kernels
from lite.plugin.code_signature import signed
from lite.trusted_folder import private_folder, trusted_or_private
from tests.lite.cache.region_keys import made_up_key

OTHER = 65534
NAME = "f.g-0123456789abcdef.code"
KEY = made_up_key("npu", ops="planted")

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to other users")


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    _clear()


def _clear() -> None:
    private_folder.cache_clear()
    trusted_or_private.cache_clear()
    kernels.cache_folders.cache_clear()
    kernels.writable_folder.cache_clear()


def plant(folder: Path) -> Path:
    """A folder with machine code and an entry of a cache, as this user writes them."""
    folder.mkdir(parents=True, mode=0o700)
    (folder / NAME).write_bytes(signed(NAME, b"planted"))
    (folder / NAME).chmod(0o600)
    assert CacheDirectory(folder).store(KEY, b"planted", "region") is None
    return folder


def files(folder: Path) -> list[Path]:
    """The planted files."""
    return [path for path in folder.rglob("*") if path.is_file()]


def _give(path: Path) -> None:
    os.lchown(path, OTHER, OTHER)


def _give_all(folder: Path) -> Path:
    for path in (folder, *folder.rglob("*")):
        _give(path)
    return folder


def _give_files(folder: Path) -> Path:
    for path in files(folder):
        _give(path)
    return folder


def _as_links(folder: Path) -> Path:
    """The files are links to foreign ones."""
    for path in files(folder):
        foreign = folder.parent / f"foreign-{path.name}"
        path.rename(foreign)
        path.symlink_to(foreign)
    return folder


def _modes(folder: Path, mode: int) -> Path:
    for path in files(folder):
        path.chmod(mode)
    return folder


def _changed(path: Path, mode: int, folder: Path) -> Path:
    path.chmod(mode)
    return folder


def _public(folder: Path) -> Path:
    """A folder such as /tmp beside the planted one."""
    public = folder.parent / "public"
    public.mkdir()
    public.chmod(0o1777)
    return public


def _link_of_another_user(folder: Path) -> Path:
    link = _public(folder) / "link"
    link.symlink_to(folder)
    _give(link)
    return link


def _link_of_this_user(folder: Path) -> Path:
    link = folder.parent / "link"
    link.symlink_to(_give_all(folder))
    return link


def _in_a_sticky_folder_of_another_user(folder: Path) -> Path:
    public = _public(folder)
    moved = folder.rename(public / "cache")
    _give(public)
    return moved


def _made_first_in_a_sticky_folder(folder: Path) -> Path:
    return _give_all(folder.rename(_public(folder) / "cache"))


def _hard_links(folder: Path) -> Path:
    """Files of another user, linked into the folder of this one."""
    for path in files(folder):
        foreign = folder.parent / f"foreign-{path.name}"
        path.rename(foreign)
        _give(foreign)
        os.link(foreign, path)
    return folder


ARRANGEMENTS: dict[str, Callable[[Path], Path]] = {
    "folder of another user": _give_all,
    "files of another user": _give_files,
    "hard links to files of another user": _hard_links,
    "links to files": _as_links,
    "link of another user to the folder": _link_of_another_user,
    "link of this user to a folder of another one": _link_of_this_user,
    "folder that everybody may write to": lambda folder: _changed(folder, 0o777, folder),
    "folder that is sticky itself": lambda folder: _changed(folder, 0o1777, folder),
    "folder that its group may write to": lambda folder: _changed(folder, 0o770, folder),
    "folder above that its group may write to": lambda folder: _changed(folder.parent, 0o770, folder),
    "sticky folder of another user above": _in_a_sticky_folder_of_another_user,
    "made first by another user in a sticky folder": _made_first_in_a_sticky_folder,
    "files that everybody may write to": lambda folder: _modes(folder, 0o666),
    "files that their group may write to": lambda folder: _modes(folder, 0o660),
}
"""Each takes the planted folder and returns the path that the user's settings name."""


def read(path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[bytes], bytes | None]:
    """What a process gets that names this folder for its machine code and for its caches."""
    monkeypatch.setenv(kernels.CACHE_VARIABLE, str(path))
    _clear()
    cache = CacheDirectory(trusted_or_private(path), on_problem=lambda _: None)
    return kernels.read_kept(NAME), cache.load(KEY)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The private folder of this user."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    _clear()
    return tmp_path / "xdg" / "litebridge"


@pytest.mark.usefixtures("own")
def test_what_this_user_kept_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = plant(tmp_path / "above" / "cache")
    assert read(folder, monkeypatch) == ([b"planted"], b"planted")


@needs_root
@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_planted_files_are_not_read(
    arrangement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = ARRANGEMENTS[arrangement](plant(tmp_path / "above" / "cache"))
    assert read(path, monkeypatch) == ([], None)


@needs_root
@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("exchanged", ["folder", "files"])
def test_files_that_are_exchanged_during_reads_are_never_the_planted_ones(
    exchanged: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder, or the files in it, are exchanged for foreign ones and back, again and again."""
    named, theirs, kept = plant(tmp_path / "named"), plant(tmp_path / "theirs"), plant(tmp_path / "kept")
    (theirs / NAME).write_bytes(signed(NAME, b"foreign"))
    assert CacheDirectory(theirs).store(KEY, b"foreign", "region") is None
    _give_all(theirs)
    link = tmp_path / "link"
    link.symlink_to(named)
    stops = threading.Event()

    def exchange() -> None:
        while not stops.is_set():
            for source in (theirs, kept):
                if exchanged == "folder":
                    (tmp_path / "new").symlink_to(source)
                    os.replace(tmp_path / "new", link)
                for path in files(source) if exchanged == "files" else ():
                    (named / "new").unlink(missing_ok=True)
                    os.link(path, named / "new")
                    os.replace(named / "new", named / path.name)

    thread = threading.Thread(target=exchange)
    thread.start()
    found: set[bytes | None] = set()
    try:
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            code, entry = read(link, monkeypatch)
            found |= {*code, entry}
    finally:
        stops.set()
        thread.join()
    assert found <= {b"planted", None}
    assert b"planted" in found


@needs_root
@pytest.mark.parametrize("variable", ["HOME", "XDG_CACHE_HOME"])
def test_folder_of_another_user_that_the_environment_names_is_not_used(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after ``sudo`` that keeps the environment."""
    base = tmp_path / "theirs" / (".cache" if variable == "HOME" else "")
    plant(base / "litebridge" / "kernels")
    _give_all(tmp_path / "theirs")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv(kernels.CACHE_VARIABLE, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "own"))
    monkeypatch.setenv(variable, str(tmp_path / "theirs"))
    _clear()
    chosen = private_folder()
    assert chosen is None or not chosen.is_relative_to(tmp_path / "theirs")
    assert kernels.read_kept(NAME) == []


def test_the_environment_of_a_program_with_other_rights_names_no_code(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a program with the set-user-ID bit."""
    folder = plant(tmp_path / "above" / "cache")
    monkeypatch.setenv(kernels.CACHE_VARIABLE, str(folder))
    monkeypatch.setattr(kernels, "uses_environment", lambda: False)
    monkeypatch.setattr(trusted_folder, "uses_environment", lambda: False)
    _clear()
    assert not {folder, own / kernels.cache_folders()[-1].name} & set(kernels.cache_folders())
    assert kernels.read_kept(NAME) == []
