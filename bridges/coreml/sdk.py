"""coremltools, imported when it is first needed and without its messages."""

from __future__ import annotations

import contextlib
import functools
import io
import logging
import threading
import warnings
from collections.abc import Iterator
from typing import Any

from lite.dataclass import dataclass
from lite.ir.types import DType


@dataclass(frozen=True)
class Sdk:
    """The modules in use: `tools` is coremltools, `ops` the builder of MIL, `mil` its programs and types."""

    tools: Any
    ops: Any
    mil: Any

    def dtype(self, dtype: DType) -> Any:
        """The MIL type that holds an element type; integers have 32 bits."""
        names = {DType.FLOAT32: "fp32", DType.FLOAT16: "fp16", DType.BOOL: "bool"}
        return getattr(self.mil.types, names.get(dtype, "int32"))


_ONE_THREAD = threading.RLock()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without warnings, log messages and progress bars; one thread at a time.

    coremltools keeps the function under construction in a list of the process.
    """
    with _ONE_THREAD, _silenced():
        yield


@contextlib.contextmanager
def _silenced() -> Iterator[None]:
    log = logging.getLogger("coremltools")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)


@functools.cache
def sdk() -> Sdk:
    """The modules; raises `ImportError` where coremltools is not installed."""
    with quiet():
        import coremltools
        from coremltools.converters.mil import Builder, mil

    return Sdk(coremltools, Builder, mil)
