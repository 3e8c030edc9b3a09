"""What a page is made of: plain texts and tables in order, without markup.

A page is built once, from a document, and every renderer takes it: `steadycut.show.html`,
`steadycut.show.markdown` and `steadycut.show.terminal`. A terminal shows a part of it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steadycut.documents.canonical_json import frozen_bytes, json_text
from steadycut.documents.frozen import FrozenDocument
from steadycut.documents.kinds import file_name_of
from steadycut.documents.parts import Part
from steadycut.show.figures.display import Display

WIDE = 5
# The name of a column, and its cells.
Column = tuple[str, Sequence[str]]

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
    shown = (0, 1) if short else ()
    return Table(caption=caption, header=header, kinds=kinds, rows=tuple(rows), short=shown)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A figure with its caption; a figure occurs once per page."""

    figure: Display
    caption: str

    @property
    def name(self) -> str:
        """The name of the figure."""
        return self.figure.name()


def pictures(document: Part, captions: Mapping[type[Display], str]) -> tuple[Picture, ...]:
    """Return the figures of a document with their captions, without those that it lacks."""
    made = [(display.try_from(document), caption) for display, caption in captions.items()]
    return tuple(
        Picture(figure=figure, caption=caption) for figure, caption in made if figure is not None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading, and what stands below it in this order.

    ``results`` are sentences that every renderer shows; a terminal leaves out the other ``texts``.
    ``copied``: the texts are for a paper.
    """

    key: str
    title: str
    results: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    tables: tuple[Table, ...] = ()
    copied: bool = False

    @property
    def sentences(self) -> tuple[str, ...]:
        """All results and texts."""
        return self.results + self.texts


def section(
    key: str,
    title: str,
    *texts: str,
    results: Iterable[str] = (),
    figures: tuple[Picture, ...] = (),
    tables: Iterable[Table | None] = (),
) -> Section:
    """Return a section; empty texts and missing tables are left out."""
    return Section(
        key=key,
        title=title,
        results=tuple(filter(None, results)),
        texts=tuple(filter(None, texts)),
        pictures=figures,
        tables=tuple(filter(None, tables)),
    )


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


def held_files(document: Part, name: str, frozen: FrozenDocument | None = None) -> tuple[File, ...]:
    """Return the document as the file ``name``, and the frozen rule, byte for byte as written."""
    text = json_text(document.to_plain())
    files = [File(key="content", name=name, meaning="every number of this page", text=text)]
    if frozen is not None:
        meaning = "the frozen rule: versions, seed, fingerprint of the data, to take along"
        text = frozen_bytes(frozen.to_plain()).decode()
        files.append(File(key="rule", name=file_name_of(frozen), meaning=meaning, text=text))
    return tuple(files)


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
    footer: str = FOOTER
    explorer: Explorer | None = None
    files: tuple[File, ...] = ()
