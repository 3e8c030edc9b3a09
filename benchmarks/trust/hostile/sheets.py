"""Sheets that say whom a slide or an ECG belongs to, with hostile cells and damaged bytes."""

from benchmarks.trust.hostile.cells import IDENTIFIERS, LABELS
from benchmarks.trust.hostile.damage import damage
from benchmarks.trust.hostile.watch import outcome
from steadycut.pipelines.sheet import read_sheet

ROWS = 3


def judge_sheet(rng, folder):
    """Read a sheet; it is read or refused."""
    cells = [*IDENTIFIERS, *LABELS]
    rows = [["slide", "patient", "label", "site"]]
    rows += [[str(rng.choice(cells)) for _ in rows[0]] for _ in range(ROWS)]
    content = "\n".join(",".join(row) for row in rows).encode()
    path = folder / "sheet.csv"
    path.write_bytes(damage(content, rng))
    return outcome(lambda: read_sheet(path, "slide")), path.read_bytes()
