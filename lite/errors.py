"""Every error that litebridge raises on purpose, and how near names are suggested.

A message says what happened, where, what was expected and found, and what to do.
"Not supported" is a value (a sentence); an exception means that something should have worked.
"""

from collections.abc import Iterable


class LiteError(Exception):
    """The base of all errors below; nothing else is raised by bad models, configs or inputs."""


class ConfigError(LiteError):
    """A device, pass, option or path that the user named is wrong."""


class ModelParseError(LiteError):
    """A model file, or the parameters beside it, cannot be read."""


class GraphError(LiteError):
    """A program or graph is not meaningful: slots, attributes, shapes, dtypes, order."""


class VerifyError(GraphError):
    """A rule of the IR is broken; names the rule, the node and the text around it."""


class PassError(LiteError):
    """A pass failed, or stands at a place in the list where it cannot; names the passes before it."""


class PluginError(LiteError):
    """A plug-in is missing, shadowed, or registered twice (both owners are named)."""


class CompileError(LiteError):
    """A device's compiler refused a region; `op` names the op at fault where that is known.

    An op is called by the first variable it writes.
    """

    def __init__(self, message: str, op: str | None = None) -> None:
        super().__init__(message)
        self.op = op


class ExecutionError(LiteError):
    """A kernel or a device failed while running; names the op with its input shapes and dtypes."""


class InputError(LiteError):
    """What the caller fed is not what the model takes: name, dtype, rank, a fixed dimension."""


def suggest(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: ``"; did you mean 'relu6'?"``, or nothing."""
    import difflib  # imported late: few names are wrong

    near = difflib.get_close_matches(name, list(known), n=3)
    return f"; did you mean {', '.join(repr(n) for n in near)}?" if near else ""
