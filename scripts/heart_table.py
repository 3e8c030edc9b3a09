"""Make one table of the UCI heart disease data, four hospitals, for the tutorials.

Download the data from https://archive.ics.uci.edu/dataset/45/heart+disease (CC BY 4.0; Janosi,
Steinbrunn, Pfisterer and Detrano, 1989) and unpack them. The folder then holds
processed.cleveland.data, processed.hungarian.data, processed.switzerland.data and
processed.va.data. The table has one row per patient; an empty cell is a missing value.

Run: python scripts/heart_table.py FOLDER heart.csv
"""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

# Hospital -> patients, and those with disease: some copies in circulation have other labels.
HOSPITALS = {
    "cleveland": (303, 139),
    "hungarian": (294, 106),
    "switzerland": (123, 115),
    "va": (200, 149),
}
MEASURED = (
    *("age", "sex", "cp", "trestbps", "chol", "fbs", "restecg"),
    *("thalach", "exang", "oldpeak", "slope", "ca", "thal"),
)
HEADER = ["patient", "hospital", *MEASURED, "disease"]
MISSING = {"?", "-9", "-9.0"}


def rows_of(hospital: str, text: str) -> Iterator[list[str]]:
    r"""Yield the rows of a hospital.

    The last number of a line is 0 without disease and 1 to 4 with it.

    Examples
    --------
    >>> line = "50,1,4,?,0,?,0,130.0,1,.5,-9,?,7,3\n"
    >>> print(*next(rows_of("va", line)), sep=",")
    va_000,va,50,1,4,,0,,0,130,1,0.5,,,7,1
    """
    lines = [line for line in text.splitlines() if line.strip()]
    for number, line in enumerate(lines):
        *cells, grade = (cell.strip() for cell in line.split(","))
        values = ["" if cell in MISSING else f"{float(cell):g}" for cell in cells]
        yield [f"{hospital}_{number:03d}", hospital, *values, str(int(float(grade) > 0))]


def read_hospital(folder: Path, hospital: str) -> list[list[str]]:
    """Return the rows of a hospital, or end with what is wrong with its file."""
    path = folder / f"processed.{hospital}.data"
    if not path.is_file():
        sys.exit(f"{path} is missing. Download the data, unpack them, and name their folder.")
    rows = list(rows_of(hospital, path.read_text(encoding="latin-1")))
    found = len(rows), sum(row[-1] == "1" for row in rows)
    if found != HOSPITALS[hospital]:
        sys.exit(
            f"{path} has {found[0]} patients, {found[1]} with disease; UCI's file has "
            f"{HOSPITALS[hospital][0]} and {HOSPITALS[hospital][1]}. Download it from UCI."
        )
    return rows


def main(arguments: list[str]) -> int:
    """Write the table of all four hospitals."""
    if len(arguments) != 2:  # noqa: PLR2004
        print("Run: python scripts/heart_table.py FOLDER heart.csv", file=sys.stderr)
        return 2
    folder, target = Path(arguments[0]), Path(arguments[1])
    rows = [row for hospital in HOSPITALS for row in read_hospital(folder, hospital)]
    with target.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([HEADER, *rows])
    print(f"Wrote {target}: {len(rows)} patients of {len(HOSPITALS)} hospitals")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
