"""--device and related options: the devices that run a model."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from lite.dataclass import dataclass
from lite.errors import ConfigError
from lite.plugin.device.opening import facts_of, open_device
from lite.spec.grammar import split_specs
from lite.subgraph import PLACEMENTS
from lite.tools.options.values import count_option


@dataclass(frozen=True)
class DeviceOptions:
    """The values of --device and related options, as `settings` of `Config`."""

    settings: dict[str, Any]

    def check_present(self) -> None:
        """Raise `ConfigError` for a device that is not installed or cannot be used on this machine."""
        for text in self.settings["devices"]:
            device = open_device(text)
            why_not = facts_of(device).why_not
            if why_not is not None:
                raise ConfigError(f"--device {text}: {why_not}")


_OPTIONS = (
    click.option(
        "-d",
        "--device",
        "--devices",
        "devices",
        multiple=True,
        metavar="NAME{KEY=VALUE}",
        help="Run on this device the ops that it supports.  Give several devices in order of preference, "
        "separated by commas or with further options.  `litebridge devices` lists them.",
    ),
    click.option(
        "--cache-dir",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="Store plans and compiled models in DIR for the next start.",
    ),
    click.option(
        "--strict", is_flag=True, help="Stop with an error if a device fails, instead of using the host."
    ),
    click.option(
        "--placement",
        type=click.Choice(PLACEMENTS),
        default=PLACEMENTS[0],
        show_default=True,
        help="How to assign ops that several devices support.",
    ),
    count_option("--min-ops", "Leave regions of fewer than N ops to the host.", default=2),
    click.option(
        "--plan",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Use the regions of a plan that `litebridge plan --save` wrote.",
    ),
    click.option(
        "--partition-rules",
        metavar="TEXT|FILE",
        help="Put certain ops on the host or on a device: lines of type:inputs:outputs -> place.",
    ),
    click.option("--isolate", is_flag=True, help="Run each device in its own process."),
)


def device_options(command: Callable[..., None]) -> Callable[..., None]:
    """--device and related options, as `on`."""

    @functools.wraps(command)
    def with_devices(
        devices: tuple[str, ...], strict: bool, min_ops: int, cache_dir: Path | None, **others: Any
    ) -> None:
        settings = {
            "devices": tuple(name for text in devices for name in split_specs(text)),
            "cache_dir": cache_dir,
            "fallback": "error" if strict else "warn",
            "min_subgraph_ops": min_ops,
            **{name: others.pop(name) for name in ("placement", "plan", "partition_rules", "isolate")},
        }
        command(on=DeviceOptions(settings), **others)

    for option in reversed(_OPTIONS):
        with_devices = option(with_devices)
    return with_devices
