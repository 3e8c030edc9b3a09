"""Put what ``steadycut reproduce`` left in a folder into docs/paper_rerun.md, figures included.

A block of the page between ``<!-- NAME -->`` and ``<!-- end of NAME -->`` becomes the content of
NAME.md without its title; NAME.png goes to docs/figures. A name that the folder lacks stays as it
is. The page says which commands fill the folder.

Run: python scripts/write_paper_rerun.py FOLDER
"""

import re
import shutil
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
BLOCK = re.compile(r"<!-- ([\w-]+) -->\n.*?<!-- end of \1 -->", re.DOTALL)


def main(arguments: list[str]) -> int:
    """Fill every block of the page that the folder has something for."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print("Run: python scripts/write_paper_rerun.py FOLDER", file=sys.stderr)
        return 2
    folder, page = Path(arguments[0]), DOCS / "paper_rerun.md"
    filled = BLOCK.sub(lambda block: fill(block, folder), page.read_text(encoding="utf-8"))
    page.write_text(filled, encoding="utf-8")
    for figure in sorted(folder.glob("figure-*.png")):
        shutil.copyfile(figure, DOCS / "figures" / figure.name)
    return 0


def fill(block: re.Match[str], folder: Path) -> str:
    """Return one block with what the folder holds for it."""
    name = block[1]
    found = folder / f"{name}.md"
    if not found.is_file():
        return block[0]
    title, _, body = found.read_text(encoding="utf-8").partition("\n\n")
    if not title.startswith("# "):
        body = f"{title}\n\n{body}"
    return f"<!-- {name} -->\n{body.strip()}\n<!-- end of {name} -->"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
