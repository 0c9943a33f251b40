"""Damages every kept file at every class of positions: ``python -m tests.soak.cache_damage``.

The classes of a file are the parts of its format: of an entry of the cache magic, version, sizes, header,
digest, blob and checksum; of machine code checksum, signature, header and code.  At the first, a middle and
the last byte of each part one bit is flipped, and the file is cut there.  A new process must then give the
right answer, and the one after it, too.
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
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from tests.soak.forked import Child

ANSWER_SECONDS = 300.0

_ENTRY = {"magic": 8, "version": 4, "header size": 4, "blob size": 8}
_DIGEST, _CHECKSUM = 32, 4
_CODE = {"checksum": 64, "blank": 1, "signature": 64, "end of line": 1}


def parts(path: Path) -> Mapping[str, tuple[int, int]]:
    """The parts of a kept file: begin and end, by name."""
    content = path.read_bytes()
    if path.suffix == ".model":
        _, _, header, blob = struct.unpack_from("<8sIIQ", content)
        sizes = {**_ENTRY, "header": header, "digest": _DIGEST}
        sizes |= {"start of blob": min(blob, 8), "blob": max(blob - 8, 0), "blob's checksum": _CHECKSUM}
    elif path.suffix in (".code", ".machine"):
        header = content.find(b"\n", sum(_CODE.values())) + 1 - sum(_CODE.values())
        sizes = {**_CODE, "header": max(header, 0)}
        sizes["code"] = len(content) - sum(sizes.values())
    else:
        sizes = {"content": len(content)}
    ends = {}
    place = 0
    for name, size in sizes.items():
        ends[name] = place, min(place + size, len(content))
        place += size
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
@click.option("--devices", default=",sim_npu", show_default=True, help="Devices, one run for each.")
@click.option("--files", default=12, show_default=True, help="Files of machine code, of many alike.")
@click.option("--minutes", type=float, help="Stop after so many minutes.")
def main(devices: str, files: int, minutes: float | None) -> None:
    """Exit status 1 for a wrong answer, an error or a hang."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore", DeprecationWarning)
    start = time.monotonic()
    failures: list[str] = []
    counts: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LITEBRIDGE_KERNEL_CACHE"] = f"{folder}/kernels"
        from tests.soak.cached_model import CachedModel

        model = CachedModel(Path(folder))
        for device in devices.split(","):
            names = tuple(filter(None, [device]))
            # The second process stores what the first one found out.
            for _ in range(2):
                answer = Child.start(lambda: model.run(names)).answer(ANSWER_SECONDS)  # noqa: B023
                assert answer == "right", answer
            for path in _kept(model.cache, Path(folder, "kernels"), files):
                intact = path.read_bytes()
                for name, content in damages(path):
                    if minutes is not None and time.monotonic() - start > 60 * minutes:
                        break
                    path.write_bytes(content)
                    for attempt in ("first", "second"):
                        answer = Child.start(lambda: model.run(names)).answer(ANSWER_SECONDS)  # noqa: B023
                        counts[path.suffix or path.name] += 1
                        if answer != "right":
                            failures.append(f"{device} {path.name}, {name}, {attempt} run: {answer}")
                    path.write_bytes(intact)
    taken = (time.monotonic() - start) / 60
    click.echo(f"{dict(counts)} runs, {len(failures)} failures, {taken:.1f} minutes")
    for failure in failures[:20]:
        click.echo(failure)
    sys.exit(1 if failures else 0)


def _kept(cache: Path, kernels: Path, files: int) -> list[Path]:
    """The files of the cache, and some of machine code."""
    code = sorted(kernels.glob("*.code"))
    chosen = code[:: max(len(code) // max(files, 1), 1)][:files]
    others = [path for path in sorted(cache.rglob("*")) if path.is_file()]
    return [*others, *sorted(kernels.glob("*.machine")), *chosen]


if __name__ == "__main__":
    main()
