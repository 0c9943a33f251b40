"""litebridge new-device: a device package that works at once."""

from __future__ import annotations

from pathlib import Path

import click

from lite.tools.new_device.write import package_of, write_device
from lite.tools.parameters import debug_option


@click.command("new-device", short_help="Write the package of a new device.")
@click.argument("name")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    show_default="the current directory",
    metavar="DIR",
    help="Where the directory NAME is made.",
)
@debug_option
def new_device(name: str, out: Path) -> None:
    """Write a package that makes NAME a device of litebridge, in a directory NAME outside its tree.

    \b
    Examples:
      litebridge new-device my_npu
      litebridge new-device my_npu --out devices

    It has a device, bridges for five ops, a page that stands in for the vendor's SDK, and tests.  Once
    installed, it passes its tests and `litebridge check-device NAME` unchanged; then put the real SDK in
    the stand-in's place and add ops.  NAME is lower-case letters, digits and underscores, and no other
    device's; a directory that exists is left alone.
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
        f"then put the SDK in the place of {folder / package_of(name) / 'sdk.py'}, and add ops"
    )
