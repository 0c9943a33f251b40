"""Damages every kept file at every class of positions: ``python -m tests.soak.cache_damage``.

`tests.soak.kept_files` lists the files, and what reads them.  The classes of a file are the parts of its
format: of an entry of the cache magic, version, sizes, header, digest, blob and checksum; of machine code
checksum, signature, header and code.  At the first, a middle and the last byte of each part one bit is
flipped, and the file is cut there.  A new process must then give the right answer, and the one after it, too;
a damaged artifact, which cannot be made again, may be refused.
"""

from __future__ import annotations

import collections
import logging
import os
import struct
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from tests.soak.forked import Child, import_what_it_imports

ANSWER_SECONDS = 300.0

_ENTRY = {"magic": 8, "version": 4, "header size": 4, "blob size": 8}
_DIGEST, _CHECKSUM = 32, 4
_SIGNED = {"checksum": 64, "blank": 1, "signature": 64, "end of line": 1}
_LOCAL, _CENTRAL, _END = 30, 46, 22
"""Bytes of the headers of a zip file without names."""


def parts(path: Path) -> Mapping[str, tuple[int, int]]:
    """The parts of a kept file: begin and end, by name."""
    content = path.read_bytes()
    if path.suffix == ".lbm":
        return _parts_of_zip(path)
    if path.suffix == ".model":
        _, _, header, blob = struct.unpack_from("<8sIIQ", content)
        sizes = {**_ENTRY, "header": header, "digest": _DIGEST}
        sizes |= {"start of blob": min(blob, 8), "blob": max(blob - 8, 0), "blob's checksum": _CHECKSUM}
    elif path.suffix in (".code", ".machine", ".so"):
        line = content.find(b"\n", sum(_SIGNED.values())) + 1 - sum(_SIGNED.values())
        sizes = {**_SIGNED, "header": max(line, 0) if path.suffix == ".code" else 0}
        sizes["code"] = len(content) - sum(sizes.values())
    else:
        checksum = content.find(b"\n")
        has_checksum = path.name not in ("costs.json", "tuned.json", "kernel-secret")
        sizes = {"checksum": checksum, "end of line": 1} if has_checksum and checksum > 0 else {}
        sizes["content"] = len(content) - sum(sizes.values())
    ends = {}
    place = 0
    for name, size in sizes.items():
        ends[name] = place, min(place + size, len(content))
        place += size
    return {name: part for name, part in ends.items() if part[0] < part[1]}


def _parts_of_zip(path: Path) -> Mapping[str, tuple[int, int]]:
    ends = {}
    with zipfile.ZipFile(path) as archive:
        directory = archive.start_dir
        members = sorted(archive.infolist(), key=lambda member: member.header_offset)
        for number, member in enumerate(members):
            begin = member.header_offset
            data = (
                members[number + 1].header_offset if number + 1 < len(members) else directory
            ) - member.compress_size
            ends[f"header of {member.filename}"] = begin, begin + _LOCAL
            ends[f"name and padding of {member.filename}"] = begin + _LOCAL, data
            ends[f"data of {member.filename}"] = data, data + member.compress_size
    size = path.stat().st_size
    ends["directory"] = directory, size - _END
    ends["end"] = size - _END, size
    return {name: part for name, part in ends.items() if part[0] < part[1]}


def damages(path: Path) -> Iterator[tuple[str, bytes]]:
    """Damaged contents of a file, with a name of each."""
    content = path.read_bytes()
    for name, (begin, end) in parts(path).items():
        for place in sorted({begin, (begin + end) // 2, end - 1}):
            for bit in (0, 6):
                flipped = bytearray(content)
                flipped[place] ^= 1 << bit
                yield f"{name}, bit {bit} of byte {place}", bytes(flipped)
        yield f"cut in {name}", content[: (begin + end) // 2]


@click.command()
@click.option("--only", default="", help="Only the uses of kept files whose name contains this.")
@click.option("--files", default=6, show_default=True, help="Files of machine code, of many alike.")
@click.option("--minutes", type=float, help="Stop each use after so many minutes.")
def main(only: str, files: int, minutes: float | None) -> None:
    """Exit status 1 for a wrong answer, an error or a hang."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore", DeprecationWarning)
    start = time.monotonic()
    failures: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LITEBRIDGE_KERNEL_CACHE"] = f"{folder}/kernels"
        os.environ["XDG_CACHE_HOME"] = f"{folder}/own"
        from tests.soak.kept_files import RIGHT, uses

        for use in uses(Path(folder), files):
            if only not in use.name:
                continue
            counts: collections.Counter[str] = collections.Counter()
            begin = time.monotonic()
            # The second process stores what the first one found out.
            answers = (
                import_what_it_imports(use.run, ANSWER_SECONDS),
                Child.start(use.run).answer(ANSWER_SECONDS),
            )
            assert answers == (RIGHT, RIGHT), (use.name, answers)
            kept = list(use.files())
            assert kept, use.name
            damaged = 0
            for path in kept:
                intact = path.read_bytes()
                for name, content in damages(path):
                    if minutes is not None and time.monotonic() - begin > 60 * minutes:
                        counts["not tried"] += 1
                        continue
                    damaged += 1
                    path.write_bytes(content)
                    for attempt in ("first", "second"):
                        answer = Child.start(use.run).answer(ANSWER_SECONDS)
                        counts[answer if use.is_allowed(answer) else "failed"] += 1
                        if not use.is_allowed(answer):
                            failures.append(f"{use.name}: {path.name}, {name}, {attempt} run: {answer}")
                    path.write_bytes(intact)
            click.echo(f"{use.name}: {len(kept)} files, {damaged} damages, runs: {dict(counts)}")
    taken = (time.monotonic() - start) / 60
    click.echo(f"{len(failures)} failures, {taken:.1f} minutes")
    for failure in failures[:20]:
        click.echo(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
