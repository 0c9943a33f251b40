"""The library path of a worker: TPU-MLIR's libraries without the C library that comes with them.

The package has a glibc of its own, with which its programs crash where the system has another one.  They
search the package for libraries, so links to the system's have to come first.
It selects the simulator of a chip by a link inside the package, so all processes of an installation
would use the same chip; a link in the worker's own folder comes first instead.
"""

from __future__ import annotations

from pathlib import Path

_FROM_SYSTEM = ("libc.so", "libm.so", "libpthread.so", "libgcc_s", "libstdc++", "ld-linux")

_SIMULATORS = {"BM1684X": "libcmodel_bm1684x.so", "BM1688": "libcmodel_bm1688.so"}


def library_path(package: Path, folder: Path, chip: str) -> str:
    """Fill `folder` with links to the libraries; the value of LD_LIBRARY_PATH.

    A package that is not complete gives a path that lacks its libraries; the device says what is missing.
    """
    libraries = package / "lib"
    folder.mkdir()
    third_party = libraries / "third_party"
    system = _system_folder()
    for library in sorted(third_party.iterdir()) if third_party.is_dir() else ():
        source = library
        if library.name.startswith(_FROM_SYSTEM):
            source = system / library.name
        if source.exists():
            (folder / library.name).symlink_to(source)
    if chip in _SIMULATORS:
        (folder / "libcmodel.so").symlink_to(libraries / _SIMULATORS[chip])
    return ":".join(map(str, (folder, libraries, libraries / "capi")))


def _system_folder() -> Path:
    """The folder of the C library that this process uses."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        mapped = [Path(line.split(maxsplit=5)[-1].strip()) for line in maps]
    return next((path.parent for path in mapped if path.name.startswith("libc.so")), Path("/lib"))
