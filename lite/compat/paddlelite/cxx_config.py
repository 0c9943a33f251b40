"""CxxConfig of ``paddlelite.lite``: an exported model and its settings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import lite
from lite.compat.paddlelite.enums import TargetType
from lite.compat.paddlelite.environment import usable_devices, warn_ignored
from lite.compat.paddlelite.hardware import HardwareSettings
from lite.compat.paddlelite.place import Place, lite_places
from lite.compat.settings import first_bytes
from lite.errors import ConfigError
from lite.passes.aliases import is_unneeded
from lite.passes.pipelines import DEFAULT, REMOVE, SUBGRAPH_PASS, insert_before, remove
from lite.spec.grammar import Spec


class CxxConfig(HardwareSettings):
    """A model in Paddle's format; it is read when a predictor is created.

    If the model is set more than once, bytes take precedence over files, and files over the folder.
    """

    def __init__(self) -> None:
        super().__init__()
        self._model_dir = self._model_file = self._param_file = ""
        self._buffers: tuple[bytes, bytes] | None = None
        self._places: list[Place] = []
        self._added_passes: list[str] = []
        self._discarded_passes: list[str] = []
        self._partition_config_path = self._quantization_config_path = ""

    def set_model_dir(self, model_dir: str) -> None:
        """Name the folder of the model."""
        self._model_dir = model_dir

    def model_dir(self) -> str:
        """The folder, or ""."""
        return self._model_dir

    def set_model_file(self, model_file: str) -> None:
        """Name the program's file."""
        self._model_file = model_file

    def model_file(self) -> str:
        """The program's file, or ""."""
        return self._model_file

    def set_param_file(self, param_file: str) -> None:
        """Name the file with all parameters."""
        self._param_file = param_file

    def param_file(self) -> str:
        """The parameters' file, or ""."""
        return self._param_file

    def set_model_buffer(self, model: bytes, model_size: int, param: bytes, param_size: int) -> None:
        """Set program and parameters as bytes, each with the number of bytes to use."""
        self._buffers = (
            first_bytes("model", model, model_size),
            first_bytes("param", param, param_size),
        )

    def is_model_from_memory(self) -> bool:
        """Whether the model was set as bytes."""
        return self._buffers is not None

    def set_valid_places(self, places: Sequence[Place]) -> None:
        """Set the targets of kernels in order of preference; a target without kernels gives a warning."""
        self._places = list(places)

    def set_passes_internal(self, passes: Sequence[str] = ()) -> None:
        """Set the passes to run after the default ones."""
        self._added_passes = list(passes)

    def add_discarded_pass(self, name: str) -> None:
        """Leave out the first pass of this name."""
        self._discarded_passes.append(name)

    def set_nnadapter_subgraph_partition_config_path(self, path: str) -> None:
        """Has no effect: the path is only kept."""
        self._partition_config_path = path

    def nnadapter_subgraph_partition_config_path(self) -> str:
        """The last argument of `set_nnadapter_subgraph_partition_config_path`."""
        return self._partition_config_path

    def set_nnadapter_mixed_precision_quantization_config_path(self, path: str) -> None:
        """Name a file of the quantised ops that stay in float, in the form of a partition config."""
        self._quantization_config_path = path

    def nnadapter_mixed_precision_quantization_config_path(self) -> str:
        """The last argument of `set_nnadapter_mixed_precision_quantization_config_path`."""
        return self._quantization_config_path

    def to_lite(self) -> lite.Config:
        """This config as a `lite.Config`; raises `ConfigError` if it is contradictory or names no model."""
        with_devices = any(place.target == TargetType.NNAdapter for place in self._places)
        return lite.Config(
            model_dir=None if self._buffers or self._model_file else self._model_dir or None,
            model_file=None if self._buffers else self._model_file or None,
            params_file=None if self._buffers else self._param_file or None,
            model_buffer=self._buffers[0] if self._buffers else None,
            params_buffer=self._buffers[1] if self._buffers else None,
            devices=usable_devices(self._device_names) if with_devices else (),
            valid_places=lite_places(self._places),
            passes=pass_list(
                self._added_passes, self._discarded_passes, self._ops_in_float() if with_devices else ""
            ),
            threads=self._threads,
            cache_dir=self._model_cache_dir or None,
        )

    def _ops_in_float(self) -> str:
        """The content of the file of ops that stay in float; raises `ConfigError` if it cannot be read."""
        path = self._quantization_config_path
        try:
            return Path(path).read_text(encoding="utf-8") if path else ""
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"mixed precision quantisation config: cannot read {path!r}: {error}"
            ) from error


def pass_list(added: Sequence[str], discarded: Sequence[str], mixed_precision: str = "") -> list[str] | None:
    """The default passes and then the `added` ones, without the first of each name in `discarded`.

    None if all are empty.  The passes that make the plan run after this list and cannot be discarded.
    `mixed_precision` is the content of a file with the ops that stay in float.
    """
    if not added and not discarded and not mixed_precision:
        return None
    names = [*DEFAULT, *added]
    if mixed_precision:
        names = insert_before(names, SUBGRAPH_PASS, str(Spec(REMOVE, (("config", mixed_precision),))))
    for name in discarded:
        if is_unneeded(name):
            continue
        try:
            names = remove(names, name, first_only=True)
        except ConfigError:
            warn_ignored(
                f"add_discarded_pass({name!r})", f"the list has no such pass; it has {', '.join(names)}"
            )
    return names
