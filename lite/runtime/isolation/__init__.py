"""A device in a process of its own: what it does there, it cannot do to ours.

Tensors and weights cross in shared memory without a name, so that nothing is left over, however a
process ends; everything else crosses as JSON.
"""

from lite.runtime.isolation.device import TimeLimits, isolated

__all__ = ["TimeLimits", "isolated"]
