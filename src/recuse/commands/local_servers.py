"""``recuse local-servers``: the small models of a study, served on this machine until stopped."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from recuse.errors import ConfigurationError

__all__ = ["app"]

app = typer.Typer(add_completion=False)


@app.command()
def local_servers(
    study_file: Annotated[Path, typer.Argument(metavar="STUDY.toml", help="A study with [servers].")],
    log: Annotated[Path | None, typer.Option(help="A file for what the servers say.")] = None,
) -> None:
    """Serve the models of a study's [servers] on 127.0.0.1, on the ports that it names, until Ctrl-C."""
    from recuse.collectors.live.local_servers import local_servers as serving
    from recuse.collectors.live.study_file import load_study
    from recuse.commands.terminal import say

    study = load_study(study_file)
    if not study.about.servers:
        raise ConfigurationError(
            f"{study_file} has no [servers]", "recuse collect needs none for other models"
        )
    with serving(study.about.servers, study.folder, log) as addresses:
        for name, address in zip(study.about.servers, addresses, strict=True):
            say(f"{name}: {address}")
        while True:
            time.sleep(3600)
