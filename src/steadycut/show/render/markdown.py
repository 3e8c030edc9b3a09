"""A page as Markdown: its sentences and tables, without figures."""

import re
from collections.abc import Iterable

from steadycut.show.pages.page import Page, Section, Table

# What Markdown or HTML would take for markup.
MARKS = re.compile(r"([\\`*_<>\[\]|#~])")


def markdown(page: Page) -> str:
    """Return a page as Markdown."""
    facts = Table(caption="In short", header=("what", "value"), kinds="tt", rows=page.facts)
    blocks = [
        f"# {plain(page.title)}",
        plain(page.subtitle),
        f"**{plain(page.status.text)}**",
        *(plain(sentence) for sentence in page.headline),
        *(f"- {plain(mark.text)}" for mark in page.marks),
        *([plain(page.next_step)] if page.next_step else []),
        *([table_text(page.answer)] if page.answer else []),
        table_text(facts),
        *(f"> Warning: {plain(warning)}" for warning in page.warnings),
        *(block for section in page.sections for block in section_blocks(section)),
        plain(page.footer),
    ]
    return "\n\n".join(blocks) + "\n"


def section_blocks(section: Section) -> Iterable[str]:
    """Yield the heading, the texts and the tables of a section."""
    yield f"## {plain(section.title)}"
    yield from map(plain, section.sentences)
    for table in section.tables:
        yield f"**{plain(table.caption)}**"
        yield table_text(table)
        if table.note:
            yield plain(table.note)


def table_text(table: Table) -> str:
    """Return a table; numbers are flush right."""
    sides = _line("--:" if kind == "n" else "---" for kind in table.kinds)
    head, *rows = (_line(map(plain, row)) for row in (table.header, *table.rows))
    return "\n".join([head, sides, *rows])


def plain(text: str) -> str:
    r"""Return a text on one line that Markdown shows as it is.

    Examples
    --------
    >>> print(plain("a_b <i>|"))
    a\_b \<i\>\|
    """
    return MARKS.sub(r"\\\1", " ".join(text.split()))


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
