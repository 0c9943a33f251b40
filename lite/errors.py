"""All errors that litebridge raises, and the suggestion of similar names.

A message has the problem, the place, the expected and the actual value, and a remedy.  "Not supported" is
not an error but a value, a sentence; an exception means that something should have worked.
"""

from collections.abc import Iterable


class LiteError(Exception):
    """The base of all errors; invalid models, configurations and inputs raise nothing else."""


class ConfigError(LiteError):
    """The user named a device, pass, option or path that does not exist or does not fit."""


class ModelParseError(LiteError):
    """A model file or its parameter file cannot be read."""


class GraphError(LiteError):
    """A program or graph is not valid: slots, attributes, shapes, dtypes, order."""


class VerifyError(GraphError):
    """A graph breaks a rule of the IR; the message names the rule and shows the node."""


class PassError(LiteError):
    """A pass failed or has a wrong position in the list; the message names the passes before it."""


class PluginError(LiteError):
    """A plug-in is missing, or registered twice; the message names both owners."""


class CompileError(LiteError):
    """A device cannot compile a region; `op` is the label of the op at fault, where it is known."""

    def __init__(self, message: str, op: str | None = None) -> None:
        super().__init__(message)
        self.op = op


class ExecutionError(LiteError):
    """A kernel or a device failed in a run; the message names the op, its input shapes and dtypes."""


class InputError(LiteError):
    """An input does not fit the model: name, dtype, rank or a fixed dimension."""


def suggest(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: ``"; did you mean 'relu6'?"`` or an empty string."""
    import difflib  # Imported here because most runs need no suggestion.

    near = difflib.get_close_matches(name, list(known), n=3)
    return f"; did you mean {', '.join(repr(n) for n in near)}?" if near else ""
