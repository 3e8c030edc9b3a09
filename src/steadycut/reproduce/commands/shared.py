"""What every target of ``steadycut reproduce`` shares: options, and the files it leaves."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from steadycut.cli import options as opt
from steadycut.cli.output import check_folder
from steadycut.core.checks import check_count
from steadycut.errors import BadOption

Replicates = Annotated[
    int,
    typer.Option(
        metavar="N", parser=opt.whole_number, help="How often everything is drawn and run again."
    ),
]
ReproduceOut = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where to write.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files of an earlier run.")]
FOLDER = Path("steadycut-paper")


def check_run(out: Path, names: Sequence[str], replicates: int, seed: int, *, force: bool) -> None:
    """Refuse, before any work, numbers that cannot be, and files that are already there."""
    check_count("--replicates", replicates)
    check_count("--seed", seed, at_least=0)
    check_folder(out)
    there = [name for name in names if (out / name).exists()]
    if there and not force:
        msg = (
            f"{out} already holds {', '.join(there)}. Choose another --out, or overwrite them "
            "with --force."
        )
        raise BadOption(msg)
