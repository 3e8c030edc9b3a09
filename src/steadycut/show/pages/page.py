"""What a page is made of: plain texts and tables in order, without markup.

Functions build its parts: sections, tables and figures with captions. A page is built once, from a
document, and every renderer in `steadycut.show.render` takes it. A terminal shows a part of it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from steadycut.core.class_names import DEFAULT
from steadycut.core.verdict import OVERALL, Answer
from steadycut.documents.parts import DataPart, Part
from steadycut.show.figures import DISPLAYS
from steadycut.show.figures.display import MAKERS, Display
from steadycut.show.words.next_step import COMMAND_LINE, Spelling, Step

WIDE = 5
# The number that a value begins with; words come after it.
NUMBER_FIRST = re.compile(r"^([-+<>]? ?\d.*?)(?:(?= \()|[,;:] |$)")
FOOTER = (
    "steadycut. This page is complete in itself: it loads nothing, sends nothing and holds no "
    "patient identifier. It supports research and validation; it does not replace a clinical "
    "evaluation."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table; ``kinds`` has a letter for each column, ``t`` for text and ``n`` for numbers.

    ``short`` are the columns that a terminal shows; without any it leaves out the table.
    """

    caption: str
    header: tuple[str, ...]
    kinds: str
    rows: tuple[tuple[str, ...], ...]
    marked: int | None = None
    note: str = ""
    short: tuple[int, ...] = ()

    @property
    def wide(self) -> bool:
        """Whether it needs the whole width of the page."""
        return len(self.header) >= WIDE

    @property
    def stacked(self) -> bool:
        """Whether a narrow screen shows the cells of a row below each other: long texts."""
        return "n" not in self.kinds and len(self.kinds) > len("tt")


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A figure with its caption; a figure occurs once per page."""

    figure: Display
    caption: str

    @property
    def name(self) -> str:
        """The name of the figure."""
        return self.figure.name()


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading, and what stands below it in this order.

    ``results`` are sentences that every renderer shows; a terminal leaves out the other ``texts``.
    ``copied``: the texts are for a paper. ``opened``: a page shows it without a click.
    """

    key: str
    title: str
    results: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    tables: tuple[Table, ...] = ()
    copied: bool = False
    opened: bool = False

    @property
    def sentences(self) -> tuple[str, ...]:
        """All results and texts."""
        return self.results + self.texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Explorer:
    """The words of the explorer; ``numbers`` has the key and the name of each number.

    ``ill`` and ``healthy`` are what patients of either class are called.
    """

    texts: tuple[str, ...]
    ill: str
    healthy: str
    numbers: tuple[tuple[str, str], ...]
    at_frozen: str
    elsewhere: str
    vacuous: str
    uniform: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file that the page holds and hands out: its name, what it is, and its text."""

    key: str
    name: str
    meaning: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The result in one or two words.

    ``tone`` is good, bad or open, and for an audit also watch, amber or grey.
    """

    text: str
    tone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A whole page. ``facts`` are the few numbers to take away, each with its name.

    ``marks`` are answers, each with its own tone. ``step`` says what to do now, in words that
    ``spelling`` completes. ``answer`` is a table that answers the question of the page.
    ``facts_in_short`` says whether a terminal shows the facts. ``files`` are handed out by the
    page; the first one holds all its numbers. ``name`` is that of its own file, without an ending.
    ``pictures`` are seen first.
    """

    title: str
    subtitle: str
    status: Status
    headline: tuple[str, ...]
    facts: tuple[tuple[str, str], ...] = ()
    pictures: tuple[Picture, ...] = ()
    warnings: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    marks: tuple[Status, ...] = ()
    step: Step | None = None
    answer: Table | None = None
    facts_in_short: bool = True
    footer: str = FOOTER
    explorer: Explorer | None = None
    files: tuple[File, ...] = ()
    name: str = "page"
    spelling: Spelling = field(default=COMMAND_LINE, repr=False)

    @property
    def next_step(self) -> str:
        """What to do now, as the page spells it."""
        return "" if self.step is None else self.step.spelled(self.spelling)

    @property
    def plain_step(self) -> str:
        """What to do now, without commands."""
        return "" if self.step is None else self.step.plain()

    @property
    def commands(self) -> list[str]:
        """The commands of the next step."""
        return [] if self.step is None else self.step.commands(self.spelling)

    @property
    def cards(self) -> list[tuple[str, str, str]]:
        """The name, the number and the words of each number to see first."""
        answers = self.answer.rows if self.answer and self.answer.kinds == "tt" else ()
        split = [(row[0], ["", *NUMBER_FIRST.split(row[1], 1)]) for row in (*answers, *self.facts)]
        return [(name, parts[-2], parts[-1].strip()) for name, parts in split]


# The name of a column, and its cells.
Column = tuple[str, Sequence[str]]
Matrix = Sequence[Sequence[float]]


def section(
    key: str,
    title: str,
    *texts: str,
    results: Iterable[str] = (),
    of: Part | None = None,
    tables: Iterable[Table | None] = (),
) -> Section:
    """Return a section, with the figures that a document ``of`` has for it.

    Empty texts and missing tables are left out.
    """
    return Section(
        key=key,
        title=title,
        results=tuple(filter(None, results)),
        texts=tuple(filter(None, texts)),
        pictures=() if of is None else pictures(of, key),
        tables=tuple(filter(None, tables)),
    )


def explained(
    caption: str,
    rows: Iterable[tuple[str, str, str]],
    *,
    header: tuple[str, str, str] = ("what", "value", "note"),
    marked: int | None = None,
    note: str = "",
    short: tuple[int, ...] = (0, 1),
) -> Table:
    """Return a table of names, values and explanations; a terminal shows names and values."""
    looks: Any = {"header": header, "kinds": "tnt", "marked": marked, "note": note, "short": short}
    return Table(caption=caption, rows=tuple(rows), **looks)


def listed(
    caption: str,
    rows: Iterable[tuple[str, str]],
    *,
    header: tuple[str, str] = ("option", "value"),
    kinds: str = "tt",
    short: bool = False,
) -> Table:
    """Return a table of names and values."""
    places = (0, 1) if short else ()
    return Table(caption=caption, header=header, kinds=kinds, rows=tuple(rows), short=places)


def of_columns(
    caption: str, columns: Sequence[Column], *, texts: int = 1, short: bool = True, note: str = ""
) -> Table:
    """Return a table from the name and the cells of each column; the first ``texts`` hold texts."""
    names, cells = zip(*columns, strict=True)
    return Table(
        caption=caption,
        header=names,
        kinds="t" * texts + "n" * (len(names) - texts),
        rows=tuple(zip(*cells, strict=True)),
        note=note,
        short=tuple(range(len(names))) if short else (),
    )


def of_matrix(
    caption: str, grades: Column, actions: Sequence[str], values: Matrix, *, short: bool = True
) -> Table:
    """Return a table with a row for each grade and a column for each decision."""
    texts = [[str(n) if isinstance(n, int) else f"{n:g}" for n in row] for row in values]
    columns = zip(actions, zip(*texts, strict=True), strict=True)
    return of_columns(caption, [grades, *columns], short=short)


def mark(text: str, answer: Answer) -> Status:
    """Return a text with the tone of an answer: yes, no or cannot tell."""
    return Status(text=text, tone=OVERALL[answer])


def data_rows(data: DataPart | None) -> list[tuple[str, str]]:
    """Return what is known of the table that the patients came from, if anything."""
    if data is None:
        return []
    rows = [
        ("rows read", str(data.rows)),
        ("rows dropped, without a score", str(data.dropped_rows)),
    ]
    if data.sha256 is not None:
        rows.append(("fingerprint of the patients", data.sha256))
    return rows


def pictures(document: Part, key: str) -> tuple[Picture, ...]:
    """Return the figures of a section with their captions, without those that it lacks."""
    names = [name for kind, name in MAKERS.items() if isinstance(document, kind)]
    place = " ".join([*names, key]).removeprefix("from_")
    kinds = [display for display in DISPLAYS.values() if place in display.captions]
    made = [display.try_from(document) for display in sorted(kinds, key=lambda kind: kind.rank)]
    figures = [figure for figure in made if figure is not None]
    captions = "\n".join(figure.captions[place] for figure in figures)
    if "{" in captions:
        captions = captions.format(names=getattr(document, "names", DEFAULT))
    both = zip(figures, captions.splitlines(), strict=True)
    return tuple(Picture(figure=figure, caption=text) for figure, text in both)
