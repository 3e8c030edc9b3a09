"""``python -m paper table``: the paper's main and cost table for any two hospitals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from paper.commands.shared import PaperSearchOptions, Replicates, RunOutputOptions, study_settings
from paper.pages import table_page
from paper.table import Hospitals, table_result
from steadycut.cli import options as opt
from steadycut.cli.compare import read_both, two_hospitals
from steadycut.cli.options import option
from steadycut.cli.output import refuse
from steadycut.cli.reading import Reading
from steadycut.cli.tables import note_dropped
from steadycut.datasets.two_hospitals import HOSPITAL_A, Hospital, simulate
from steadycut.ingest import make_request, read_patients
from steadycut.io.progress import progress_on_stderr

HOSPITAL_Q = Hospital(
    name="B", prevalence=0.30, look_alikes=0.10, scanner_gain=0.9, scanner_offset=0.08
)
NEEDED = ("patient", "score", "label", "site", "internal", "external")


@dataclass(frozen=True, slots=True, kw_only=True)
class DataOptions:
    """Table of two hospitals."""

    data: list[str] | None = option(
        "TABLE", "CSV or Parquet files with two sites. [default: simulated hospitals]"
    )
    patient: str | None = option("COL", "Column that identifies patients.")
    score: list[str] | None = option("COL", "Column of instance scores.")
    label: str | None = option("COL", "Column of labels.")
    site: opt.Site = None
    internal: str | None = option("NAME[,NAME]", "Sites to choose on.")
    external: str | None = option("NAME[,NAME]", "Sites to judge on.")
    positive: opt.Positive = None
    level: opt.Level = None
    aggregate: opt.Aggregate = None
    missing: opt.Missing = "refuse"

    def check(self) -> None:
        """Refuse a table without its columns, and columns without a table."""
        values = self.named(*NEEDED)
        given = [f"--{name}" for name, value in values.items() if value]
        lacking = [f"--{name}" for name, value in values.items() if not value]
        if self.data is None and given:
            refuse(
                f"{given[0]} needs --data TABLE; without it the table is of simulated hospitals."
            )
        if self.data is not None and lacking:
            refuse(f"--data needs {', '.join(lacking)}, to say who the patients of P and Q are.")

    def named(self, *names: str) -> dict[str, Any]:
        """Return some of the options, by name."""
        return {name: getattr(self, name) for name in names}

    def read(self, data: Sequence[str]) -> Hospitals:
        """Read the patients of both hospitals, by every score and aggregator."""
        given = self.named("patient", "score", "label", "positive", "aggregate")
        columns = opt.ColumnOptions(levels=self.level, **given)
        sites = opt.TwoSites(**self.named("site", "internal", "external"))
        table = read_both(Reading(paths=tuple(data)), columns, sites, self.missing)
        note_dropped(table)
        return two_hospitals(table, sites)


@dataclass(frozen=True, slots=True, kw_only=True)
class CostAndDirectionOptions(opt.CostOptions):
    """Costs and direction."""

    direction: opt.Direction = "ge"


def table_command(
    *,
    table: DataOptions,
    costs: CostAndDirectionOptions,
    search: PaperSearchOptions,
    certificate: opt.CertificateOptions,
    replicates: Replicates = 20,
    output: RunOutputOptions,
) -> None:
    """Rebuild the main and cost table, for any two hospitals.

    With --data each replicate splits the same patients again into those who choose and those who
    validate. Without it, each replicate simulates two new hospitals.
    """
    seed = search.seed
    output.check("table", replicates, seed)
    options = study_settings(costs, search, certificate)
    table.check()
    seeds = range(seed, seed + replicates)
    others: Iterator[tuple[int, Hospitals]]
    if table.data is None:
        first = simulated(seed)
        others = ((number, simulated(number)) for number in seeds)
    else:
        first = table.read(table.data)
        others = ((number, first) for number in seeds)
    with progress_on_stderr() as progress:
        content = table_result(first, others, replicates, options, progress)
    output.finish("table", content, table_page(content))


def simulated(seed: int) -> Hospitals:
    """Return two simulated hospitals, by every aggregator; the second has another scanner."""
    cohort, two = simulate({HOSPITAL_A: 200, HOSPITAL_Q: 150}, seed), []
    for hospital in (HOSPITAL_A, HOSPITAL_Q):
        request = make_request(
            patient="patient",
            score="score",
            label="tumour",
            site="hospital",
            sites=[hospital.name],
            levels=["slide:max"],
            how=["mean", "max", "quantile:0.9"],
        )
        two.append(list(read_patients(request, cohort).patients.values()))
    return two[0], two[1]
