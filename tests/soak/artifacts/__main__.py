"""``python -m tests.soak.artifacts --config X``: models are saved, and loaded where no parser is."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import click

import lite
from tests.soak.artifacts.models import CONFIGS, Model, models
from tests.soak.artifacts.saved import FACTS, save


@click.command()
@click.option("--config", type=click.Choice(list(CONFIGS)), multiple=True, help="Default: all.")
@click.option("--only", default="", help="Models whose names contain this text.")
def main(config: tuple[str, ...], only: str) -> None:
    """Save and load models; exit status 1 for one whose results differ."""
    failed = 0
    for name in config or CONFIGS:
        for model in models():
            if only in model.name:
                failed += not _check(model, name)
    click.echo(f"{failed} failures")
    sys.exit(1 if failed else 0)


def _check(model: Model, config: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        try:
            save(model, config, Path(folder))
        except lite.LiteError as error:
            click.echo(f"{config} {model.name}: cannot be saved: {error}")
            return False
        facts = json.loads(Path(folder, FACTS).read_text())
        command = [sys.executable, "-m", "tests.soak.artifacts.loaded", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        # An SDK may print to stdout, too.
        last = done.stdout.rstrip().rpartition("\n")[2]
        found = json.loads(last) if done.returncode == 0 else {"problem": done.stderr[-2000:]}
    is_good = not found["problem"] and not found["warnings"] and "built" not in found["states"]
    click.echo(f"{config} {model.name}: {'equal' if is_good else 'FAILED'} {facts} {found}")
    return is_good


if __name__ == "__main__":
    main()
