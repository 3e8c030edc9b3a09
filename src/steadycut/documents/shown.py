"""What the objects that a user holds show of themselves: text, card, figure, report and tables."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

from steadycut._renderer import renderer
from steadycut.core.frames import Columns, Framed
from steadycut.core.rounding import at_most, percent
from steadycut.documents.parts import EstimatePart, OperatingPointPart, Part, Step

# What to do with a result, whether it has figures or not.
LOOK = "summary(), plot() and report(path) show it"
LOOK_AT_TEXT = "summary() and report(path) show it"
# The columns that come first in a table.
FIRST = ("name", "rule")


class Shown(Framed):
    """An object with a document, which ``describe`` returns, and so with a page and figures."""

    __slots__ = ()
    # The tables: the name of each, and the list in the document that has its rows.
    _lists: ClassVar[Mapping[str, str]] = {}
    # The last line of the repr.
    _look: ClassVar[str] = LOOK_AT_TEXT

    def __repr__(self) -> str:
        """Return the first line of the summary; no patient is shown."""
        return f"{type(self).__name__}: {self.summary().partition(chr(10))[0]}\n{self._look}"

    def _content(self) -> object:
        return self.to_dict()

    def describe(self) -> Part:
        """Return everything that was found, as one typed record."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain numbers, texts, lists and dictionaries: the JSON file."""
        return self.describe().to_plain()

    def summary(self, *, verbose: bool = False) -> str:
        """Return the answer as text, as the command prints it; ``verbose`` adds all results."""
        return renderer().summary(self, verbose=verbose)

    def report(self, path: str | PathLike[str]) -> Path:
        """Write the whole page and return its path: HTML, or Markdown if it ends in ``.md``.

        The HTML page is one file that works offline. A file that is there already is replaced.
        """
        return renderer().write_report(self, Path(path))

    def plot(self, kind: str | None = None, *, ax: Any = None, **style: Any) -> Any:  # noqa: ANN401
        """Draw a figure and return its display, which has ``ax_`` and ``figure_``.

        Parameters
        ----------
        kind
            Name of the figure, such as ``"risk-curve"``. A name that is not known is refused with
            the names of all figures of this object. Default: the most telling one.
        ax
            Axes of matplotlib to draw on. Default: a new figure.
        **style
            Properties of the main curve or bars, such as ``color="black"``.
        """
        return renderer().draw(self, kind, ax, **style)

    def _repr_html_(self) -> str | None:
        """Return the card that notebooks show; without jinja2 they show the text instead."""
        return renderer().card(self)

    def _tables(self) -> Mapping[str, Callable[[], Columns]]:
        if not self._lists:
            return {"document": lambda: _known(columns_of([self.describe()]))}
        return {name: partial(self._rows, rows) for name, rows in self._lists.items()}

    def _rows(self, name: str) -> Columns:
        return columns_of(getattr(self.describe(), name))


def study_repr(study: Any, found: str, look: str = LOOK_AT_TEXT) -> str:  # noqa: ANN401
    """Return what was ``found`` in a study, and what is certified, in three lines."""
    return (
        f"{type(study).__name__} of {study.patients.n_patients} patients: {found}\n"
        f"certified: average cost at most {at_most(study.certificate.value)} "
        f"({percent(1 - study.certificate.delta, 0)} confidence); "
        f"calling everybody or nobody {study.certificate.trivial_risk:.3g}\n"
        f"{look}; freeze() makes the rule"
    )


def columns_of(rows: Sequence[object]) -> Columns:
    """Return parts as columns; what is not a number or a text is left out, but chains of steps.

    Examples
    --------
    >>> columns_of([Step(level="slide", how="max"), Step(level="patient", how="mean")])
    {'level': ['slide', 'patient'], 'how': ['max', 'mean']}
    """
    fields = ("model_fields", "__dataclass_fields__")
    names = [name for one in rows[:1] for kind in fields for name in getattr(type(one), kind, ())]
    names.sort(key=lambda name: name not in FIRST)
    columns = {name: [_cell(getattr(row, name)) for row in rows] for name in names}
    return {name.rstrip("_"): cells for name, cells in columns.items() if ... not in cells}


def _known(columns: Columns) -> Columns:
    return {name: cells for name, cells in columns.items() if any(one is not None for one in cells)}


def _cell(value: object) -> object:
    if isinstance(value, list) and value and all(isinstance(one, Step) for one in value):
        return ", ".join(f"{one.level} {one.how}" for one in value)
    return value if value is None or isinstance(value, bool | int | float | str) else ...


def point_columns(here: OperatingPointPart, before: OperatingPointPart | None = None) -> Columns:
    """Return what a cut-off does, one characteristic per row, with its interval.

    ``rechosen_low`` and ``rechosen_high`` are the ends for a repeated study, where they are known.
    ``before`` is another place to compare with.
    """
    found = here.fixed_cut.characteristics
    columns: dict[str, Sequence[Any]] = {"name": list(found), **_ends(list(found.values()))}
    if here.rechosen_cut is not None:
        rechosen = here.rechosen_cut.characteristics
        parts = [rechosen.get(name) for name in found]
        columns["rechosen_low"] = [None if one is None else one.low for one in parts]
        columns["rechosen_high"] = [None if one is None else one.high for one in parts]
    if before is not None:
        there = before.fixed_cut.characteristics
        ends = _ends([there.get(name) for name in found])
        columns |= {f"{name}_before": cells for name, cells in ends.items()}
    return columns


def _ends(parts: Sequence[EstimatePart | None]) -> dict[str, Sequence[Any]]:
    return {
        name: [None if one is None else getattr(one, name) for one in parts]
        for name in ("value", "low", "high")
    }
