"""One table in many formats: the same patients to the last bit."""

import zipfile

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from steadycut.ingest import aggregate

COLUMNS = ("id", "slide", "s", "y")
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["007", "é;ü", 'a "quote"', "x,y"]),
        st.integers(1, 3),
        # Excel keeps 15 digits.
        st.floats(-1e6, 1e6).map(lambda score: float(f"{score:.15g}"))
        | st.sampled_from([0.1, -0.0, 1e-300, 12345.0]),
        st.sampled_from([0, 1]),
    ),
    min_size=1,
    max_size=20,
)
ASKED = {"patient": "id", "score": "s", "label": "y", "label_how": "any", "levels": ["slide:max"]}


def zipped(path, inside):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(inside, f"inside{inside.suffix}")
    return path


def written(frame, folder):
    """Yield each file with the options that it needs."""
    frame.to_csv(folder / "a.csv", index=False)
    yield folder / "a.csv", {}
    frame.to_csv(folder / "b.csv", index=False, sep=";", decimal=",")
    yield folder / "b.csv", {"delimiter": ";", "decimal": ","}
    frame.to_parquet(folder / "c.parquet")
    yield folder / "c.parquet", {}
    frame.to_excel(folder / "d.xlsx", index=False)
    yield folder / "d.xlsx", {}
    for name in ("a.csv", "c.parquet", "d.xlsx"):
        yield zipped(folder / f"{name}.zip", folder / name), {}


@settings(max_examples=12, deadline=None)
@given(ROWS, st.sampled_from(["memory", "duckdb"]))
def test_every_format_gives_the_same_patients(tmp_path_factory, rows, engine):
    frame = pd.DataFrame(rows, columns=COLUMNS)
    expected = aggregate(frame, **ASKED)
    for path, options in written(frame, tmp_path_factory.mktemp("formats")):
        found = aggregate(path, **ASKED, **options, engine=engine)
        assert found.scores.tobytes() == expected.scores.tobytes(), path.name
        assert found.fingerprint() == expected.fingerprint(), path.name
