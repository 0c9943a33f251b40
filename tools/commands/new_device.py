"""litebridge new-device: writes a device package that works without changes."""

from __future__ import annotations

from pathlib import Path

import click

from lite.tools.new_device.write import package_of, write_device
from lite.tools.options.output import debug_option


@click.command("new-device", short_help="Write the package of a new device.")
@click.argument("name")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    show_default="the current directory",
    metavar="DIR",
    help="Create the folder NAME in DIR.",
)
@debug_option
def new_device(name: str, out: Path) -> None:
    """Write a package for the new device NAME to the folder NAME.

    \b
    Examples:
      litebridge new-device my_npu
      litebridge new-device my_npu --out devices

    The package contains a device, bridges for five ops, a module that simulates the vendor's SDK, and
    tests.  After installation it passes its tests and `litebridge check-device NAME` without changes.  Then
    replace the simulated SDK by the vendor's, and add bridges for further ops.

    NAME consists of lower-case letters, digits and underscores, and no other device may have it.  A
    directory that exists is not changed.
    """
    written = write_device(name, out)
    folder = out / name
    for path in written:
        click.echo(path)
    click.echo(
        f"\nnext:\n"
        f"  pip install --editable {folder}\n"
        f"  litebridge check-device {name}\n"
        f"  python -m pytest {folder / 'tests'}\n"
        f"then replace {folder / package_of(name) / 'sdk.py'} by the vendor's SDK, and add bridges"
    )
