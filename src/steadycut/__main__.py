"""Run the command line: ``steadycut`` and ``python -m steadycut``.

The base install has no command line. It then says in one line what to install, with exit code 2.
"""

from steadycut.io.early import catch_early_interrupts

catch_early_interrupts()

import sys  # noqa: E402

from steadycut.errors import MissingPackage  # noqa: E402
from steadycut.io.packages import optional_package  # noqa: E402

missing = ""
try:
    with optional_package("The command line", "typer", "cli"):
        from steadycut.cli.main import main as commands
except MissingPackage as error:
    missing = str(error)


def main() -> None:
    """Run one command and exit with its code."""
    if missing:
        sys.exit(_refused())
    commands()


def _refused() -> int:
    print(f"steadycut: {missing}", file=sys.stderr)  # noqa: T201
    return 2


if __name__ == "__main__":
    main()
