"""Count the pages of the site, their words and their longest sentences, and fail above the limits.

A page is README or a Markdown file under docs that somebody wrote. Paragraphs, headings, lists and
tables count; code, outputs and comments do not. Notes beside the code (`DECISIONS.md`,
`paper/rerun.md`, `benchmarks/notes`) are not pages. The limits only go down.

Run: python scripts/count_pages.py [--list]
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from check_words import (
    DOCS,
    LONGEST_SENTENCE,
    README,
    n_words,
    paragraphs,
    sentences,
    text_of,
    words_of,
)
from write_pages import pages

MOST_PAGES = 44
MOST_WORDS = 32_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCount:
    """How long a page is, and its longest sentence."""

    name: str
    words: int
    longest: int


def count(page: Path) -> PageCount:
    """Count the words of a page."""
    text = text_of(page)
    lengths = [n_words(part) for _, block in paragraphs(text) for part in sentences(block)]
    name = "README.md" if page == README else page.relative_to(DOCS).as_posix()
    return PageCount(name=name, words=words_of(text), longest=max(lengths, default=0))


def faults(counts: list[PageCount]) -> list[str]:
    """Return which limits the pages are above.

    Examples
    --------
    >>> faults([PageCount(name="a.md", words=10, longest=40)])
    ['a.md: a sentence of 40 words; at most 35']
    """
    n_all = sum(page.words for page in counts)
    messages = [
        f"{page.name}: a sentence of {page.longest} words; at most {LONGEST_SENTENCE}"
        for page in counts
        if page.longest > LONGEST_SENTENCE
    ]
    if len(counts) > MOST_PAGES:
        messages.append(f"{len(counts)} pages; at most {MOST_PAGES}: merge two")
    if n_all > MOST_WORDS:
        messages.append(f"{n_all:,} words; at most {MOST_WORDS:,}: cut some")
    return messages


def main(arguments: list[str]) -> int:
    """Print the counts; return 1 if a limit is broken."""
    counts = [count(page) for page in (README, *pages())]
    if "--list" in arguments:
        for page in sorted(counts, key=lambda page: page.words):
            print(f"{page.words:>6} words, longest sentence {page.longest:>2}  {page.name}")
    found = faults(counts)
    n_all, longest = sum(page.words for page in counts), max(page.longest for page in counts)
    print(f"{len(counts)} pages, {n_all:,} words, longest sentence {longest} words")
    print(*found, sep="\n", end="\n" * bool(found))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
