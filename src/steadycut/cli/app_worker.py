"""One command on behalf of the app: as on a terminal, so that it always says how far it is."""

import io
import sys

from steadycut.cli.main import run


class Screen(io.TextIOWrapper):
    """A stream that takes itself for a terminal."""

    def isatty(self) -> bool:
        """Say yes, though a file is behind it."""
        return True


if __name__ == "__main__":
    sys.stderr = Screen(sys.stderr.buffer, encoding="utf-8", line_buffering=True)
    sys.exit(run())
