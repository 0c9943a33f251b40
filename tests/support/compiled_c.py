"""Models written as C, compiled by a compiler of this machine and run as programs."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from lite.codegen import Export, export_c
from lite.config import Config
from lite.io.save import save_program
from lite.ir.program import Program
from lite.ir.types import Array

STRICT = ("-std=gnu99", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-march=native", "-ffp-contract=off")
SANITIZED = (*STRICT, "-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
FAST = (*STRICT, "-O3")
QUICK = (*STRICT, "-O1")


def need(program: str) -> str:
    """The path of a program; skips the test where it is not installed."""
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed")
    return path


@dataclass(frozen=True)
class CompiledModel:
    """A compiled example program in the folder of an export."""

    folder: Path
    export: Export

    def run(self, feeds: Mapping[str, Array], *options: str) -> list[Array]:
        """The outputs for these inputs; fails the test where the program does not end with 0."""
        result = self.call(feeds, *options)
        assert result.returncode == 0, result.stderr
        return self.results()

    def results(self) -> list[Array]:
        """The outputs that the last call wrote."""
        return [
            np.fromfile(self.folder / f"out{n}.bin", each.dtype.numpy).reshape(each.shape)
            for n, each in enumerate(self.export.outputs)
        ]

    def call(
        self, feeds: Mapping[str, Array], *options: str, limit: float = 120
    ) -> subprocess.CompletedProcess[str]:
        """Run the program with these inputs."""
        inputs = []
        for n, each in enumerate(self.export.inputs):
            path = self.folder / f"in{n}.bin"
            np.ascontiguousarray(feeds[each.name]).tofile(path)
            inputs.append(str(path))
        outputs = [str(self.folder / f"out{n}.bin") for n in range(len(self.export.outputs))]
        command = [str(self.folder / self.export.name), *options, *inputs, *outputs]
        return subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)


def compile_model(
    config: Config, folder: Path, flags: Sequence[str] = SANITIZED, compiler: str = "gcc"
) -> CompiledModel:
    """Write the model of a Config as C and compile it; a warning is an error."""
    path = need(compiler)
    export = export_c(config, folder, name="model")
    command = ["make", "-s", "-C", str(folder), f"CC={path}", f"CFLAGS={' '.join(flags)}"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return CompiledModel(folder, export)


def saved_config(program: Program, folder: Path, **settings: object) -> Config:
    """A Config of a program that is saved to a folder first."""
    save_program(program, folder)
    return Config(model_dir=folder, **settings)  # type: ignore[arg-type]
