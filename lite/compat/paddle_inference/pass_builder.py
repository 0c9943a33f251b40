"""The editable list of passes of a Config, as Paddle's pass builder presents it."""

from __future__ import annotations

from collections.abc import Iterable

from lite.passes.aliases import known_names, resolve
from lite.passes.pipelines import HEAD, TAIL, default_pipeline
from lite.spec.grammar import parse_spec

ALIASES = {
    "conv_activation_mkldnn_fuse_pass": "conv_activation_fuse_pass",
    "conv_activation_onednn_fuse_pass": "conv_activation_fuse_pass",
    "conv_elementwise_add_fuse_pass": "conv_elementwise_fuse_pass",
    "constant_folding_pass": "constant_fold_pass",
    "identity_op_clean_pass": "identity_scale_eliminate_pass",
    "identity_scale_op_clean_pass": "identity_scale_eliminate_pass",
    "simplify_with_basic_ops_pass": "identity_dropout_eliminate_pass",
}
"""Names of Paddle Inference → litebridge's pass.  Names of Paddle-Lite are resolved by `lite.passes`."""


class PassStrategy:
    """An editable list of optional passes, by litebridge's names; mandatory passes are not in it.

    Names of Paddle-Lite and of Paddle Inference are replaced by litebridge's.  A pass that litebridge
    lacks is left out, and its name is added to `ignored`.
    """

    def __init__(self, passes: Iterable[str]) -> None:
        self._passes: list[str] = []
        self.debug = False
        self.ignored: list[str] = []
        self.set_passes(passes)

    def all_passes(self) -> list[str]:
        """The passes in order."""
        return list(self._passes)

    def analysis_passes(self) -> list[str]:
        """The mandatory passes, which run before and after the others."""
        return [*HEAD, *TAIL]

    def set_passes(self, passes: Iterable[str]) -> None:
        """Replace the whole list."""
        self._passes = [spec for name in passes for spec in self._resolved(name)]

    def append_pass(self, name: str) -> None:
        """Add a pass at the end."""
        self._passes += self._resolved(name)

    def append_analysis_pass(self, name: str) -> None:
        """Add a pass at the end."""
        self.append_pass(name)

    def enable_onednn(self) -> None:
        """Has no effect: oneDNN is not used."""

    def enable_onednn_bfloat16(self) -> None:
        """Has no effect: oneDNN is not used."""

    def enable_cudnn(self) -> None:
        """Has no effect: cuDNN is not used."""

    enable_mkldnn = enable_onednn
    enable_mkldnn_bfloat16 = enable_onednn_bfloat16

    def insert_pass(self, index: int, name: str) -> None:
        """Insert a pass before the one at `index`."""
        self._passes[index:index] = self._resolved(name)

    def delete_pass(self, name: str) -> None:
        """Remove every occurrence of a pass."""
        for removed in self._resolved(name):
            self._passes = [spec for spec in self._passes if _name(spec) != _name(removed)]

    def clear_passes(self) -> None:
        """Remove every pass."""
        self._passes = []

    def turn_on_debug(self) -> None:
        """Verify the graph after every pass that changed it."""
        self.debug = True

    def debug_string(self) -> str:
        """The passes, one per line."""
        return "\n".join(["Passes to apply:", *(f"  - {name}" for name in self._passes)])

    def use_gpu(self) -> bool:
        """Whether the list is for GPUs: always False."""
        return False

    def copy(self) -> PassStrategy:
        """A copy, which can be edited independently."""
        copied = PassStrategy(self._passes)
        copied.debug, copied.ignored = self.debug, list(self.ignored)
        return copied

    def _resolved(self, spec: str) -> list[str]:
        """`spec` with litebridge's name of the pass; an empty list if the pass is ignored."""
        name = _name(spec)
        own_name = resolve(ALIASES.get(name, name))
        if own_name in known_names():
            return [spec.replace(name, own_name, 1)]
        if name not in self.ignored:
            self.ignored.append(name)
        return []


def default_passes() -> list[str]:
    """The passes of a new Config."""
    return [name for name in default_pipeline() if name not in HEAD and name not in TAIL]


def _name(spec: str) -> str:
    return parse_spec(spec).name
