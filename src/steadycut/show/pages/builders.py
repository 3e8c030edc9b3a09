"""Build the parts of a page: sections, tables, figures with captions, and files."""

from collections.abc import Iterable, Sequence
from typing import Any

from steadycut.core.verdict import OVERALL, Answer
from steadycut.documents.parts import DataPart, Part
from steadycut.show.figures import DISPLAYS
from steadycut.show.figures.display import MAKERS
from steadycut.show.pages.page import Picture, Section, Status, Table

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


def of_matrix(
    caption: str, grades: Column, actions: Sequence[str], values: Matrix, *, short: bool = True
) -> Table:
    """Return a table with a row for each grade and a column for each decision."""
    texts = [[str(one) if isinstance(one, int) else f"{one:g}" for one in row] for row in values]
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
    return tuple(Picture(figure=figure, caption=figure.captions[place]) for figure in figures)
