"""The list of passes that a Config runs, as Paddle's pass builder shows it."""

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
"""Names of Paddle Inference → the pass of ours that does it; those of Paddle-Lite are known besides."""


class PassStrategy:
    """An editable list of passes, in our names; those that always run are not part of it.

    Names of Paddle-Lite and Paddle Inference are followed to ours.  Paddle Inference has many passes
    that nothing here corresponds to: such names are set aside in `ignored`.
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
        """The passes that always run, before and behind the others."""
        return [*HEAD, *TAIL]

    def set_passes(self, passes: Iterable[str]) -> None:
        """Replace the whole list."""
        self._passes = [known for name in passes for known in self._known(name)]

    def append_pass(self, name: str) -> None:
        """Add a pass at the end."""
        self._passes += self._known(name)

    def insert_pass(self, index: int, name: str) -> None:
        """Add a pass in front of the one at `index`."""
        self._passes[index:index] = self._known(name)

    def delete_pass(self, name: str) -> None:
        """Remove a pass wherever it stands."""
        for known in self._known(name):
            self._passes = [text for text in self._passes if _name(text) != _name(known)]

    def clear_passes(self) -> None:
        """Remove every pass."""
        self._passes = []

    def turn_on_debug(self) -> None:
        """Verify the graph after every pass that changed it."""
        self.debug = True

    def debug_string(self) -> str:
        """The passes, a line each."""
        return "\n".join(["Passes to apply:", *(f"  - {name}" for name in self._passes)])

    def use_gpu(self) -> bool:
        """Whether the list is one for GPUs: never."""
        return False

    def copy(self) -> PassStrategy:
        """A list of its own with the same passes."""
        copied = PassStrategy(self._passes)
        copied.debug, copied.ignored = self.debug, list(self.ignored)
        return copied

    def _known(self, text: str) -> list[str]:
        """The pass in our name, its options kept; nothing for one that is ignored."""
        name = _name(text)
        ours = resolve(ALIASES.get(name, name))
        if ours in known_names():
            return [text.replace(name, ours, 1)]
        if name not in self.ignored:
            self.ignored.append(name)
        return []


def default_passes() -> list[str]:
    """The passes that a new Config starts with."""
    return [name for name in default_pipeline() if name not in HEAD and name not in TAIL]


def _name(text: str) -> str:
    return parse_spec(text).name
