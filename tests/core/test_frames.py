"""Tables as data frames of pandas and polars."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest

from steadycut.core import frames
from steadycut.core.frames import Framed, chosen_library, data_frame
from steadycut.errors import BadOption, MissingPackage

COLUMNS = {"score": np.array([0.5, 2.0]), "n": (3, 4), "name": np.array(["a", "b"])}


class Two(Framed):
    """Two tables, the patients first."""

    def _tables(self):
        return {"patients": lambda: COLUMNS, "rates": lambda: {"rate": [0.1]}}


@pytest.mark.parametrize(("library", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_a_table_becomes_a_frame_of_the_library_that_is_named(library, kind):
    frame = Two().to_frame(library=library)
    assert isinstance(frame, kind)
    assert {name: frame[name].to_list() for name in frame.columns} == {
        "score": [0.5, 2.0],
        "n": [3, 4],
        "name": ["a", "b"],
    }
    # Not numpy's own texts, of which a later comparison or export may make something else.
    assert {type(name) for name in frame["name"].to_list()} == {str}
    assert list(Two().to_frame("rates", library=library).columns) == ["rate"]


def test_a_table_or_library_that_is_not_known_is_refused():
    with pytest.raises(BadOption, match=r"what must be one of patients, rates; got 'rate'\. Did"):
        Two().to_frame("rate")
    with pytest.raises(BadOption, match="library must be one of pandas, polars; got 'numpy'"):
        data_frame(COLUMNS, "numpy")


@pytest.mark.parametrize(
    ("imported", "installed", "wanted"),
    [
        (["polars"], ["pandas", "polars"], "polars"),
        (["pandas", "polars"], ["pandas", "polars"], "pandas"),
        ([], ["pandas", "polars"], "pandas"),
        ([], ["polars"], "polars"),
    ],
)
def test_the_library_that_is_imported_or_else_installed(monkeypatch, imported, installed, wanted):
    monkeypatch.setattr(frames, "sys", SimpleNamespace(modules=dict.fromkeys(imported)))
    monkeypatch.setattr(frames, "find_spec", lambda name: True if name in installed else None)
    assert chosen_library() == wanted
    assert type(data_frame(COLUMNS)).__module__.startswith(wanted)


def test_a_library_that_is_not_installed_is_asked_for(monkeypatch):
    monkeypatch.setattr(frames, "sys", SimpleNamespace(modules={}))
    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    with pytest.raises(MissingPackage, match="A data frame requires pandas or polars"):
        data_frame(COLUMNS)
    with pytest.raises(MissingPackage, match="Install it with pip install polars"):
        data_frame(COLUMNS, "polars")
