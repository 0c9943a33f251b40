"""SessionOptions and RunOptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from lite.compat.onnxruntime.enums import ExecutionMode, ExecutionOrder, GraphOptimizationLevel
from lite.compat.onnxruntime.environment import warn_ignored
from lite.compat.onnxruntime.errors import NotImplementedHere, OrtTypeError
from lite.compat.onnxruntime.values import OrtValue
from lite.errors import ConfigError, suggest


class OptionNameError(ConfigError, AttributeError):
    """An option that does not exist, which ONNX Runtime reports as an AttributeError."""


class EntryKeyError(ConfigError, RuntimeError):
    """A config entry that was not added, which ONNX Runtime reports as a RuntimeError."""


class _Options:
    """Attributes with types; `DEFAULTS` has their first values."""

    DEFAULTS: ClassVar[Mapping[str, bool | int | str]] = {}

    def __init__(self) -> None:
        vars(self).update(self.DEFAULTS)
        vars(self)["_entries"] = {}

    def __setattr__(self, name: str, value: object) -> None:
        default = self.DEFAULTS.get(name)
        if default is None:
            near = suggest(name, self.DEFAULTS)
            raise OptionNameError(f"{type(self).__name__} has no option {name!r}{near}")
        kind = type(default)
        if not isinstance(value, int if kind in (bool, int) else kind):
            raise OrtTypeError(
                f"{type(self).__name__}.{name}: expected {kind.__name__}, got {value!r} "
                f"({type(value).__name__})"
            )
        vars(self)[name] = value


class SessionOptions(_Options):
    """How a session runs its model.

    These have an effect: `intra_op_num_threads` (0: all cores), `graph_optimization_level` (no passes with
    ``ORT_DISABLE_ALL``), `use_deterministic_compute` (``precision="strict"``), `enable_profiling` with
    `profile_file_prefix`, overrides of free dimensions, and initialisers.  All others are accepted.
    """

    DEFAULTS: ClassVar[Mapping[str, bool | int | str]] = {
        "enable_cpu_mem_arena": True,
        "enable_mem_pattern": True,
        "enable_mem_reuse": True,
        "enable_profiling": False,
        "execution_mode": ExecutionMode.ORT_SEQUENTIAL,
        "execution_order": ExecutionOrder.DEFAULT,
        "graph_optimization_level": GraphOptimizationLevel.ORT_ENABLE_ALL,
        "inter_op_num_threads": 0,
        "intra_op_num_threads": 0,
        "log_severity_level": -1,
        "log_verbosity_level": 0,
        "logid": "",
        "optimized_model_filepath": "",
        "profile_file_prefix": "onnxruntime_profile_",
        "use_deterministic_compute": False,
        "use_per_session_threads": True,
    }

    enable_cpu_mem_arena: bool
    enable_mem_pattern: bool
    enable_mem_reuse: bool
    enable_profiling: bool
    execution_mode: ExecutionMode
    execution_order: ExecutionOrder
    graph_optimization_level: GraphOptimizationLevel
    inter_op_num_threads: int
    intra_op_num_threads: int
    log_severity_level: int
    log_verbosity_level: int
    logid: str
    optimized_model_filepath: str
    profile_file_prefix: str
    use_deterministic_compute: bool
    use_per_session_threads: bool
    _entries: dict[str, str]
    _by_name: dict[str, int]
    _by_denotation: dict[str, int]
    _initializers: dict[str, OrtValue]
    _providers: dict[str, dict[str, str]]

    def __init__(self) -> None:
        super().__init__()
        vars(self).update(_by_name={}, _by_denotation={}, _initializers={}, _providers={})

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Store an entry; none has an effect."""
        self._entries[key] = value

    def get_session_config_entry(self, key: str) -> str:
        """An entry; raises a RuntimeError if it was not added."""
        return _entry(self._entries, key, "SessionOptions")

    def add_free_dimension_override_by_name(self, name: str, size: int) -> None:
        """Give every input dimension of this name a size, for which the model is specialised."""
        self._by_name[name] = size

    def add_free_dimension_override_by_denotation(self, denotation: str, size: int) -> None:
        """Give every input dimension with this denotation, such as ``DATA_BATCH``, a size."""
        self._by_denotation[denotation] = size

    def add_initializer(self, name: str, value: OrtValue) -> None:
        """Use `value` in place of the initialiser `name` of the model."""
        self._initializers[name] = value

    def add_external_initializers(self, names: Sequence[str], values: Sequence[OrtValue]) -> None:
        """Use `values` in place of the initialisers `names` of the model."""
        self._initializers.update(zip(names, values, strict=True))

    def add_provider(self, name: str, options: Mapping[str, str]) -> None:
        """Add an execution provider, as in the argument `providers` of a session."""
        self._providers[name] = dict(options)

    def has_providers(self) -> bool:
        """Whether `add_provider` was called."""
        return bool(self._providers)

    def set_provider_selection_policy(self, policy: object) -> None:
        """Has no effect; logs a warning."""
        warn_ignored("set_provider_selection_policy", "name devices by `providers` or install(devices=[…])")

    def register_custom_ops_library(self, path: str) -> None:
        """Always raises `NotImplementedHere`: litebridge does not run compiled ops of ONNX Runtime."""
        raise NotImplementedHere(
            f"{path}: litebridge does not load custom op libraries; write the op in Python with "
            "@lite.onnx_op, see docs/guide/custom_ops.md"
        )


class RunOptions(_Options):
    """How one run is done; `terminate` before a run refuses it, and the other options have no effect."""

    DEFAULTS: ClassVar[Mapping[str, bool | int | str]] = {
        "log_severity_level": -1,
        "log_verbosity_level": 0,
        "logid": "",
        "only_execute_path_to_fetches": False,
        "terminate": False,
    }

    log_severity_level: int
    log_verbosity_level: int
    logid: str
    only_execute_path_to_fetches: bool
    terminate: bool
    _entries: dict[str, str]

    def add_run_config_entry(self, key: str, value: str) -> None:
        """Store an entry; none has an effect."""
        self._entries[key] = value

    def get_run_config_entry(self, key: str) -> str:
        """An entry; raises a RuntimeError if it was not added."""
        return _entry(self._entries, key, "RunOptions")


def _entry(entries: Mapping[str, str], key: str, owner: str) -> str:
    if key not in entries:
        raise EntryKeyError(f"{owner} does not have configuration with key: {key}{suggest(key, entries)}")
    return entries[key]
