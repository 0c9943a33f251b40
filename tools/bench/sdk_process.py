"""The SDK of a device with an environment of its own, in a process of its interpreter."""

from __future__ import annotations

import os
import signal
import subprocess
import weakref
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

import click
import numpy as np

from lite.environments.installed import find_installed
from lite.environments.variables import clean_variables
from lite.ir.types import Array
from lite.plugin.device import Settings
from lite.plugin.device.opening import open_device

_RUNNER = Path(__file__).parent / "sdk_runner.py"


class SdkProcess:
    """Runs a model when it is called, and returns the milliseconds that the SDK took, as measured inside.

    Between calls the process is stopped: threads of some SDKs never rest, and would slow down the other side.
    """

    def __init__(self, sdk: str, model: bytes, suffix: str, image: Array, out: Array, threads: int) -> None:
        device = open_device(sdk, Settings(threads=threads))
        assert device.environment is not None, f"{sdk} has no environment of its own"
        found = find_installed(sdk, device.environment)
        if isinstance(found, str):
            raise click.ClickException(f"{sdk}: {found}")
        # The SDK's children may still write to it.
        self._folder = TemporaryDirectory(ignore_cleanup_errors=True)
        folder = Path(self._folder.name)
        files = folder / f"model{suffix}", folder / "in.npy", folder / "out.npy"
        files[0].write_bytes(model)
        np.save(files[1], image)
        self._log = (folder / "log.txt").open("w+", encoding="utf-8")
        variables = dict(device.worker_variables(found.packages, folder))
        self._process = subprocess.Popen(
            [found.python, "-I", "-B", _RUNNER, sdk, *files],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            cwd=folder,
            env={**clean_variables(os.environ), **variables},
            text=True,
        )
        weakref.finalize(self, _end, self._process, self._log, self._folder)
        self._answer()
        np.copyto(out, np.load(files[2]).reshape(out.shape))

    def __call__(self) -> float:
        """Run once; the milliseconds."""
        assert self._process.stdin is not None
        self._process.send_signal(signal.SIGCONT)
        self._process.stdin.write("run\n")
        self._process.stdin.flush()
        return float(self._answer())

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._process.kill()
            self._process.wait()
            self._log.seek(0)
            raise click.ClickException(f"the SDK's process ended: {self._log.read()[-2000:]}")
        self._process.send_signal(signal.SIGSTOP)
        return line


def _end(process: subprocess.Popen[str], log: TextIO, folder: TemporaryDirectory[str]) -> None:
    """Kill a process, wait for its end, and remove its folder."""
    with folder, log, process:
        process.kill()
