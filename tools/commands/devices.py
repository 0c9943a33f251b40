"""litebridge devices: lists the installed devices, and installs what they run in."""

from __future__ import annotations

from pathlib import Path

import click

from lite.errors import ConfigError
from lite.plugin.device import WorkerEnvironment
from lite.plugin.device.opening import DeviceInfo, device_class
from lite.session.devices import device_info, list_devices
from lite.tools.options.output import debug_option, json_option
from lite.tools.terminal import print_facts, print_json, print_table, print_text, running, working


class _ListByDefault(click.Group):
    """Runs `list` where the first argument is not a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `list` before a device's name, an option of `list`, or nothing."""
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_ListByDefault, short_help="List the devices, install their environments.")
@debug_option
def devices() -> None:
    """List the installed devices, or show the device NAME: its state, its options and its ops.

    \b
    Examples:
      litebridge devices
      litebridge devices openvino
      litebridge devices install tpu

    The state is `available`, or the reason why this machine cannot use the device.  Other commands take a
    device as --device NAME or --device 'NAME{option=value}'.

    Some devices need an interpreter and packages of their own.  `install` puts these into a folder under
    $XDG_DATA_HOME (by default ~/.local/share), `remove` deletes it.
    """


@devices.command("list", short_help="List the devices, or show one (the default).")
@click.argument("name", required=False)
@json_option
@debug_option
def _list(name: str | None, as_json: bool) -> None:
    """List the installed devices, or show the device NAME."""
    with working("asking the devices" if name is None else f"asking {name}"):
        listed = list_devices() if name is None else [device_info(name)]
    if as_json:
        print_json({"devices": listed})
    elif name is None:
        print_table(
            ("device", "state", "ops", "options", "version"),
            [_row(device) for device in listed],
            f"{len(listed)} devices",
            drop=("version", "options"),
        )
    else:
        _print_one(listed[0])


@devices.command(short_help="Install the environment of a device.")
@click.argument("name")
@click.option("--python", type=click.Path(path_type=Path), help="The interpreter to use.")
@click.option("--again", is_flag=True, help="Replace an environment that is there.")
@debug_option
def install(name: str, python: Path | None, again: bool) -> None:
    """Install the interpreter and packages that the device NAME needs in a folder of their own.

    \b
    Examples:
      litebridge devices install tpu
      PIP_NO_INDEX=1 PIP_FIND_LINKS=wheels litebridge devices install tpu

    Your own environment stays as it is.  pip's configuration and variables apply, so that an index, a proxy
    or a folder of wheels are used as always.  An environment whose requirements changed is replaced.
    """
    from lite.environments.install import install as install_environment

    environment = _environment(name)
    with running(f"installing {name}") as report:
        found = install_environment(name, environment, report, python=python, again=again)
    click.echo(f"{name}: installed in {found.folder}")


@devices.command(short_help="Remove the environment of a device.")
@click.argument("name")
@debug_option
def remove(name: str) -> None:
    """Remove the environment of the device NAME."""
    from lite.environments.install import remove as remove_environment

    _environment(name)
    click.echo(f"{name}: removed" if remove_environment(name) else f"{name}: no environment is installed")


def _environment(name: str) -> WorkerEnvironment:
    """The environment that a device declares; raises `ConfigError` for a device without one."""
    environment = device_class(name).environment
    if environment is None:
        raise ConfigError(f"{name} runs in this environment; there is nothing to install or remove")
    return environment


def _row(device: DeviceInfo) -> tuple[str, str, int, str, str]:
    state = "available" if device.why_not is None else device.why_not
    return device.name, state, len(device.ops), ", ".join(device.options), device.version


def _print_one(device: DeviceInfo) -> None:
    _, state, _, _, version = _row(device)
    print_facts({"device": device.name, "state": state, "version": version or None})
    if device.options:
        rows = zip(device.options, device.defaults, strict=True)
        print_table(("option", "default"), rows, "\noptions")
        click.echo()
        for paragraph in device.about_options.replace("`", "").split("\n\n"):
            text = " ".join(paragraph.split())
            if text != f"The options of {device.name}{{…}}.":
                print_text(text)
    click.echo()
    print_text(f"{len(device.ops)} ops: {', '.join(device.ops)}")
