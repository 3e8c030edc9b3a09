"""Rebuild one figure or table of the paper: ``python -m paper NAME``, in the repository."""

from steadycut.io.early import catch_early_interrupts

catch_early_interrupts()

from paper.commands.group import PAPER  # noqa: E402
from steadycut.cli.main import main  # noqa: E402

if __name__ == "__main__":
    main(program=PAPER)
