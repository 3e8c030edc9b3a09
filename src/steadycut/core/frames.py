"""Columns as a data frame of the user's own library, pandas or polars; nothing here needs one."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import check_choice
from steadycut.errors import MissingPackage

LIBRARIES = ("pandas", "polars")

# The columns of a table by name, each with one entry per row.
Columns = Mapping[str, Sequence[Any] | NDArray[Any]]


class Framed:
    """An object that holds tables, and returns each as a data frame."""

    __slots__ = ()

    def _tables(self) -> Mapping[str, Callable[[], Columns]]:
        """Return how each table is made, by name; the first one is the default."""
        raise NotImplementedError

    def _content(self) -> object:
        """Return everything that makes two of them equal."""
        return {
            name: {column: list(values) for column, values in make().items()}
            for name, make in self._tables().items()
        }

    def __eq__(self, other: object) -> bool:
        """Return whether both say the same; a copy or a pickle does."""
        return type(self) is type(other) and self._content() == other._content()

    def __hash__(self) -> int:
        """Return the same number for equal objects, without looking at what they hold."""
        return hash(type(self))

    def to_frame(self, what: str | None = None, *, library: str | None = None) -> Any:  # noqa: ANN401
        """Return a table as a data frame.

        Parameters
        ----------
        what
            Which table, such as ``"patients"``, ``"candidates"`` or ``"operating_point"``. A name
            that is not known is refused with the names of all tables. Default: the first of them.
        library
            ``"pandas"`` or ``"polars"``. Default: the one that the program has imported; if that
            does not decide, the one that is installed, pandas first.
        """
        tables = self._tables()
        name = next(iter(tables)) if what is None else what
        check_choice("what", name, tuple(tables))
        return data_frame(tables[name](), library)


def data_frame(columns: Columns, library: str | None = None) -> Any:  # noqa: ANN401
    """Return columns as a data frame; see `Framed.to_frame`."""
    name = chosen_library() if library is None else library
    check_choice("library", name, LIBRARIES)
    if find_spec(name) is None:
        msg = f"A {name} data frame requires {name}. Install it with pip install {name}."
        raise MissingPackage(msg)
    plain = {
        column: values.tolist() if isinstance(values, np.ndarray) else list(values)
        for column, values in columns.items()
    }
    return import_module(name).DataFrame(plain)


def chosen_library() -> str:
    """Return the library that the program uses, or else one that is installed."""
    used = [name for name in LIBRARIES if name in sys.modules]
    names = used or [name for name in LIBRARIES if find_spec(name) is not None]
    if not names:
        msg = "A data frame requires pandas or polars. Install one with pip install pandas."
        raise MissingPackage(msg)
    return names[0]
