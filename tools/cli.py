"""The command line ``litebridge``; also ``python -m lite.tools.cli``."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import click

import lite
from lite.errors import LiteError
from lite.tools.commands.bench import bench
from lite.tools.commands.bisect import bisect
from lite.tools.commands.cache import cache
from lite.tools.commands.check_device import check_device
from lite.tools.commands.compare import compare
from lite.tools.commands.convert import convert
from lite.tools.commands.devices import devices
from lite.tools.commands.export import export
from lite.tools.commands.info import info
from lite.tools.commands.kernels import kernels
from lite.tools.commands.memory import memory
from lite.tools.commands.new_device import new_device
from lite.tools.commands.ops import ops
from lite.tools.commands.opt import opt
from lite.tools.commands.passes import passes
from lite.tools.commands.profile import profile
from lite.tools.commands.report import report
from lite.tools.commands.run import run
from lite.tools.commands.stats import stats
from lite.tools.commands.tune import tune
from lite.tools.commands.visualize import visualize
from lite.tools.commands.warmup import warmup
from lite.tools.parameters import debug_option, wants_traceback

FAILED = 1
"""Exit status of a command that stopped with a message; wrong usage is 2."""

COMMANDS = (
    info,
    run,
    opt,
    visualize,
    profile,
    bench,
    stats,
    memory,
    compare,
    report,
    convert,
    export,
    devices,
    new_device,
    check_device,
    bisect,
    tune,
    ops,
    passes,
    kernels,
    cache,
    warmup,
)


class _Program(click.Group):
    """Shows errors of ours as one message, and what the engine logs, on stderr."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; ends with status `FAILED` behind the message of an error."""
        try:
            with _shown_logs():
                return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except (LiteError, OSError) as error:
            if wants_traceback(ctx):
                raise
            click.echo(f"litebridge: {error}", err=True)
            ctx.exit(FAILED)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which a model goes through them."""
        return list(self.commands)


class _EchoHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        click.echo(f"litebridge: {record.levelname.lower()}: {record.getMessage()}", err=True)


@contextmanager
def _shown_logs() -> Iterator[None]:
    log = logging.getLogger("lite")
    handler, level = _EchoHandler(), log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


@click.group(cls=_Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(lite.__version__, prog_name="litebridge", message="%(prog)s %(version)s")
@debug_option
def main() -> None:
    """Look at models, run them on the host and on devices, and see where each op runs and why.

    MODEL is a Paddle, ONNX or PNNX model: a directory (inference.pdmodel with inference.pdiparams, or
    __model__ with its parameters) or a model file, whose parameters lie beside it or are named by
    --params.  The format is told by content.

    \b
    Start with:
      litebridge info model_dir                   what is in it, and is all of it supported?
      litebridge run model_dir --shape x=2,4      run it on made-up inputs
      litebridge opt model_dir                    what do the passes do to it?
      litebridge report model_dir --shape x=2,4 --device sim_npu    where does each op run, and why?

    Every command prints tables, or with --json one JSON document, to stdout; messages and progress
    go to stderr.

    \b
    Exit status:
      0  all is well
      1  stopped by an error, which one message on stderr explains (--debug: with its traceback)
      2  wrong usage of the command line
      3  the answer is no: `run --reference`, `compare` or `bisect` found an output that differs,
         `check-device` a wrong answer, `cache` a damaged model
    """


for _command in COMMANDS:
    main.add_command(_command)

if __name__ == "__main__":
    main()
