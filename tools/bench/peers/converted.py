"""Converts models for engines that do not read ONNX; the results are kept beside the ONNX file."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from lite.tools.bench.peers.peer import CannotRunError

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_LONGEST = 100
"""The largest number of characters of a converter's message in a reason."""


def converted(onnx: Path, key: str, files: Sequence[str], convert: Callable[[Path], None]) -> list[Path]:
    """The paths of `files` in the folder ``<name>-<key>``; `convert` writes missing files to a folder.

    The key names the converter, its version and its options.  Raises `CannotRunError` if the converter
    does not write a file.
    """
    kept = onnx.with_name(f"{onnx.stem}-{key}")
    if not all((kept / file).is_file() for file in files):
        click.echo(f"{onnx.name}: converting to {key}", err=True)
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as scratch:
            convert(Path(scratch))
            for file in files:
                if not Path(scratch, file).is_file():
                    raise CannotRunError(f"its converter wrote no {file}")
            kept.mkdir(exist_ok=True)
            for file in files:
                Path(scratch, file).replace(kept / file)
    return [kept / file for file in files]


def run_converter(command: Sequence[str], folder: Path) -> None:
    """Run a converter in a folder; raises `CannotRunError` with its last message if it fails."""
    done = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    if done.returncode == 0:
        return
    lines = [_COLOUR.sub("", line).strip() for line in done.stdout.splitlines()]
    last = next((line for line in reversed(lines) if line), f"exit status {done.returncode}")
    if len(last) > _LONGEST:
        last = f"{last[:_LONGEST].rstrip()} …"
    raise CannotRunError(f"its converter fails: {last}")
