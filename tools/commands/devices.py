"""litebridge devices: lists the installed devices."""

from __future__ import annotations

import click

from lite.errors import ConfigError, suggest
from lite.plugin.device.opening import DeviceInfo, list_devices
from lite.tools.options.output import debug_option, json_option
from lite.tools.terminal import print_facts, print_json, print_table


@click.command(short_help="List the devices, or show one.")
@click.argument("name", required=False)
@json_option
@debug_option
def devices(name: str | None, as_json: bool) -> None:
    """List the installed devices, or show the device NAME: its state, its options and its ops.

    \b
    Examples:
      litebridge devices
      litebridge devices openvino

    The state is `available`, or the reason why this machine cannot use the device.  Other commands take a
    device as --device NAME or --device 'NAME{option=value}'.
    """
    listed = list_devices()
    if name is not None:
        names = [device.name for device in listed]
        listed = [device for device in listed if device.name == name]
        if not listed:
            raise ConfigError(
                f"no device is called {name!r}{suggest(name, names)}; devices: {', '.join(names)}"
            )
    if as_json:
        print_json({"devices": listed})
    elif name is None:
        print_table(
            ("device", "state", "ops", "options", "version"),
            [_row(device) for device in listed],
            f"{len(listed)} devices",
        )
    else:
        _print_one(listed[0])


def _row(device: DeviceInfo) -> tuple[str, str, int, str, str]:
    state = "available" if device.why_not is None else device.why_not
    return device.name, state, len(device.ops), ", ".join(device.options), device.version


def _print_one(device: DeviceInfo) -> None:
    _, state, _, options, version = _row(device)
    print_facts({"device": device.name, "state": state, "version": version, "options": options or "none"})
    click.echo(f"\n{len(device.ops)} ops: {', '.join(device.ops)}")
