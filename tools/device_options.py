"""The options that say on which devices a model runs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from lite.spec.grammar import split_specs
from lite.subgraph import PLACEMENTS


@dataclass(frozen=True)
class DeviceOptions:
    """What --device and those that go with it said; `settings` are those of `Config`."""

    settings: dict[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        """The devices as they were written."""
        return tuple(self.settings["devices"])


_OPTIONS = (
    click.option(
        "-d",
        "--device",
        "--devices",
        "devices",
        multiple=True,
        metavar="NAME{KEY=VALUE}",
        help="Run what this device can there.  Several, here with commas or by giving the option again, "
        "are in order of preference; `litebridge devices` lists them.",
    ),
    click.option(
        "--cache-dir",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="Keep compiled models of devices here.",
    ),
    click.option(
        "--strict", is_flag=True, help="A device that fails is an error; the host does not step in."
    ),
    click.option(
        "--placement",
        type=click.Choice(PLACEMENTS),
        default=PLACEMENTS[0],
        show_default=True,
        help="How ops that several devices take are assigned.",
    ),
    click.option(
        "--min-ops",
        type=click.IntRange(min=1),
        default=2,
        show_default=True,
        help="Regions with fewer ops stay on the host.",
    ),
    click.option(
        "--partition-rules",
        metavar="TEXT|FILE",
        help="Ops to keep on the host or put on a device: lines of type:inputs:outputs -> place.",
    ),
    click.option("--isolate", is_flag=True, help="Run each device in a process of its own."),
)


def device_options(command: Callable[..., None]) -> Callable[..., None]:
    """--device, --cache-dir, --strict, --placement, --min-ops, --partition-rules, --isolate: `on`."""

    @functools.wraps(command)
    def with_devices(
        devices: tuple[str, ...], strict: bool, min_ops: int, cache_dir: Path | None, **others: Any
    ) -> None:
        settings = {
            "devices": tuple(name for text in devices for name in split_specs(text)),
            "cache_dir": cache_dir,
            "fallback": "error" if strict else "warn",
            "min_subgraph_ops": min_ops,
            **{name: others.pop(name) for name in ("placement", "partition_rules", "isolate")},
        }
        command(on=DeviceOptions(settings), **others)

    for option in reversed(_OPTIONS):
        with_devices = option(with_devices)
    return with_devices
