"""README.md shows what its commands print."""

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent


def test_the_readme_is_current():
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [sys.executable, REPOSITORY / "scripts" / "write_readme.py", "--check"],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_file_that_the_readme_links_to_exists():
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    links = [part.split(")")[0].partition("#")[0] for part in text.split("](")[1:]]
    assert links
    assert [link for link in links if not (REPOSITORY / link).exists()] == []
