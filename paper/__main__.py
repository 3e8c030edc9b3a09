"""Rebuild one figure or table of the paper: ``python -m paper NAME``, in the repository."""

from steadycut.io.early import catch_early_interrupts

catch_early_interrupts()

import sys  # noqa: E402

from steadycut.errors import MissingPackage  # noqa: E402
from steadycut.io.packages import optional_package  # noqa: E402

try:
    with optional_package("The command line", "typer", "cli"):
        from paper.commands.group import PAPER
        from steadycut.cli.main import main
except MissingPackage as error:
    print(f"steadycut: {error}", file=sys.stderr)  # noqa: T201
    sys.exit(2)

if __name__ == "__main__":
    main(program=PAPER)
