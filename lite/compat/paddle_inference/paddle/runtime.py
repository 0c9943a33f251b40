"""What programs ask and tell Paddle about itself: versions, devices, modes, processes."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from lite.compat.paddle_inference.environment import PADDLE_VERSION, warn_ignored
from lite.errors import PluginError

_flags: dict[str, object] = {}


def try_import(module_name: str, err_msg: str | None = None) -> ModuleType:
    """The module; raises ImportError with a sentence what to install."""
    try:
        return importlib.import_module(module_name)
    except ImportError as error:
        advice = f"{module_name} is not installed; run: pip install {module_name.partition('.')[0]}"
        raise ImportError(err_msg or advice) from error


def run_check() -> None:
    """Print which engine answers ``import paddle``."""
    from lite import __version__

    print(f"litebridge {__version__} runs the models of this program, in place of paddlepaddle.")  # noqa: T201


def require_version(min_version: str, max_version: str | None = None) -> None:
    """Raise `PluginError` unless the imitated version is in a range."""
    own = _numbers(PADDLE_VERSION)
    if own < _numbers(min_version) or (max_version is not None and own > _numbers(max_version)):
        raise PluginError(
            f"the program needs Paddle {min_version} to {max_version or 'the newest'}; "
            f"litebridge has the API of {PADDLE_VERSION}"
        )


def deprecated(*_: object, **options: object) -> Callable[[Any], Any]:
    """A decorator without effect."""
    return lambda decorated: decorated


class no_grad(contextlib.ContextDecorator):  # noqa: N801 - Paddle's name
    """A block or function without gradients, as all of them are here."""

    def __new__(cls, func: Any = None) -> Any:
        """The block, or the decorated function itself."""
        return super().__new__(cls) if func is None else func

    def __init__(self, func: Any = None) -> None:
        pass

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(self, *_: object) -> None:
        """Nothing to do."""


@contextlib.contextmanager
def auto_cast(*_: object, **options: object) -> Iterator[None]:
    """A block without effect: models run in the precision in which they were saved."""
    yield


def seed(seed: int) -> int:
    """Has no effect: models do not draw numbers from a common generator."""
    return seed


def set_flags(flags: Mapping[str, object]) -> None:
    """Keep flags for `get_flags`; none has an effect."""
    _flags.update(flags)


def get_flags(flags: str | Sequence[str]) -> dict[str, object]:
    """The flags of these names that were set."""
    names = [flags] if isinstance(flags, str) else flags
    return {name: _flags.get(name) for name in names}


def in_dynamic_mode() -> bool:
    """Always True."""
    return True


def enable_static() -> None:
    """Has no effect; logs a warning."""
    warn_ignored("enable_static", "models are loaded by paddle.inference or paddle.jit.load")


def disable_static(place: object = None) -> None:
    """Has no effect: tensors always have values."""


def get_default_dtype() -> str:
    """Always ``"float32"``."""
    return "float32"


def get_rank(group: object = None) -> int:
    """Always 0."""
    return 0


def get_world_size(group: object = None) -> int:
    """Always 1."""
    return 1


def init_parallel_env() -> None:
    """Has no effect: there is one process."""


def is_initialized() -> bool:
    """Always False."""
    return False


def barrier(group: object = None) -> None:
    """Has no effect: there is one process."""


class ParallelEnv:
    """The only process of a program."""

    rank = local_rank = device_id = 0
    world_size = nranks = 1
    current_endpoint, trainer_endpoints = "", ()


class CPUPlace:
    """The place of all tensors."""

    def __repr__(self) -> str:
        return "Place(cpu)"


def show() -> None:
    """Print the version of the API."""
    print(f"full_version: {PADDLE_VERSION}")  # noqa: T201


def absent() -> str:
    """``"False"``: the library is not built in."""
    return "False"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


_MAJOR, _MINOR, _PATCH = PADDLE_VERSION.split(".")
VERSION: dict[str, object] = {
    "full_version": PADDLE_VERSION,
    "major": _MAJOR,
    "minor": _MINOR,
    "patch": _PATCH,
    "rc": "0",
    "commit": "litebridge",
    "istaged": True,
    "with_mkl": "OFF",
    "show": show,
    "cuda": absent,
    "cudnn": absent,
    "nccl": absent,
    "xpu": absent,
    "tensorrt": absent,
    "cuda_version": "False",
    "cudnn_version": "False",
}
"""The members of ``paddle.version``."""
