"""Run the commands of README.md and put what they print into it.

A code block whose lines start with ``steadycut`` is run in a folder that holds the demo's output;
the block after it, if it holds no command, is what it printed.

Run: python scripts/write_readme.py [--check]
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"
PAIR = re.compile(r"```\n(steadycut .*?)```\n\n```\n(.*?)```\n", re.DOTALL)


def run(commands: str, folder: str) -> str:
    """Run commands in a folder and return what they printed, in short lines."""
    done = subprocess.run(  # noqa: S602
        commands, shell=True, cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


def executed(text: str) -> str:
    """Return the README with the output of its commands made anew."""
    with tempfile.TemporaryDirectory() as folder:
        run("steadycut demo --out demo-output", folder)
        parts = []
        end = 0
        for pair in PAIR.finditer(text):
            output = run(pair[1], folder).strip("\n").splitlines()
            shown = "\n".join(output[-60:])
            parts += [text[end : pair.start()], f"```\n{pair[1]}```\n\n```\n{shown}\n```\n"]
            end = pair.end()
    return "".join([*parts, text[end:]])


def main() -> int:
    """Write the README anew, or with --check say whether it is current."""
    before = README.read_text(encoding="utf-8")
    after = executed(before)
    if "--check" in sys.argv:
        if before != after:
            print("README.md does not show what its commands print: scripts/write_readme.py")
        return int(before != after)
    README.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
