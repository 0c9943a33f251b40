"""Folders whose files no other user can have written: the only places that caches are read from.

A folder is trusted if it and all folders above it belong to this user or to root, and no other user may write
to them.  A folder above it that every user may write to is trusted, too, if it is sticky, as ``/tmp`` is:
there only the owner of an entry may replace it.  A file is trusted if it is regular, lies in a trusted
folder, belongs to this user or to root, and no other user may write to it.

Paths are opened one component at a time, and each check looks at the descriptor that was opened, so that
nothing can be replaced between the check and the use.  Files that are symbolic links are refused.  A link
among the folders is followed if it belongs to this user or to root and lies in a trusted folder.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import os
import pwd
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO

from lite.atomic_file import TEMPORARY_SUFFIX, write_atomically

if TYPE_CHECKING:
    import tempfile

log = logging.getLogger(__name__)

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_MOST_LINKS = 40


class UntrustedError(OSError):
    """A folder or file that another user may have written, or that is not a regular file."""


class TrustedFolder:
    """An open folder that is trusted, as a context manager that closes it.

    `create` makes missing folders with the permissions `mode`, whatever the umask allows beyond them.  Raises
    `UntrustedError`, and `OSError` where the folder cannot be opened or created.
    """

    def __init__(self, path: Path, *, create: bool = False, mode: int = 0o700) -> None:
        self.path = path
        self._descriptor = _open_folder(path, mode if create else None)

    def __enter__(self) -> TrustedFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def open(self, name: str) -> BinaryIO:
        """A file for reading; raises `UntrustedError`, and `OSError` where it cannot be opened."""
        try:
            descriptor = os.open(name, _FILE, dir_fd=self._descriptor)
        except OSError:
            status = os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
            if stat.S_ISREG(status.st_mode):
                raise
            raise UntrustedError("it is not a regular file") from None
        try:
            status = os.fstat(descriptor)
            problem = "it is not a regular file" if not stat.S_ISREG(status.st_mode) else _problem(status)
            if problem is not None:
                raise UntrustedError(problem)
        except BaseException:
            os.close(descriptor)
            raise
        return os.fdopen(descriptor, "rb")

    def read(self, name: str) -> tuple[bytes, int]:
        """The content of a file and the number of its owner; raises as `open`."""
        with self.open(name) as file:
            return file.read(), os.fstat(file.fileno()).st_uid

    def write(self, name: str, chunks: Iterable[bytes | memoryview], *, mode: int = 0o600) -> None:
        """Write a file atomically; raises `OSError`."""
        write_atomically(Path(name), chunks, mode=mode, folder=self._descriptor)

    def write_new(self, name: str, content: bytes) -> None:
        """Write a file for this user alone, unless there is one of that name; raises `OSError`."""
        temporary = f".{os.urandom(8).hex()}{TEMPORARY_SUFFIX}"
        self.write(temporary, [content])
        try:
            with contextlib.suppress(FileExistsError):
                os.link(temporary, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        finally:
            os.unlink(temporary, dir_fd=self._descriptor)

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder of that name, if there is one; raises `OSError` for one with files."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.rmdir(name, dir_fd=self._descriptor)

    @property
    def permissions(self) -> int:
        """The folder's permission bits."""
        return stat.S_IMODE(os.fstat(self._descriptor).st_mode)

    @property
    def is_writable(self) -> bool:
        """Whether this process may create files."""
        return os.access(".", os.W_OK | os.X_OK, dir_fd=self._descriptor, effective_ids=True)


def read_trusted(path: Path) -> bytes:
    """The content of a trusted file; raises `UntrustedError`, and `OSError` where it cannot be read."""
    with TrustedFolder(path.parent) as folder:
        return folder.read(path.name)[0]


@functools.cache
def trusted_or_private(path: Path) -> Path:
    """`path` if it is a trusted folder or can become one, else a folder of this user, with one warning.

    A path that cannot be opened for another reason is returned as it is.
    """
    try:
        # The folders that are missing will be created with the right permissions.
        existing = next(each for each in (path, *path.absolute().parents) if os.path.lexists(each))
        os.close(_open_folder(existing, None, is_last=existing == path))
    except UntrustedError as error:
        import tempfile

        name = hashlib.sha256(os.fsencode(path.absolute())).hexdigest()[:16]
        base = private_folder()
        instead = Path(tempfile.mkdtemp(prefix="litebridge-")) if base is None else base / "caches" / name
        log.warning("%s is not used as a cache: %s; using %s", path, error, instead)
        return instead
    except OSError:
        return path
    return path


@functools.cache
def private_folder() -> Path | None:
    """A trusted folder of this user that can be written to; None without one.

    It is ``litebridge`` in ``$XDG_CACHE_HOME`` or ``$HOME/.cache``, in the home directory of the user
    database, or ``litebridge-UID`` among the temporary files, whichever is the first that is trusted.
    """
    for path in _private_folders():
        with contextlib.suppress(OSError), TrustedFolder(path, create=True) as folder:
            if folder.is_writable:
                return path
    return None


def scratch_folder() -> tempfile.TemporaryDirectory[str]:
    """A temporary folder that no other user can exchange, for code that will run; a context manager.

    It lies in the folder for temporary files if that is trusted as a folder above, else in the private one.
    """
    # Imported here because it also imports archives and random numbers, and most processes need no folder.
    import tempfile

    usual = Path(tempfile.gettempdir() if uses_environment() else "/tmp")
    try:
        os.close(_open_folder(usual, None, is_last=False))
    except OSError as error:
        own = private_folder()
        if own is None:
            raise UntrustedError(f"no folder for temporary files is trusted: {error}") from error
        return tempfile.TemporaryDirectory(prefix="litebridge-", dir=own)
    return tempfile.TemporaryDirectory(prefix="litebridge-", dir=usual)


def uses_environment() -> bool:
    """Whether environment variables may name folders: not in a program with the rights of another user."""
    return os.getuid() == os.geteuid() and os.getgid() == os.getegid()


def _private_folders() -> Iterator[Path]:
    if uses_environment():
        cache = os.environ.get("XDG_CACHE_HOME")
        if cache and os.path.isabs(cache):
            yield Path(cache, "litebridge")
        # In a container a user may have no home directory.
        with contextlib.suppress(RuntimeError):
            yield Path.home() / ".cache" / "litebridge"
    with contextlib.suppress(KeyError):
        yield Path(pwd.getpwuid(os.geteuid()).pw_dir, ".cache", "litebridge")
    import tempfile

    yield Path(tempfile.gettempdir() if uses_environment() else "/tmp", f"litebridge-{os.geteuid()}")


def _open_folder(path: Path, create_mode: int | None, *, is_last: bool = True) -> int:
    """A descriptor of a folder; `is_last` tells whether the path ends with the folder of the cache itself."""
    pending = os.path.join(os.getcwd(), path).split("/")[::-1]
    folder = os.open("/", _FOLDER)
    links, seen = 0, "/"
    try:
        while True:
            pending = _without_empty(pending)
            if not pending:
                _check_folder(folder, seen, is_parent=not is_last)
                return folder
            _check_folder(folder, seen, is_parent=True)
            name = pending.pop()
            child = _open_child(folder, name, create_mode)
            if child is None:
                links += 1
                target = _link_target(folder, name, os.path.join(seen, name), links)
                pending += target.split("/")[::-1]
                child, name = (
                    (os.open("/", _FOLDER), "/") if target.startswith("/") else (os.dup(folder), ".")
                )
            os.close(folder)
            folder, seen = child, os.path.normpath(os.path.join(seen, name))
    except BaseException:
        os.close(folder)
        raise


def _without_empty(names: list[str]) -> list[str]:
    """The components that remain, without empty ones at the end, which is the next one."""
    while names and names[-1] in ("", "."):
        names.pop()
    return names


def _open_child(folder: int, name: str, create_mode: int | None) -> int | None:
    """A folder in a folder; None for a symbolic link."""
    for _ in range(2):
        try:
            return os.open(name, _FOLDER, dir_fd=folder)
        except FileNotFoundError:
            if create_mode is None:
                raise
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, create_mode, dir_fd=folder)
        except OSError:
            if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                return None
            raise
    return os.open(name, _FOLDER, dir_fd=folder)


def _link_target(folder: int, name: str, path: str, links: int) -> str:
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if status.st_uid not in (0, os.geteuid()):
        raise UntrustedError(f"{path} is a link of user {status.st_uid}")
    if links > _MOST_LINKS:
        raise UntrustedError(f"{path} leads through more than {_MOST_LINKS} links")
    return os.readlink(name, dir_fd=folder)


def _check_folder(folder: int, path: str, *, is_parent: bool) -> None:
    status = os.fstat(folder)
    problem = _problem(status)
    if is_parent and status.st_mode & stat.S_ISVTX and status.st_uid in (0, os.geteuid()):
        return
    if problem is not None:
        raise UntrustedError(f"{path}: {problem}")


def _problem(status: os.stat_result) -> str | None:
    """Why other users may have written a folder or file."""
    if status.st_uid not in (0, os.geteuid()):
        return f"it belongs to user {status.st_uid}, not to user {os.geteuid()} or root"
    if status.st_mode & _WRITABLE_BY_OTHERS:
        return f"other users may write to it (mode {stat.S_IMODE(status.st_mode):04o})"
    return None
