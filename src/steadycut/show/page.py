"""What a page is made of: plain texts in order, without any markup."""

from dataclasses import dataclass

from steadycut.show.figures.display import Display

WIDE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table; ``kinds`` has a letter for each column, ``t`` for text and ``n`` for numbers."""

    caption: str
    header: tuple[str, ...]
    kinds: str
    rows: tuple[tuple[str, ...], ...]
    marked: int | None = None
    note: str = ""

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
    """A figure with its caption; ``name`` occurs once per page.

    ``figure`` is None where the document lacks the data for it; then nothing is drawn.
    """

    figure: Display | None
    name: str
    caption: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading, and what stands below it in this order; ``copied``: its texts are for a paper."""

    key: str
    title: str
    texts: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    tables: tuple[Table, ...] = ()
    copied: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Explorer:
    """The words of the explorer; ``numbers`` has the key and the name of each number."""

    texts: tuple[str, ...]
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

    ``files`` are handed out by the page; the first one holds all its numbers.
    """

    title: str
    subtitle: str
    status: Status
    headline: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    sections: tuple[Section, ...]
    footer: str
    explorer: Explorer | None = None
    files: tuple[File, ...] = ()
