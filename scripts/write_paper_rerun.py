"""Put what ``python -m paper`` left in a folder into paper/rerun.md, figures included.

NAME.md is kept whole in benchmarks/results/paper_rerun. The block of the page between
``<!-- NAME -->`` and ``<!-- end of NAME -->`` becomes its short form: without the title, without
what the page sums up, and without the tables of single changes. NAME.png goes to paper/figures. A
name that the folder lacks stays as it is. The page says which commands fill the folder.

Run: python scripts/write_paper_rerun.py FOLDER
"""

import re
import shutil
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PAPER = REPOSITORY / "paper"
RESULTS = REPOSITORY / "benchmarks" / "results" / "paper_rerun"
BLOCK = re.compile(r"<!-- ([\w-]+) -->\n.*?<!-- end of \1 -->", re.DOTALL)
# How the paragraphs and tables begin that only the whole result has.
LEFT_OUT = re.compile(
    r"# |What the paper shows|\| not printed|One change at a time|\| changed"
    r"|Cost table|\| Loss|\| Method +\| candidate|- [^.]*\. Paper: Our method"
)


def main(arguments: list[str]) -> int:
    """Fill every block of the page that the folder has something for."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print("Run: python scripts/write_paper_rerun.py FOLDER", file=sys.stderr)
        return 2
    folder, page = Path(arguments[0]), PAPER / "rerun.md"
    RESULTS.mkdir(parents=True, exist_ok=True)
    filled = BLOCK.sub(lambda block: fill(block, folder), page.read_text(encoding="utf-8"))
    page.write_text(filled, encoding="utf-8")
    for figure in sorted(folder.glob("figure-*.png")):
        shutil.copyfile(figure, PAPER / "figures" / figure.name)
    return 0


def fill(block: re.Match[str], folder: Path) -> str:
    """Return one block with the short form of what the folder holds for it; keep the whole."""
    name = block[1]
    found = folder / f"{name}.md"
    if not found.is_file():
        return block[0]
    shutil.copyfile(found, RESULTS / found.name)
    return (
        f"<!-- {name} -->\n{short_form(found.read_text(encoding='utf-8'))}\n<!-- end of {name} -->"
    )


def short_form(text: str) -> str:
    r"""Return the paragraphs that the page shows.

    Examples
    --------
    >>> short_form("# Title\n\nOf 6 statements\n\nCost table\n\n| Loss | (1, 1) |\n")
    'Of 6 statements'
    """
    parts = text.strip().split("\n\n")
    return "\n\n".join(part for part in parts if not LEFT_OUT.match(part))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
