"""The exceptions of ONNX Runtime, and the errors of litebridge as these exceptions."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from contextlib import contextmanager

from lite.errors import ConfigError, ExecutionError, InputError, LiteError


class Status(enum.IntEnum):
    """ONNX Runtime's numbers of failures, which begin its messages."""

    FAIL = 1
    INVALID_ARGUMENT = 2
    NO_SUCHFILE = 3
    NO_MODEL = 4
    ENGINE_ERROR = 5
    RUNTIME_EXCEPTION = 6
    INVALID_PROTOBUF = 7
    MODEL_LOADED = 8
    NOT_IMPLEMENTED = 9
    INVALID_GRAPH = 10
    EP_FAIL = 11


class OrtError(LiteError):
    """The base of the exceptions of this API, with the text ``[ONNXRuntimeError] : number : NAME : …``."""

    status = Status.FAIL

    def __init__(self, message: str) -> None:
        super().__init__(f"[ONNXRuntimeError] : {self.status.value} : {self.status.name} : {message}")


class Fail(OrtError):
    """A failure of no other kind."""


class InvalidArgument(OrtError):
    """A name, dtype, rank or size that the model does not take."""

    status = Status.INVALID_ARGUMENT


class NoSuchFile(OrtError):
    """The model's file does not exist."""

    status = Status.NO_SUCHFILE


class NoModel(OrtError):
    """There is no model."""

    status = Status.NO_MODEL


class EngineError(OrtError):
    """Not raised; programs import it."""

    status = Status.ENGINE_ERROR


class RuntimeException(OrtError):
    """An op failed in a run."""

    status = Status.RUNTIME_EXCEPTION


class InvalidProtobuf(OrtError):
    """The file is no ONNX model, or is damaged."""

    status = Status.INVALID_PROTOBUF


class ModelLoaded(OrtError):
    """Not raised; programs import it."""

    status = Status.MODEL_LOADED


class NotImplementedHere(OrtError):
    """The model or the program asks for what this engine does not have: ONNX Runtime's ``NotImplemented``."""

    status = Status.NOT_IMPLEMENTED


class InvalidGraph(OrtError):
    """The model is readable and wrong, or has ops that are not supported."""

    status = Status.INVALID_GRAPH


class EPFail(OrtError):
    """A device failed, with ``fallback="error"``."""

    status = Status.EP_FAIL


class MissingInputError(InputError, ValueError):
    """Inputs that are missing in a feed, which ONNX Runtime reports as a ValueError."""


class BindingError(InputError, RuntimeError):
    """A name that cannot be bound, which ONNX Runtime reports as a RuntimeError."""


class OrtTypeError(ConfigError, TypeError):
    """An argument of a wrong type, which ONNX Runtime reports as a TypeError."""


EXCEPTIONS = {
    "EPFail": EPFail,
    "EngineError": EngineError,
    "Fail": Fail,
    "InvalidArgument": InvalidArgument,
    "InvalidGraph": InvalidGraph,
    "InvalidProtobuf": InvalidProtobuf,
    "ModelLoaded": ModelLoaded,
    "NoModel": NoModel,
    "NoSuchFile": NoSuchFile,
    "NotImplemented": NotImplementedHere,
    "RuntimeException": RuntimeException,
}
"""The exceptions by ONNX Runtime's names."""


@contextmanager
def while_loading() -> Iterator[None]:
    """Raise errors of litebridge about a model as ONNX Runtime's."""
    try:
        yield
    except ConfigError as error:
        raise InvalidArgument(str(error)) from error
    except LiteError as error:
        raise InvalidGraph(f"This is an invalid model. {error}") from error


@contextmanager
def while_running() -> Iterator[None]:
    """Raise errors of litebridge in a run as ONNX Runtime's."""
    try:
        yield
    except InputError as error:
        raise InvalidArgument(str(error)) from error
    except ExecutionError as error:
        raise RuntimeException(str(error)) from error
    except LiteError as error:
        raise Fail(str(error)) from error
