"""The command line program ``litebridge``, which ``python -m lite.tools.cli`` runs, too."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import click

import lite
from lite.errors import LiteError
from lite.tools.commands.bench import bench
from lite.tools.commands.bisect import bisect
from lite.tools.commands.build import build
from lite.tools.commands.cache import cache
from lite.tools.commands.check_device import check_device
from lite.tools.commands.compare import compare
from lite.tools.commands.convert import convert
from lite.tools.commands.devices import devices
from lite.tools.commands.diff import diff
from lite.tools.commands.export import export
from lite.tools.commands.info import info
from lite.tools.commands.kernels import kernels
from lite.tools.commands.map import map_command
from lite.tools.commands.memory import memory
from lite.tools.commands.new_device import new_device
from lite.tools.commands.ops import ops
from lite.tools.commands.opt import opt
from lite.tools.commands.passes import passes
from lite.tools.commands.plan import plan
from lite.tools.commands.profile import profile
from lite.tools.commands.quantize import quantize
from lite.tools.commands.report import report
from lite.tools.commands.run import run
from lite.tools.commands.serve import serve
from lite.tools.commands.stats import stats
from lite.tools.commands.tune import tune
from lite.tools.commands.visualize import visualize
from lite.tools.commands.warmup import warmup
from lite.tools.commands.what_if import what_if
from lite.tools.options.output import FAILED, debug_option, wants_traceback

SECTIONS: Mapping[str, Sequence[click.Command]] = {
    "Look at a model": (info, opt, visualize, memory, stats),
    "Run and measure a model": (run, compare, profile, bench, warmup, cache),
    "Serve a model": (serve, map_command),
    "Convert a model": (convert, export, quantize),
    "Use devices": (devices, report, plan, what_if, build, diff, tune, bisect),
    "Add a device": (new_device, check_device),
    "Look up": (ops, passes, kernels),
}
"""The commands as `litebridge --help` lists them."""


def _sentence(error: LiteError | OSError) -> str:
    """The message of an error; for one of the system, the path and what to do with it."""
    if isinstance(error, LiteError) or error.filename is None or error.strerror is None:
        return str(error)
    return f"{error.filename}: {error.strerror}; check the path and its permissions"


class _Program(click.Group):
    """Prints errors of litebridge as one message, and its log messages, to stderr."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; an error ends the program with the status `FAILED`."""
        try:
            with _logs_on_stderr():
                return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except (LiteError, OSError) as error:
            if wants_traceback(ctx):
                raise
            click.echo(f"litebridge: {_sentence(error)}", err=True)
            ctx.exit(FAILED)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of `SECTIONS`."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands section by section, with aligned descriptions."""
        width = max(map(len, self.commands))
        limit = formatter.width - width - 6
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(f"{each.name or '':<{width}}", each.get_short_help_str(limit)) for each in commands]
                )


class _EchoHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        click.echo(f"litebridge: {record.levelname.lower()}: {record.getMessage()}", err=True)


@contextmanager
def _logs_on_stderr() -> Iterator[None]:
    log = logging.getLogger("lite")
    handler, level = _EchoHandler(logging.INFO), log.level
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
    """Inspect models, run them on the host and on devices, and see where each op runs and why.

    MODEL is a Paddle, Paddle-Lite, ONNX, PNNX or TFLite model: a folder (inference.pdmodel or
    inference.json with inference.pdiparams, or __model__ with its parameters) or a model file.  The
    parameters of a model file are beside it, or --params names their file.  The content of the files decides
    the format.

    \b
    Start with:
      litebridge info model_dir                      What does the model contain?
      litebridge run model_dir --shape x=2,4         Run it on random inputs.
      litebridge opt model_dir                       What does each pass change?
      litebridge report model_dir --shape x=2,4 --device sim_npu
                                                     Where does each op run?

    Commands print tables to stdout or, with --json, one JSON document.  Messages and progress go to
    stderr.  `litebridge COMMAND --help` explains a command and gives examples.

    \b
    Exit status:
      0  success
      1  an error; stderr has one message (with --debug, the traceback)
      2  wrong usage of the command line
      3  the answer is no: an output differs (run --reference, compare, convert,
         export, bisect), a device is wrong (check-device), an entry of the
         cache is damaged (cache), an item failed (map), or a plan is worse
         (plan diff --fail-on)
    """


for _commands in SECTIONS.values():
    for _command in _commands:
        main.add_command(_command)

if __name__ == "__main__":
    main()
