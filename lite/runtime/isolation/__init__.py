"""Isolated devices: a device in a worker process, whose crash is a failure like any other.

The two processes exchange JSON messages over a socket (`channel`), and tensors and weights in shared memory
without a name (`segment`).  Nothing is left over, therefore, in whatever way a process ends.

- `device`, `model`, `memory`: the device, its models and its memory in the main process.
- `worker`: the main process's side of the worker process.
- `worker_main`, `session`: the worker process.
"""

from lite.runtime.isolation.device import TimeLimits, isolated

__all__ = ["TimeLimits", "isolated"]
