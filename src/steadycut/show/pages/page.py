"""What a page is made of: plain texts and tables in order, without markup.

A page is built once, from a document, and every renderer in `steadycut.show.render` takes it. A
terminal shows a part of it.
"""

from dataclasses import dataclass, field

from steadycut.show.figures.display import Display
from steadycut.show.words.next_step import COMMAND_LINE, Spelling, Step

WIDE = 5
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
    """The result in one or two words; ``tone`` is good, bad or open."""

    text: str
    tone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A whole page. ``facts`` are the few numbers to take away, each with its name.

    ``marks`` are answers, each with its own tone. ``step`` says what to do now, in words that
    ``spelling`` completes. ``answer`` is a table that answers the question of the page.
    ``facts_in_short`` says whether a terminal shows the facts. ``files`` are handed out by the
    page; the first one holds all its numbers. ``name`` is that of its own file, without an ending.
    """

    title: str
    subtitle: str
    status: Status
    headline: tuple[str, ...]
    facts: tuple[tuple[str, str], ...] = ()
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
