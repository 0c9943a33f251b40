"""litebridge devices: which devices are installed."""

from __future__ import annotations

import click

from lite.errors import ConfigError, suggest
from lite.plugin.device.opening import DeviceInfo, list_devices
from lite.tools.parameters import debug_option, json_option
from lite.tools.terminal import print_facts, print_json, print_table


@click.command(short_help="List devices, and whether they can be used here.")
@click.argument("name", required=False)
@json_option
@debug_option
def devices(name: str | None, as_json: bool) -> None:
    """List the installed devices, or show one: whether it can be used, its options, its ops.

    \b
    Examples:
      litebridge devices
      litebridge devices openvino

    A device is given to other commands as --device NAME or --device 'NAME{option=value}'.
    """
    found = list_devices()
    if name is not None:
        chosen = [device for device in found if device.name == name]
        if not chosen:
            names = [device.name for device in found]
            raise ConfigError(f"no device is called {name!r}{suggest(name, names)}; devices: {names}")
        found = chosen
    if as_json:
        print_json({"devices": found})
    elif name is None:
        print_table(
            ("device", "state", "ops", "options", "version"),
            [_row(device) for device in found],
            f"{len(found)} devices",
        )
    else:
        _print_one(found[0])


def _row(device: DeviceInfo) -> tuple[str, str, int, str, str]:
    state = "available" if device.why_not is None else device.why_not
    return device.name, state, len(device.ops), ", ".join(device.options), device.version


def _print_one(device: DeviceInfo) -> None:
    _, state, _, options, version = _row(device)
    print_facts({"device": device.name, "state": state, "version": version, "options": options or "none"})
    click.echo(f"\n{len(device.ops)} ops: {', '.join(device.ops)}")
