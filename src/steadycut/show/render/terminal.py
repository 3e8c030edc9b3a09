"""A page as plain text for a terminal: the answer in a few lines, or with all its results."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from steadycut.show.pages.page import Page, Section, Table
from steadycut.show.words.next_step import NO_BREAK

WIDTH = 110
# A wrapped column is at least so wide.
SHORTEST = 40
NOT_NAMED = re.compile(r"' and \d+ more\b")
# Quotation marks that every terminal has.
STRAIGHT = str.maketrans("\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}", '""')


def terminal(page: Page, *, verbose: bool = False) -> str:
    """Return a page as plain text; warnings are left to the command, which prints them apart."""
    if not verbose:
        return "\n".join(filter(None, brief(page))).translate(STRAIGHT)
    blocks = [
        paragraph([f"{page.title}: {page.status.text}", page.subtitle]),
        *brief(page),
        *(block for section in page.sections for block in section_blocks(section)),
    ]
    return "\n\n".join(filter(None, blocks)).translate(STRAIGHT)


def brief(page: Page) -> Iterator[str]:
    """Yield the answer of a page: its headline, its marks, its table or facts, the next step."""
    marks = [mark.text for mark in page.marks]
    if page.answer is not None:
        yield paragraph([*page.headline, *marks])
        yield short_table(page.answer)
    else:
        yield paragraph([" ".join([*marks, *page.headline])])
    if page.answer is None and page.facts_in_short:
        yield aligned(page.facts)
    # Sites and groups that are not named are in a table of the page.
    yield paragraph([NOT_NAMED.sub(r"\g<0> (see --verbose)", page.next_step, count=1)])


def section_blocks(section: Section) -> Iterator[str]:
    """Yield what a terminal shows of a section: its results, and each table in short."""
    yield paragraph(section.results)
    for table in section.tables:
        if table.short:
            yield f"{paragraph([table.caption])}\n{short_table(table)}"


def short_table(table: Table) -> str:
    """Return the columns of a table that a terminal shows; names and values need no header."""
    header, *rows = [[row[i] for i in table.short] for row in (table.header, *table.rows)]
    if len(header) == len(("name", "value")):
        return aligned([(name, value) for name, value in rows])
    return columns([header, *rows], "".join(table.kinds[i] for i in table.short), WIDTH)


def paragraph(sentences: Iterable[str]) -> str:
    """Return sentences, each on lines of its own that are not too long."""
    lines = (line for sentence in sentences for line in wrapped(sentence, WIDTH))
    return "\n".join(lines).translate(STRAIGHT)


def aligned(rows: Sequence[tuple[str, str]]) -> str:
    """Return name and value in two columns."""
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join(f"  {name:<{width}}  {value}" for name, value in rows)


def columns(rows: Sequence[Sequence[str]], kinds: str, width: int = 0) -> str:
    """Return a table, with a letter for each column: ``t`` goes to the left, ``n`` to the right.

    A last column of texts is wrapped so that lines are not longer than ``width``, if possible.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    before = sum(widths[:-1]) + 2 * len(widths)
    lines = []
    for row in rows:
        *cells, last = row
        if kinds[-1] == "t" and width:
            last = f"\n{' ' * before}".join(wrapped(last, max(width - before, SHORTEST)))
        padded = [
            cell.ljust(size) if kind == "t" else cell.rjust(size)
            for cell, size, kind in zip((*cells, last), widths, kinds, strict=True)
        ]
        lines.append(f"  {'  '.join(padded)}".rstrip())
    return "\n".join(lines)


def wrapped(text: str, width: int) -> list[str]:
    """Return a text as lines that are not too long; a number keeps its percent sign."""
    kept = text.replace(" %", f"{NO_BREAK}%")
    lines = textwrap.wrap(kept, width, break_long_words=False, break_on_hyphens=False)
    return [line.replace(NO_BREAK, " ") for line in lines or [""]]
